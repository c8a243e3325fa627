"""What the recorder of calls takes down, lets pass, and admits that it may have missed."""

import threading
import types
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from acidtest.mutants.callbook import Recorder, leading

Meanwhile = list[Callable[[], object]]
MEANWHILE: Meanwhile = []
"""What happens while ``outer`` runs, besides what it does by itself."""


def outer(x: Any) -> Any:
    for work in MEANWHILE:
        work()
    return inner(x) + 1


def inner(x: Any) -> Any:
    return x


@contextmanager
def recording(*functions: Any) -> Iterator[Recorder]:
    names: dict[tuple[str, str], types.FunctionType] = {("here", function.__name__): function for function in functions}
    recorder = Recorder(dict.fromkeys(names, lambda: True), {name: {} for name in names})
    codes = {function: function.__code__ for function in functions}
    for name, function in names.items():
        function.__code__ = recorder.leading(name, function, leading(function))
    try:
        yield recorder
    finally:
        for function, code in codes.items():
            function.__code__ = code
        MEANWHILE.clear()


def calls(recorder: Recorder) -> dict[str, tuple[int, int, bool]]:
    """Return each function's calls: all that counted, how many different ones, and whether it is opaque."""
    record = recorder.record()
    assert record is not None
    return {name: (seen.total, len(seen.calls), seen.opaque) for (_, name), seen in record.items()}


def test_calls_within_a_call_that_was_made_before_are_not_looked_at() -> None:
    with recording(outer, inner) as recorder:
        outer(1)  # before the first test: nobody listens
        recorder.begin()
        assert [outer(x) for x in (1, 2, 1, 1)] == [2, 3, 2, 2]
        inner(7)
        assert calls(recorder) == {"outer": (4, 2, False), "inner": (3, 3, False)}
        recorder.begin()
        assert calls(recorder) == {}


def test_a_function_that_cannot_be_told_of_passes_by_and_others_do_not() -> None:
    with recording(outer, inner) as recorder:
        recorder.begin()
        outer(1)
        with pytest.raises(TypeError):
            outer(object())
        outer(5)
        assert calls(recorder) == {"outer": (2, 0, True), "inner": (2, 0, True)}
        recorder.begin()
        outer(2)
        assert calls(recorder) == {"outer": (1, 1, False), "inner": (1, 1, False)}


def test_so_many_calls_are_told_of_and_no_more() -> None:
    with recording(inner) as recorder:
        recorder.begin()
        assert [inner(x) for x in range(1000)] == [*range(1000)]
        assert calls(recorder) == {"inner": (301, 0, True)}


def test_who_calls_meanwhile_makes_the_record_worthless() -> None:
    with recording(outer, inner) as recorder:
        recorder.begin()
        outer(1)
        MEANWHILE.append(lambda: inner(5))
        outer(1)
        assert recorder.record() is None


def test_a_thread_within_a_known_call_makes_the_record_worthless() -> None:
    reached, go_on = threading.Event(), threading.Event()

    def wait() -> None:
        reached.set()
        go_on.wait(10)

    with recording(outer, inner) as recorder:
        recorder.begin()
        outer(1)
        MEANWHILE.append(wait)
        thread = threading.Thread(target=outer, args=(1,))
        thread.start()
        reached.wait(10)
        inner(5)
        assert recorder.record() is None
        recorder.begin()
        inner(6)
        assert calls(recorder) == {"inner": (1, 1, False)}
        go_on.set()
        thread.join()
        assert recorder.record() is None, "who knows what it called"


@pytest.mark.parametrize("argument", [0.0, -0.0, 1, True, "1"])
def test_arguments_that_differ_are_different_calls(argument: object) -> None:
    with recording(inner) as recorder:
        recorder.begin()
        for other in (0.0, -0.0, 1, True, "1", 1.0):
            inner(other)
        inner(argument)
        assert calls(recorder) == {"inner": (7, 6, False)}
