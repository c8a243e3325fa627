"""Marks in the target: they say what a tracer says, of every kind of statement, and leave a function as it was."""

import gc
import importlib.util
import sys
import threading
import types
from collections.abc import Callable, Coroutine, Iterator
from pathlib import Path

import pytest

from acidtest.mutants.probes import NoProbesError, Probes
from acidtest.mutants.reach import Reach

EVERYTHING = '''\
"""A module with every kind of statement."""

import contextlib
import functools


def kept(function):
    """A docstring."""

    @functools.wraps(function)
    def inner(*args):
        return function(*args)

    return inner


@kept
def choose(
    x,
    limit=3,
):
    """Another one."""
    if x > limit:
        return "more"
    elif (
        x
        == limit
    ):
        return "equal"
    else:
        pass
    return [
        item
        for item in range(x)
        if item
    ]


class Counter:
    total = 0

    @staticmethod
    def loop(n):
        found = 0
        while n:
            n -= 1
            if n == 1:
                continue
            found += n
        else:
            found += 100
        for i in range(2):
            if i:
                break
        else:
            found = None
        return found

    @property
    def size(self):
        return self.total

    def attempt(self, what):
        global LAST
        LAST = what
        try:
            value = 1 / what
        except ZeroDivisionError:
            value = 0
        except TypeError as error:
            value = str(error)
        else:
            value += 1
        finally:
            self.total += 1
        with contextlib.suppress(ValueError), contextlib.suppress(KeyError):
            raise ValueError
        return value

    def sort_of(self, thing):
        match thing:
            case int():
                return "int"
            case [first, *_] if first:
                return "list"
            case _:
                def inside():
                    nonlocal thing
                    thing = 2
                    return thing
                class Local:
                    value = inside()
                return Local.value


def numbers(n):
    for i in range(n):
        yield i
    yield from (j for j in range(2))


async def later(x):
    await nothing()
    return x


async def nothing():
    assert True
    return


twice = lambda x: x * 2
'''
CALLS: list[Callable[[types.ModuleType], object]] = [
    lambda m: m.choose(5),
    lambda m: m.choose(3),
    lambda m: m.choose(2),
    lambda m: m.Counter.loop(0),
    lambda m: m.Counter.loop(4),
    lambda m: m.Counter().attempt(0),
    lambda m: m.Counter().attempt(2),
    lambda m: m.Counter().attempt("x"),
    lambda m: m.Counter().size,
    lambda m: m.Counter().sort_of(1),
    lambda m: m.Counter().sort_of([1, 2]),
    lambda m: m.Counter().sort_of("text"),
    lambda m: list(m.numbers(2)),
    lambda m: m.numbers(2),
    lambda m: _finish(m.later(1)),
    lambda m: m.twice(1),
]


def _finish(coroutine: Coroutine[object, object, object]) -> object:
    with pytest.raises(StopIteration) as end:
        coroutine.send(None)
    return end.value.value


@pytest.fixture
def module(tmp_path: Path) -> Iterator[types.ModuleType]:
    path = tmp_path / "everything.py"
    path.write_text(EVERYTHING)
    spec = importlib.util.spec_from_file_location("everything", path)
    assert spec is not None
    assert spec.loader is not None
    loaded = importlib.util.module_from_spec(spec)
    sys.modules["everything"] = loaded
    spec.loader.exec_module(loaded)
    yield loaded
    del sys.modules["everything"]


def _files(module: types.ModuleType) -> dict[str, str]:
    return {"everything": str(module.__file__)}


def _traced(module: types.ModuleType, call: Callable[[types.ModuleType], object]) -> set[int]:
    reach = Reach(_files(module))
    reach.start()
    reach.switch("test")
    call(module)
    reach.stop()
    return set(reach.lines().get("test", {}).get("everything", ()))


def _numbers(*begins: str) -> set[int]:
    return {number for number, line in enumerate(EVERYTHING.splitlines(), 1) if line.strip().startswith(begins)}


SILENT = _numbers("pass", "global", "nonlocal", "elif (")
"""Statements of which a tracer says nothing, or the line after."""
WITHIN = _numbers("== limit", "item", "for item", "if item", "):", "]", "except", "case", "@functools", "twice")
WITHIN |= {number for number, line in enumerate(EVERYTHING.splitlines(), 1) if line.strip() == "x"}
"""Lines that a tracer reports within a statement; a lambda is a part of the one that makes it."""


@pytest.mark.parametrize("number", range(len(CALLS)))
def test_marks_say_what_a_tracer_says(module: types.ModuleType, number: int) -> None:
    traced = _traced(module, CALLS[number])
    probes = Probes(_files(module))
    probes.start()
    probes.switch("test")
    CALLS[number](module)
    marked = set(probes.lines().get("test", {}).get("everything", ()))
    assert marked - SILENT == traced - SILENT - WITHIN


def test_a_marked_function_answers_as_before(module: types.ModuleType) -> None:
    before = [repr(call(module)) for call in CALLS if call is not CALLS[13]]
    doc, lines = module.choose.__doc__, module.choose.__wrapped__.__code__.co_firstlineno
    Probes(_files(module)).start()
    assert [repr(call(module)) for call in CALLS if call is not CALLS[13]] == before
    assert (module.choose.__doc__, module.choose.__wrapped__.__code__.co_firstlineno) == (doc, lines)
    assert isinstance(hash(module.choose.__wrapped__.__code__), int)


def test_every_context_has_its_own_marks(module: types.ModuleType) -> None:
    probes = Probes(_files(module))
    probes.start()
    for context, number in (("draw|t", 0), ("test|t", 3), ("draw|t", 1)):
        probes.switch(context)
        CALLS[number](module)
    lines = probes.lines()
    assert set(lines) == {"draw|t", "test|t"}
    assert set(lines["draw|t"]["everything"]) == _both(module, 0, 1)


def _both(module: types.ModuleType, *numbers: int) -> set[int]:
    return set().union(*(_traced(module, CALLS[number]) for number in numbers)) - WITHIN


def test_nothing_is_marked_before_the_start(module: types.ModuleType) -> None:
    probes = Probes(_files(module))
    CALLS[0](module)
    assert probes.lines() == {}


def test_marks_are_seen_from_every_thread(module: types.ModuleType) -> None:
    probes = Probes(_files(module))
    probes.start()
    thread = threading.Thread(target=lambda: CALLS[3](module))
    thread.start()
    thread.join()
    assert probes.lines()[""]["everything"]
    assert not probes.lost()


def test_a_function_kept_under_another_name_is_marked(module: types.ModuleType) -> None:
    held = module.Counter.loop
    del module.Counter.loop
    probes = Probes(_files(module))
    probes.start()
    held(1)
    assert probes.lines()[""]["everything"]


def test_a_function_that_was_set_aside_for_a_fork_is_marked(module: types.ModuleType) -> None:
    gc.freeze()
    try:
        probes = Probes(_files(module))
    finally:
        gc.unfreeze()
    probes.start()
    CALLS[3](module)
    assert probes.lines()[""]["everything"]


def test_a_function_half_through_its_work_leaves_no_probes(module: types.ModuleType) -> None:
    suspended = module.numbers(3)
    next(suspended)
    with pytest.raises(NoProbesError, match="half through its work"):
        Probes(_files(module))
    assert list(suspended)


def test_code_that_is_not_the_file_s_leaves_no_probes(module: types.ModuleType) -> None:
    other = compile("def strange():\n    return 1\n", str(module.__file__), "exec")
    exec(other, vars(module))
    with pytest.raises(NoProbesError, match="strange is not as its file says"):
        Probes(_files(module))
