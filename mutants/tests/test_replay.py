"""Replaying drawn inputs gives what Hypothesis gives, and steps back wherever it could not."""

from pathlib import Path
from textwrap import dedent

import pytest

from acidtest.mutants.model import Run
from acidtest.mutants.tests import tiny
from acidtest.mutants.workload import Workload

DOUBLE = "def double(x):\n    return 2 * x\n"
HEAD = "from hypothesis import given, settings, assume, event, strategies as st\nimport box\n"
CASES = {
    "a property": "@given(st.integers(0, 99))\ndef test_it(x):\n    assert box.double(x) == x + x\n",
    "a draw inside the body": (
        "@given(st.data())\ndef test_it(data):\n    x = data.draw(st.integers(0, 99))\n"
        "    assert box.double(x) == x + x\n"
    ),
    "an assumption": (
        "@given(st.integers(0, 99))\ndef test_it(x):\n    assume(x % 2)\n    assert box.double(x) == x + x\n"
    ),
    "an assumption that only the mutant breaks": (
        "@given(st.integers(0, 99))\ndef test_it(x):\n    assume(box.double(x) > 9)\n"
        "    assert box.double(x) == x + x\n"
    ),
    "an event": ("@given(st.integers(0, 99))\ndef test_it(x):\n    event('odd')\n    assert box.double(x) == x + x\n"),
    "a strategy that enters the target": (
        "@given(st.integers(0, 99).map(box.double))\ndef test_it(x):\n    assert x % 2 == 0\n"
    ),
    "an input that the test changes": (
        "@given(st.lists(st.integers(0, 9), min_size=1))\ndef test_it(xs):\n"
        "    before = list(xs)\n    xs.append(box.double(xs[0]))\n    assert xs == [*before, 2 * before[0]]\n"
    ),
    "a fixture": (
        "import pytest\n@pytest.fixture\ndef two():\n    return box.double(1)\n"
        "@given(x=st.integers(0, 99))\n@settings(suppress_health_check=[])\n"
        "def test_it(two, x):\n    assert box.double(x) == two * x\n"
    ),
    "a method": (
        "class TestIt:\n    @given(st.integers(0, 99))\n    def test_it(self, x):\n"
        "        assert box.double(x) == x + x\n"
    ),
    "a parameter": (
        "import pytest\n@pytest.mark.parametrize('y', [1, 2])\n@given(x=st.integers(0, 99))\n"
        "def test_it(x, y):\n    assert box.double(x * y) == 2 * x * y\n"
    ),
    "global randomness": (
        "import random\n@given(st.integers(0, 99))\ndef test_it(x):\n"
        "    assert box.double(x) == x + x or random.random() < 0.5\n"
    ),
    "a skip that only the mutant reaches": (
        "import pytest\n@given(st.integers(0, 99))\ndef test_it(x):\n"
        "    if box.double(x) != x + x:\n        pytest.skip('no')\n"
    ),
    "an input given twice": (
        "CASES = [[1, 2], [3]]\n@given(st.sampled_from(CASES), st.integers(0, 99))\ndef test_it(xs, k):\n"
        "    box.double(xs)\n    assert sum(xs) == 3\n"
    ),
    "a strategy that asks the target once": (
        "@given(st.deferred(lambda: st.sampled_from([box.double(1)])))\ndef test_it(x):\n    assert x == 2\n"
    ),
    "a machine": (
        "from hypothesis.stateful import RuleBasedStateMachine, rule\nclass Machine(RuleBasedStateMachine):\n"
        "    @rule(x=st.integers(0, 99))\n    def double(self, x):\n        assert box.double(x) == x + x\n"
        "TestMachine = Machine.TestCase\n"
        "TestMachine.settings = settings(max_examples=5, stateful_step_count=8)\n"
    ),
    "a look at whether Hypothesis runs": (
        "from hypothesis import currently_in_test_context\n@given(st.integers(0, 99))\ndef test_it(x):\n"
        "    assert not currently_in_test_context() or box.double(x) == x + x\n"
    ),
    "chance that is used while drawing": (
        "import random\n@given(st.integers(0, 99).map(lambda x: x + int(random.random() < 0)))\ndef test_it(x):\n"
        "    assert box.double(x) == x + x or random.random() < 0.8\n"
    ),
    "an object that it knows": (
        "class Kind:\n    pass\nONE, TWO = Kind(), Kind()\n@given(st.sampled_from([ONE, TWO]))\n"
        "def test_it(kind):\n    assert kind is not ONE or box.double(2) == 4\n"
    ),
    "a list that it knows": (
        "KNOWN = [2]\n@st.composite\ndef known(draw):\n    return KNOWN\n"
        "@settings(max_examples=1)\n@given(known())\n"
        "def test_it(xs):\n    assert xs is not KNOWN or box.double(2) == 4\n"
    ),
    "more stack than there is without Hypothesis": (
        "def deep(k):\n    return deep(k - 1) if k else True\n@given(st.integers(0, 99))\ndef test_it(x):\n"
        "    assert deep(9 if box.double(x) == x + x else 1200)\n"
    ),
    "a failure expected": (
        "import pytest\n@pytest.mark.xfail(strict=True)\n@given(st.integers(0, 99))\ndef test_it(x):\n"
        "    assert box.double(x) == x + x + 1\n"
    ),
}


OWN_GENERATOR = (
    HEAD + "import random\nfrom hypothesis import register_random\nOWN = random.Random(5)\nregister_random(OWN)\n"
    "@given(st.integers(0, 9))\ndef test_it(x):\n"
    "    x = OWN.randrange(99)\n    assert box.double(x) == x + x or x % 2\n"
)


def _by_road(box: Workload) -> tuple[Run, Run]:
    """Return the runs of three mutants with all shortcuts, and with none."""
    variants = [
        tiny.variant(box, "always", "double", "2 * x", "3 * x"),
        tiny.variant(box, "late", "double", "2 * x", "2 * x if isinstance(x, list) or x < 50 else 0"),
        tiny.variant(box, "writes", "double", "return 2 * x", "if isinstance(x, list):\n    x.append(1)\nreturn 2 * x"),
    ]
    usual, plain = (tiny.run(box, *variants, prune=prune, seed=5, jobs=2) for prune in (True, False))
    return usual, plain


@pytest.fixture(scope="module")
def roads(tmp_path_factory: pytest.TempPathFactory) -> tuple[Run, Run]:
    """Return the runs of all cases, each in a file of its own."""
    folder = tmp_path_factory.mktemp("cases")
    box = tiny.workload(folder, DOUBLE, "")
    (folder / "tests" / "test_box.py").unlink()
    for number, tests in enumerate(CASES.values()):
        (folder / "tests" / f"test_{number}.py").write_text(HEAD + tests)
    return _by_road(box)


@pytest.mark.parametrize("number", range(len(CASES)), ids=list(CASES))
def test_a_property_comes_to_the_same_with_and_without_replay(number: int, roads: tuple[Run, Run]) -> None:
    usual, plain = (
        [
            (trial.variant, trial.outcome, trial.examples)
            for trial in run.matrix.trials
            if trial.test.startswith(f"tests/test_{number}.py")
        ]
        for run in roads
    )
    assert usual == plain
    assert len(plain) >= 3


def test_a_generator_that_hypothesis_seeds_for_a_test_is_seeded(tmp_path: Path) -> None:
    usual, plain = _by_road(tiny.workload(tmp_path, DOUBLE, OWN_GENERATOR))
    assert [trial.examples for trial in usual.matrix.trials] == [trial.examples for trial in plain.matrix.trials]
    assert tiny.cells(usual) == tiny.cells(plain)


def test_a_replayed_property_draws_nothing(tmp_path: Path) -> None:
    log = tmp_path / "draws"
    tests = f"""
    def logged(x):
        with open({str(log)!r}, "a") as file:
            file.write("x")
        return x

    @settings(max_examples=10)
    @given(st.integers(0, 10**6).map(logged))
    def test_it(x):
        assert box.double(x) == x + x
    """
    box = tiny.workload(tmp_path, DOUBLE, HEAD + dedent(tests))
    variants = [tiny.variant(box, f"m{number}", "double", "2 * x", f"x * 2 + 0 * {number}") for number in range(4)]
    tiny.run(box, *variants)
    drawn_once = len(log.read_text())
    tiny.run(box, *variants, prune=False)
    assert len(log.read_text()) - drawn_once > 5 * drawn_once


def test_inputs_to_kill_are_counted_from_one(tmp_path: Path) -> None:
    tests = HEAD + "from hypothesis import example\n@example(0)\n@example(1)\n@given(st.integers(0, 0))\n"
    box = tiny.workload(tmp_path, DOUBLE, tests + "def test_it(x):\n    assert box.double(x) == x + x\n")
    second = tiny.variant(box, "second", "double", "2 * x", "3 * x")
    (trial,) = tiny.run(box, second).matrix.trials
    assert (trial.outcome, trial.examples) == ("failed", 2)


def test_the_suite_s_own_profile_counts(tmp_path: Path) -> None:
    box = tiny.workload(tmp_path, DOUBLE, HEAD + CASES["a property"].replace("0, 99", "0, 999"))
    profile = "from hypothesis import settings\nsettings.register_profile('long', max_examples=3000)\n"
    (tmp_path / "tests" / "conftest.py").write_text(profile + "settings.load_profile('long')\n")
    rare = tiny.variant(box, "rare", "double", "2 * x", "2 * x if x != 777 else 0")
    assert set(tiny.outcomes(tiny.run(box, rare), "rare").values()) == {"failed:assertion"}
