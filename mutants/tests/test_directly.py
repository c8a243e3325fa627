"""A test that is called directly comes to the same as with all of pytest around it."""

from pathlib import Path
from textwrap import dedent

import pytest

from acidtest.mutants import lab
from acidtest.mutants.tests import tiny

HEAD = "import sys, threading, unittest, warnings\nimport pytest\nimport box\n"
DOUBLE = "def double(x):\n    return 2 * x\n"
STRICT = "def pytest_configure(config):\n    config.addinivalue_line('filterwarnings', 'error')\n"
MUTANTS = {
    "wrong": "return 3 * x",
    "warns": "import warnings\nwarnings.warn('doubled', stacklevel=1)\nreturn 2 * x",
    "skips": "import pytest\npytest.skip('no')",
    "skips by unittest": "import unittest\nraise unittest.SkipTest('no')",
    "fails as expected": "import pytest\npytest.xfail('known')",
    "exits": "raise SystemExit(0)",
    "fails in a destructor": "class Loud:\n    def __del__(self):\n        raise ValueError\nLoud()\nreturn 2 * x",
    "fails in a thread": (
        "import threading\nthread = threading.Thread(target=lambda: 1 // 0)\n"
        "thread.start()\nthread.join()\nreturn 2 * x"
    ),
}
CASES = {
    "a function": "def test_it():\n    assert box.double(2) == 4\n",
    "its own filter of warnings": (
        "@pytest.mark.filterwarnings('ignore')\ndef test_it():\n    assert box.double(2) == 4\n"
    ),
    "an expected failure": "@pytest.mark.xfail(strict=True)\ndef test_it():\n    assert box.double(2) == 5\n",
    "what a module sets up": (
        "READY = []\ndef setup_module():\n    READY.append(box.double(1))\n"
        "def teardown_module():\n    READY.clear()\ndef test_it():\n    assert READY == [2]\n"
    ),
    "what a function sets up": (
        "READY = []\ndef setup_function():\n    READY.append(box.double(1))\ndef test_it():\n    assert READY == [2]\n"
    ),
    "a fixture of the module, before and after": (
        "@pytest.fixture(scope='module')\ndef two():\n    yield box.double(1)\n    assert box.double(5) == 10\n"
        "def test_before(two):\n    assert two == 2\ndef test_it():\n    assert box.double(2) == 4\n"
        "def test_after(two):\n    assert two == 2\n"
    ),
    "a test that warns": "def test_it():\n    warnings.warn(str(box.double(2)), DeprecationWarning, stacklevel=1)\n",
    "a test that awaits a warning": (
        "def test_it():\n    with pytest.warns(UserWarning):\n        warnings.warn(str(box.double(2)), stacklevel=1)\n"
    ),
    "parameters": "@pytest.mark.parametrize('x', [1, 2])\ndef test_it(x):\n    assert box.double(x) == 2 * x\n",
    "a class": "class TestIt:\n    def test_it(self):\n        assert box.double(2) == 4\n",
    "a unittest": "class TestIt(unittest.TestCase):\n    def test_it(self):\n        assert box.double(2) == 4\n",
    "a test that skips": "def test_it():\n    if box.double(2) == 4:\n        pytest.skip('fine')\n",
}
CONFTESTS = {
    "lenient": "",
    "strict": STRICT,
    "a plugin's own verdict": (
        "import pytest\n@pytest.hookimpl(wrapper=True)\ndef pytest_runtest_call(item):\n    yield\n"
        "    import box\n    assert box.double(3) == 6\n"
    ),
}


@pytest.mark.parametrize("conftest", CONFTESTS)
def test_every_kind_of_test_comes_to_the_same(tmp_path: Path, conftest: str) -> None:
    box = tiny.workload(tmp_path, DOUBLE, "")
    (tmp_path / "tests" / "test_box.py").unlink()
    (tmp_path / "tests" / "conftest.py").write_text(CONFTESTS[conftest])
    for number, (case, tests) in enumerate(CASES.items()):
        if conftest == "lenient" or case != "a test that warns":
            (tmp_path / "tests" / f"test_{number}.py").write_text(HEAD + tests)
    nested = tmp_path / "tests" / "nested"
    nested.mkdir()
    (nested / "__init__.py").write_text("READY = []\ndef setup_module():\n    READY.append(1)\n")
    (nested / "test_nested.py").write_text(
        "import box\nfrom . import READY\ndef test_it():\n    assert READY == [1] and box.double(2) == 4\n"
    )
    variants = [tiny.variant(box, name, "double", "return 2 * x", body) for name, body in MUTANTS.items()]
    usual, plain = (tiny.run(box, *variants, prune=prune) for prune in (True, False))
    assert usual.problems == plain.problems == ()
    assert tiny.cells(usual) == tiny.cells(plain)
    assert "failed:assertion" in tiny.outcomes(usual, "wrong").values()
    if conftest == "strict":
        for name in ("warns", "fails in a destructor", "fails in a thread"):
            assert any("Warning" in outcome for outcome in tiny.outcomes(usual, name).values())


UNDER_PYTEST = """
import sys
import pytest
import box

def under_pytest():
    frame = sys._getframe()
    while frame is not None and frame.f_code.co_name != "runtestprotocol":
        frame = frame.f_back
    return frame is not None
"""


def test_a_test_that_needs_all_of_pytest_is_given_it(tmp_path: Path) -> None:
    """The test passes only below pytest's own loop, and so not when it is called directly: then it is called so."""
    tests = """
    def test_it():
        assert box.double(2) == 4
        assert under_pytest()
    """
    box = tiny.workload(tmp_path, DOUBLE, UNDER_PYTEST + dedent(tests))
    right = tiny.variant(box, "right", "double", "2 * x", "x * 2")
    run = tiny.run(box, right)
    assert run.problems == ()
    assert set(tiny.outcomes(run, "right").values()) <= {"passed:", "passed:same answers"}


def test_a_test_that_needs_all_of_pytest_unless_another_was_run_before_is_given_it(tmp_path: Path) -> None:
    """It passes directly after the first, and by pytest alone; a variant that the first does not reach has it alone."""
    tests = """
    READY = []

    def test_first():
        READY.append(box.triple(1))

    def test_second():
        assert READY or under_pytest()
        assert box.double(2) == 4
    """
    source = DOUBLE + "\n\ndef triple(x):\n    return 3 * x\n"
    box = tiny.workload(tmp_path, source, UNDER_PYTEST + dedent(tests))
    right = tiny.variant(box, "right", "double", "return 2 * x", "import math\nreturn 2 * x")
    run = tiny.run(box, right)
    assert run.problems == ()
    assert tiny.outcomes(run, "right") == {"test_first": "passed:unreached", "test_second": "passed"}


def test_a_test_that_passes_only_without_pytest_is_a_failed_baseline(tmp_path: Path) -> None:
    tests = """
    def test_it():
        assert box.double(2) == 4
        assert not under_pytest()
    """
    box = tiny.workload(tmp_path, DOUBLE, UNDER_PYTEST + dedent(tests))
    with pytest.raises(lab.BaselineFailedError, match="test_it"):
        tiny.run(box)


def test_a_failure_alone_is_one_though_the_test_passes_after_others(tmp_path: Path) -> None:
    tests = """
    READY = []

    def test_first():
        READY.append(box.double(1))

    def test_second():
        assert READY
    """
    box = tiny.workload(tmp_path, DOUBLE, UNDER_PYTEST + dedent(tests))
    with pytest.raises(lab.BaselineFailedError, match="test_second"):
        tiny.run(box)


def test_a_bare_test_is_called_directly(tmp_path: Path) -> None:
    log = tmp_path / "log"
    tests = f"""
    import sys
    import box

    def test_it():
        frame, names = sys._getframe(), set()
        while frame is not None:
            names.add(frame.f_code.co_name)
            frame = frame.f_back
        with open({str(log)!r}, "a") as file:
            file.write("pytest " if "runtestprotocol" in names else "directly ")
        assert box.double(2) == 4
    """
    box = tiny.workload(tmp_path, DOUBLE, dedent(tests))
    variants = [tiny.variant(box, "wrong", "double", "2 * x", "3 * x")]
    assert tiny.run(box, *variants).problems == ()
    assert log.read_text().split().count("pytest") == 1, "in sequence, in the baseline"
    assert "directly" in log.read_text()
    log.write_text("")
    tiny.run(box, *variants, prune=False)
    assert log.read_text().split().count("directly") == 1, "alone, in the baseline"
