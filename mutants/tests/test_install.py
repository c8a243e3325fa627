"""Where a hot install would be wrong the lab goes cold: each case here gives a false survivor if it does not."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from acidtest.mutants.model import Variant
from acidtest.mutants.tests import tiny
from acidtest.mutants.workload import Workload


def survivors_by_road(box: Workload, variant: Variant) -> list[dict[str, str]]:
    """Return the outcomes on the usual road and on the plainest one: cold, nothing pruned."""
    usual = tiny.outcomes(tiny.run(box, variant), variant.id)
    plain = tiny.outcomes(tiny.run(box, variant, install="cold", prune=False), variant.id)
    strip = {"passed:unreached": "passed", "passed:same answers": "passed"}
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
    "a table that an earlier test filled": (
        "import functools\n@functools.lru_cache(None)\ndef table():\n    return {n: n * n for n in range(5)}\n"
        "def look(n):\n    return table()[n]\n",
        "import box\ndef test_first():\n    assert box.look(0) == 0\ndef test_second():\n    assert box.look(3) == 9\n",
        "table",
        "n * n",
        "n + n",
    ),
    "a global that an earlier test filled": (
        "T = None\ndef build():\n    return 2\ndef double(x):\n    global T\n    if T is None:\n        T = build()\n"
        "    return T * x\n",
        "import box\ndef test_first():\n    assert box.double(0) == 0\ndef test_it():\n    assert box.double(2) == 4\n",
        "build",
        "return 2",
        "return 3",
    ),
    "a result that the tests remember": (
        "def double(x):\n    return 2 * x\ndef same(x):\n    return x\n",
        """
        import functools, box
        @functools.lru_cache
        def law(n):
            return [box.double(i) for i in range(n)]
        def test_it():
            assert box.same(1) == 1
            assert law(3) == [0, 2, 4]
        """,
        "double",
        "2 * x",
        "3 * x",
    ),
    "a tracer that a test takes away": (
        "def double(x):\n    return 2 * x\n",
        """
        import sys, box
        def test_first():
            sys.settrace(None)
            assert box.double(0) == 0
        def test_second():
            assert box.double(2) == 4
        """,
        "double",
        "2 * x",
        "3 * x",
    ),
    "a thread that no tracer follows": (
        "def double(x):\n    return 2 * x\n",
        """
        import _thread, queue, box
        def test_it():
            answers = queue.Queue()
            _thread.start_new_thread(lambda: answers.put(box.double(2)), ())
            assert answers.get(timeout=5) == 4
        """,
        "double",
        "2 * x",
        "3 * x",
    ),
    "a module that a test imports afresh": (
        "def double(x):\n    return 2 * x\n",
        """
        import sys, box
        def test_it(monkeypatch):
            monkeypatch.delitem(sys.modules, "box")
            import box as fresh
            assert fresh.double(2) == 4
        """,
        "double",
        "2 * x",
        "3 * x",
    ),
    "a fixture that a test asks for by name": (
        "def double(x):\n    return 2 * x\n",
        """
        import box, pytest
        @pytest.fixture(scope="session")
        def four():
            return box.double(2)
        def test_first(request):
            assert request.getfixturevalue("four") == 4
        def test_second(request):
            assert request.getfixturevalue("four") == 4
        """,
        "double",
        "2 * x",
        "3 * x",
    ),
    "a server in a fixture of the session": (
        "def double(x):\n    return 2 * x\n",
        """
        import subprocess, sys, box, pytest
        CODE = "import box\\nfor line in iter(input, ''): print(box.double(int(line)), flush=True)"
        @pytest.fixture(scope="session")
        def server():
            pipe = subprocess.PIPE
            with subprocess.Popen([sys.executable, "-c", CODE], stdin=pipe, stdout=pipe, text=True) as process:
                yield process
                process.kill()
        def ask(server, text):
            server.stdin.write(text + "\\n")
            server.stdin.flush()
            return server.stdout.readline().strip()
        def test_first(server):
            assert box.double(0) == 0
            assert ask(server, "0") == "0"
        def test_second(server):
            assert ask(server, "2") == "4"
        """,
        "double",
        "2 * x",
        "2 * x if x < 2 else 5",
    ),
    "a spawned process": (
        "def double(x):\n    return 2 * x\n",
        """
        import multiprocessing, box
        def test_it():
            assert box.double(0) == 0
            with multiprocessing.get_context("spawn").Pool(1) as pool:
                assert pool.map(box.double, [2]) == [4]
        """,
        "double",
        "2 * x",
        "2 * x if x < 2 else 5",
    ),
    "a process in the folder of the source": (
        "def double(x):\n    return 2 * x\n",
        """
        import os, subprocess, sys, box
        def test_it():
            assert box.double(0) == 0
            code, where = "import box; print(box.double(2))", os.path.dirname(box.__file__)
            out = subprocess.run([sys.executable, "-c", code], cwd=where, capture_output=True, check=True)
            assert out.stdout.strip() == b"4"
        """,
        "double",
        "2 * x",
        "2 * x if x < 2 else 5",
    ),
    "a unittest.TestCase": (
        "def double(x):\n    return 2 * x\n",
        """
        import unittest, box
        class TestDouble(unittest.TestCase):
            def test_it(self):
                self.assertEqual(box.double(2), 4)
        """,
        "double",
        "2 * x",
        "3 * x",
    ),
    "an error that cannot be written": (
        "class Bad(Exception):\n    def __str__(self):\n        return self.args[1]\n"
        "def double(x):\n    return 2 * x\n",
        "import box\ndef test_it():\n    assert box.double(2) == 4\n",
        "double",
        "return 2 * x",
        "raise Bad(x)",
    ),
    "an error with half a character": (
        "def double(x):\n    return 2 * x\n",
        "import box\ndef test_it():\n    assert box.double(2) == 4\n",
        "double",
        "return 2 * x",
        "raise ValueError(chr(0xDCFF))",
    ),
    "a module that is imported by a test": (
        "def double(x):\n    return 2 * x\nTWO = double(1)\n",
        "def test_it():\n    import box\n    assert box.double(2) == 4\n",
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


def test_another_sitecustomize_still_runs_in_the_processes_of_a_test(tmp_path: Path) -> None:
    from acidtest.mutants.install import write_overlay

    overlay, other = tmp_path / "overlay", tmp_path / "other"
    overlay.mkdir()
    other.mkdir()
    (other / "sitecustomize.py").write_text("import builtins\nbuiltins.seen = True\n")
    (other / "inner.py").write_text("x = 1\n")
    write_overlay(overlay, "inner", other / "inner.py", "x = 2\n")
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(overlay), str(other)])}
    code = "import inner; print(inner.x, seen)"
    out = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    assert out.stdout.split() == ["2", "True"]
