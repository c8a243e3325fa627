"""Where a hot install would be wrong the lab goes cold: each case here gives a false survivor if it does not."""

from pathlib import Path

import pytest

from acidtest.mutants.model import Variant
from acidtest.mutants.tests import tiny
from acidtest.mutants.workload import Workload


def survivors_by_road(box: Workload, variant: Variant) -> list[dict[str, str]]:
    """Return the outcomes on the usual road and on the plainest one: cold, nothing pruned."""
    usual = tiny.outcomes(tiny.run(box, variant), variant.id)
    plain = tiny.outcomes(tiny.run(box, variant, install="cold", prune=False), variant.id)
    strip = {"passed:unreached": "passed"}
    return [{test: strip.get(outcome, outcome) for test, outcome in found.items()} for found in (usual, plain)]


CASES = {
    "a name imported from the target": (
        "def double(x):\n    return 2 * x\n",
        "from box import double\ndef test_it():\n    assert double(2) == 4\n",
        "double",
        "2 * x",
        "3 * x",
    ),
    "a value computed at collection": (
        "def double(x):\n    return 2 * x\n",
        "import box\nFOUR = box.double(2)\ndef test_it():\n    assert FOUR == 4\n",
        "double",
        "2 * x",
        "3 * x",
    ),
    "a parameter computed at collection": (
        "def double(x):\n    return 2 * x\n",
        """
        import box, pytest
        @pytest.mark.parametrize("value", [box.double(2)], ids=["value"])
        def test_it(value):
            assert value == 4
        """,
        "double",
        "2 * x",
        "3 * x",
    ),
    "a cached function": (
        "import functools\n@functools.lru_cache\ndef double(x):\n    return 2 * x\n",
        "import box\ndef test_it():\n    assert box.double(2) == 4\n",
        "double",
        "2 * x",
        "3 * x",
    ),
    "a function behind a decorator": (
        """
        import functools
        def loud(function):
            @functools.wraps(function)
            def inner(x):
                return function(x)
            return inner
        @loud
        def double(x):
            return 2 * x
        """,
        "import box\ndef test_it():\n    assert box.double(2) == 4\n",
        "double",
        "2 * x",
        "3 * x",
    ),
    "a result that the module remembers": (
        "KNOWN = {}\ndef double(x):\n    if x not in KNOWN:\n        KNOWN[x] = 2 * x\n    return KNOWN[x]\n",
        "import box\ndef test_it():\n    assert box.double(2) == 4\n",
        "double",
        "2 * x",
        "3 * x",
    ),
    "a method": (
        "class Doubler:\n    def double(self, x):\n        return 2 * x\n",
        "import box\ndef test_it():\n    assert box.Doubler().double(2) == 4\n",
        "Doubler.double",
        "2 * x",
        "3 * x",
    ),
    "a static method": (
        "class Doubler:\n    @staticmethod\n    def double(x):\n        return 2 * x\n",
        "import box\ndef test_it():\n    assert box.Doubler.double(2) == 4\n",
        "Doubler.double",
        "2 * x",
        "3 * x",
    ),
    "a method with a mangled name": (
        "class Doubler:\n    def __init__(self):\n        self.__two = 2\n"
        "    def double(self, x):\n        return self.__two * x\n",
        "import box\ndef test_it():\n    assert box.Doubler().double(2) == 4\n",
        "Doubler.double",
        "self.__two * x",
        "self.__two + x + 1",
    ),
    "a method that asks its super": (
        "class One:\n    def double(self, x):\n        return x\n"
        "class Doubler(One):\n    def double(self, x):\n        return 2 * super().double(x)\n",
        "import box\ndef test_it():\n    assert box.Doubler().double(2) == 4\n",
        "Doubler.double",
        "2 * super().double(x)",
        "3 * super().double(x)",
    ),
    "a method of a dataclass with slots": (
        "import dataclasses\n@dataclasses.dataclass(slots=True)\nclass Doubler:\n    two: int = 2\n"
        "    def double(self, x):\n        return self.two * x\n",
        "import box\ndef test_it():\n    assert box.Doubler().double(2) == 4\n",
        "Doubler.double",
        "self.two * x",
        "self.two + x + 1",
    ),
    "a method of a class within a class": (
        "class Outer:\n    class Inner:\n        def double(self, x):\n            return 2 * x\n",
        "import box\ndef test_it():\n    assert box.Outer.Inner().double(2) == 4\n",
        "Outer.Inner.double",
        "2 * x",
        "3 * x",
    ),
    "a function under a condition": (
        "if True:\n    def double(x):\n        return 2 * x\n",
        "import box\ndef test_it():\n    assert box.double(2) == 4\n",
        "double",
        "2 * x",
        "3 * x",
    ),
    "a function that becomes a generator": (
        "def double(x):\n    return [2 * x]\n",
        "import box\ndef test_it():\n    assert box.double(2) == [4]\n",
        "double",
        "return [2 * x]",
        "yield 2 * x",
    ),
    "a function that another process calls": (
        "def double(x):\n    return 2 * x\n",
        """
        import subprocess, sys
        import box
        def test_it():
            assert box.double(1) > 0
            code = "import box; print(box.double(2))"
            out = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
            assert out.stdout.strip() == b"4"
        """,
        "double",
        "2 * x",
        "2 * x if x < 2 else 5",
    ),
    "a fixture of the whole module": (
        "def double(x):\n    return 2 * x\n",
        """
        import box, pytest
        @pytest.fixture(scope="module")
        def four():
            return box.double(2)
        def test_first(four):
            assert four == 4
        def test_second(four):
            assert four == 4
        """,
        "double",
        "2 * x",
        "3 * x",
    ),
    "the end of a fixture of the whole module": (
        "def double(x):\n    return 2 * x\n",
        """
        import box, pytest
        @pytest.fixture(scope="module")
        def four():
            yield 4
            assert box.double(2) == 4
        def test_first(four):
            assert four == 4
        """,
        "double",
        "2 * x",
        "3 * x",
    ),
    "a bound method kept by a test": (
        "class Doubler:\n    def double(self, x):\n        return 2 * x\nDOUBLER = Doubler()\n",
        "import box\ndouble = box.DOUBLER.double\ndef test_it():\n    assert double(2) == 4\n",
        "Doubler.double",
        "2 * x",
        "3 * x",
    ),
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_the_mutant_is_killed_on_the_usual_road_as_on_the_plainest(
    tmp_path: Path, case: tuple[str, str, str, str, str]
) -> None:
    source, tests, function, before, after = case
    box = tiny.workload(tmp_path, source, tests)
    usual, plain = survivors_by_road(box, tiny.variant(box, "m", function, before, after))
    assert usual == plain
    assert any(outcome.startswith("failed") for outcome in usual.values())


def test_a_package_is_shown_to_other_processes_with_its_neighbours(tmp_path: Path) -> None:
    from acidtest.mutants.install import write_overlay

    inner = tmp_path / "src" / "outer" / "inner"
    inner.mkdir(parents=True)
    for path in (inner.parent / "__init__.py", inner / "__init__.py", inner / "other.py", inner.parent / "top.py"):
        path.write_text("x = 1\n")
    (inner / "changed.py").write_text("x = 1\n")
    overlay = tmp_path / "overlay"
    overlay.mkdir()
    write_overlay(overlay, "outer.inner.changed", inner / "changed.py", "x = 2\n")
    shown = {str(path.relative_to(overlay)): path.read_text() for path in overlay.rglob("*.py")}
    assert shown == {
        "outer/__init__.py": "x = 1\n",
        "outer/top.py": "x = 1\n",
        "outer/inner/__init__.py": "x = 1\n",
        "outer/inner/other.py": "x = 1\n",
        "outer/inner/changed.py": "x = 2\n",
    }
