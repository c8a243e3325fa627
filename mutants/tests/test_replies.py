"""What came of two calls is the same only where a test that made them could not tell: what it can see."""

import math
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from acidtest.mutants.images import Image, made, of_arguments
from acidtest.mutants.replies import TooLongError, listening, reply

CONSTANT = 1234.5


def came_of(function: Callable[..., object], *args: Any) -> Image | None:
    """Return the reply to a call on copies of ``args``; the one constant there is is ``CONSTANT``."""
    with listening() as caught:
        return reply(function, made(of_arguments(args)), {id(CONSTANT): "CONSTANT"}, caught)


def _raises(error: Callable[..., BaseException]) -> Callable[[Any], object]:
    def function(x: Any) -> object:
        raise error(x)

    return function


def _through(x: Any) -> object:
    return _raises(ValueError)(x)


def _from(cause: BaseException | None) -> Callable[[Any], object]:
    def function(x: Any) -> object:
        raise ValueError from cause

    return function


def _after(first: Callable[[], BaseException], silent: bool = False) -> Callable[[Any], object]:
    def function(x: Any) -> object:
        try:
            raise first()
        except Exception:
            if silent:
                raise ValueError from None
            raise ValueError  # noqa: B904 - what comes of just this is what is asked

    return function


def _leaves(*what: Callable[[Any], Any]) -> Callable[[Any], Any]:
    def function(x: Any) -> Any:
        return [do(x) for do in what][-1]

    return function


def _twice(x: Any) -> Any:
    inner = [x]
    return inner, inner


def _kept_and_returned(x: Any) -> Any:
    inner = [1]
    x.append(inner)
    return inner


UNLIKE: list[tuple[Any, Callable[[Any], Any], Callable[[Any], Any]]] = [
    (1.5, lambda x: x, lambda x: x + 0.0),
    (10**30, lambda x: x, lambda x: x + 0),
    ("ab", lambda x: x, lambda x: x[:1] + x[1:]),
    ((1, [2]), lambda x: x, lambda x: (x[0], x[1])),
    ([1], lambda x: x, lambda x: x[:]),
    ([[1]], lambda x: [x[0], x[0]], lambda x: [x[0], x[0][:]]),
    (1, _twice, lambda x: ([x], [x])),
    (1, lambda x: CONSTANT, lambda x: float(f"{CONSTANT}")),
    (1, lambda x: [CONSTANT], lambda x: [float(f"{CONSTANT}")]),
    (1.5, lambda x: [x + x] * 2, lambda x: [x + x, x + x]),
    (np.ones(2), lambda x: [x, x], lambda x: [x, x.copy()]),
    (0.0, lambda x: x, lambda x: -x),
    (math.nan, lambda x: x, lambda x: -x),
    (1, lambda x: True, lambda x: 1),
    (1, lambda x: np.float64(x), lambda x: float(x)),
    (1, lambda x: np.longlong(x), lambda x: np.int64(x)),
    (np.ones(2), lambda x: x, lambda x: x.copy()),
    (np.ones(3), lambda x: x[1:], lambda x: x[:-1]),
    (np.ones(2), lambda x: (x.copy(), x[:1]), lambda x: (x.copy(), x[:1].copy())),
    (1, lambda x: np.zeros(3), lambda x: np.zeros(4)[1:]),
    (1, lambda x: np.zeros(4)[1:], lambda x: np.zeros(5)[2:]),
    (1, lambda x: np.zeros((1, 4)), lambda x: np.zeros((4, 1)).T),
    (1, lambda x: np.zeros(2, dtype="l"), lambda x: np.zeros(2, dtype="q")),
    ([], _kept_and_returned, lambda x: _leaves(_kept_and_returned)(x)[:]),
    ([[1]], _leaves(list.clear), _leaves(lambda x: x[0].append(2), list.clear)),
    ([np.ones(2)], _leaves(list.clear), _leaves(lambda x: x[0].fill(2), list.clear)),
    (np.ones(2), _leaves(lambda x: 1), _leaves(lambda x: x.fill(2), lambda x: 1)),
    ([1], _raises(ValueError), _raises(TypeError)),
    ([1], _raises(ValueError), _raises(lambda x: ValueError(x[:]))),
    ("a", _raises(ValueError), _raises(lambda x: ValueError("b"))),
    ("a", _raises(lambda x: OSError(2, "no", x)), _raises(lambda x: OSError(2, "no", "b"))),
    ("a", _raises(lambda x: ImportError(name=x)), _raises(lambda x: ImportError(name="b"))),
    (1, _raises(ValueError), _through),
    (1, _from(KeyError("a")), _from(KeyError("b"))),
    (1, _from(KeyError("a")), _from(None)),
    (1, _after(lambda: KeyError("a")), _after(lambda: KeyError("b"))),
    (1, _after(lambda: KeyError("a")), _after(lambda: KeyError("a"), silent=True)),
]


@pytest.mark.parametrize(("argument", "one", "other"), UNLIKE)
def test_what_a_test_could_tell_apart_is_not_the_same(
    argument: Any, one: Callable[[Any], Any], other: Callable[[Any], Any]
) -> None:
    assert came_of(one, argument) == came_of(one, argument) is not None
    assert came_of(other, argument) == came_of(other, argument) is not None
    assert came_of(one, argument) != came_of(other, argument)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (lambda x: x * 2.0, lambda x: x + x),
        (lambda x: [x, 1], lambda x: [x, 2 - 1]),
        (lambda x: CONSTANT, lambda x: CONSTANT),
        (lambda x: np.full(2, x), lambda x: np.array([x, x])),
        (lambda x: (x > 1, None, ""), lambda x: (x >= 1.1, None, "")),
    ],
)
def test_what_no_test_could_tell_apart_is_the_same(one: Callable[[Any], Any], other: Callable[[Any], Any]) -> None:
    assert came_of(one, 1.25) == came_of(other, 1.25) is not None


def _noted(x: Any) -> BaseException:
    error = ValueError(x)
    error.add_note("more")
    return error


def _recursive(x: Any) -> object:
    return _recursive(x)


@pytest.mark.parametrize(
    "function",
    [
        lambda x: iter([x]),
        lambda x: {x},
        lambda x: ValueError(x),
        lambda x: np.zeros(1) / 0.0,
        lambda x: np.array([1e-300]) * 1e-300,
        lambda x: warnings.warn("aloud", stacklevel=1),
        _raises(_noted),
        _raises(lambda x: ValueError(object())),
        _raises(lambda x: ExceptionGroup("many", [ValueError(x)])),
        _raises(KeyboardInterrupt),
        _raises(SystemExit),
        _raises(GeneratorExit),
        _raises(MemoryError),
        _recursive,
    ],
)
@pytest.mark.filterwarnings("ignore")
def test_what_is_not_told_in_full_is_never_the_same(function: Callable[[Any], Any]) -> None:
    assert came_of(function, 1) is None


def test_a_call_that_takes_too_long_is_no_answer() -> None:
    with pytest.raises(TooLongError):
        came_of(_raises(lambda x: TooLongError()), 1)


def test_another_error_that_nobody_should_catch_is_one() -> None:
    assert came_of(_raises(BaseException), 1) is not None
