"""What runs of the target before any test: all of it is recorded, and where something may be missing, every line is."""

import importlib
import importlib.util
import itertools
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from acidtest.mutants.collecting import Collecting
from acidtest.mutants.reach import Reach
from acidtest.mutants.tests import tiny

SOURCE = '''\
"""A module that works while it is imported."""


def double(x):
    if x > 100:
        return 0
    return [
        item
        for item in (x, x)
    ]


class Table:
    entries = double(1)

    def size(self):
        return len(self.entries)


def later():
    yield 1
    yield 2


HALF = later()
next(HALF)
'''
ALL = list(range(1, SOURCE.count("\n") + 1))
_numbers = itertools.count()


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, str]]:
    """Yield a module that is not imported yet, and its file."""
    name = f"collected_{next(_numbers)}"
    path = tmp_path / f"{name}.py"
    path.write_text(SOURCE)
    monkeypatch.syspath_prepend(str(tmp_path))
    before, tracer = list(sys.meta_path), sys.gettrace()
    yield {name: str(path)}
    sys.meta_path[:] = before
    sys.settrace(tracer)
    threading.settrace(None)
    sys.modules.pop(name, None)


def use(name: str) -> None:
    module = importlib.import_module(name)
    module.double(5)
    module.Table().size()
    next(module.HALF)


def seen(files: dict[str, str], work: Callable[[str], None]) -> list[int]:
    """Return the lines that are recorded of the module while ``work`` is done."""
    (name,) = files
    collecting = Collecting(files)
    collecting.start()
    work(name)
    collecting.stop()
    return collecting.lines().get(name, [])


def test_the_same_lines_are_recorded_as_by_coverage(files: dict[str, str]) -> None:
    (name,) = files
    reach = Reach(files)
    reach.start()
    use(name)
    reach.stop()
    del sys.modules[name]
    lines = seen(files, use)
    assert lines == reach.lines()[""][name]
    assert SOURCE.splitlines().index("        return 0") + 1 not in lines


def test_nothing_is_traced_before_the_first_import(files: dict[str, str]) -> None:
    tracers = []

    def work(name: str) -> None:
        tracers.append(sys.gettrace())
        importlib.import_module("colorsys")
        tracers.append(sys.gettrace())
        use(name)
        tracers.append(sys.gettrace())

    sys.settrace(None)
    seen(files, work)
    assert tracers[:2] == [None, None]
    assert tracers[2] is not None
    assert sys.gettrace() is None


def test_a_module_that_is_never_imported_has_no_lines(files: dict[str, str]) -> None:
    assert seen(files, lambda _: None) == []


def by_hand(name: str) -> None:
    """Import behind the back of whoever looks at ``sys.meta_path``."""
    spec = importlib.util.spec_from_file_location(name, Path(sys.path[0]) / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    sys.modules[name] = module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)


def in_a_thread(name: str) -> None:
    thread = threading.Thread(target=use, args=(name,))
    thread.start()
    thread.join()


def under_another_tracer(name: str) -> None:
    use(name)
    sys.settrace(lambda *_: None)


@pytest.mark.parametrize("work", [by_hand, in_a_thread, under_another_tracer])
def test_where_something_may_be_missing_every_line_counts(files: dict[str, str], work: Callable[[str], None]) -> None:
    assert seen(files, work) == ALL


def test_a_module_that_was_there_before_counts_with_every_line(files: dict[str, str]) -> None:
    (name,) = files
    importlib.import_module(name)
    assert seen(files, use) == ALL


def test_a_thread_that_runs_before_the_import_is_followed(files: dict[str, str]) -> None:
    def work(name: str) -> None:
        ready, over = threading.Event(), threading.Event()

        def wait() -> None:
            ready.wait(10)
            sys.modules[name].double(200)
            over.set()

        thread = threading.Thread(target=wait)
        thread.start()
        importlib.import_module(name)
        ready.set()
        assert over.wait(10)
        thread.join()

    assert SOURCE.splitlines().index("        return 0") + 1 in seen(files, work)


def test_a_tracer_of_somebody_else_is_left_alone(files: dict[str, str]) -> None:
    def other(*_: object) -> None:
        return None

    seen(files, lambda name: sys.settrace(other))
    assert sys.gettrace() is other


IMPORTS = {
    "by name": "import box\n",
    "by hand": (
        "import importlib.util, pathlib, sys\n"
        "path = pathlib.Path(__file__).parents[1] / 'src' / 'box.py'\n"
        "spec = importlib.util.spec_from_file_location('box', path)\n"
        "sys.modules['box'] = box = importlib.util.module_from_spec(spec)\nspec.loader.exec_module(box)\n"
    ),
    "in a thread": (
        "import threading\nthread = threading.Thread(target=__import__, args=('box',))\n"
        "thread.start()\nthread.join()\nimport box\n"
    ),
}


@pytest.mark.parametrize("how", IMPORTS)
def test_what_was_computed_before_the_tests_is_computed_anew_on_a_variant(tmp_path: Path, how: str) -> None:
    tests = f"{IMPORTS[how]}FOUR = box.double(2)\ndef test_it():\n    assert FOUR == 4\n"
    box = tiny.workload(tmp_path, "def double(x):\n    return 2 * x\n", tests)
    wrong = tiny.variant(box, "wrong", "double", "2 * x", "3 * x")
    usual, plain = (tiny.run(box, wrong, prune=prune) for prune in (True, False))
    assert tiny.cells(usual) == tiny.cells(plain)
    if how != "by hand":
        assert tiny.outcomes(usual, "wrong") == {"test_it": "failed:assertion"}
