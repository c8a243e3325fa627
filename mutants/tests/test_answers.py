"""Two answers have the same text exactly where a caller cannot tell them apart."""

import warnings
from collections import namedtuple
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from acidtest.mutants.answers import answer, describe

Point = namedtuple("Point", "x y")


class NarrowError(ValueError):
    """An error more special than the contract's."""


class Source:
    """A source of uniforms that counts."""

    def __init__(self) -> None:
        self.drawn = 3

    def random(self) -> float:
        """Return a half."""
        self.drawn += 1
        return 0.5


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (True, "True"),
        (np.True_, "np.True_"),
        (1, "1"),
        (0.5, "0.5"),
        (-0.0, "-0.0"),
        (0.1 + 0.2, "0.30000000000000004"),
        (np.float64(0.5), "np.float64(0.5)"),
        (np.int64(2), "np.int64(2)"),
        (float("nan"), "nan"),
        (None, "None"),
        ("a'b", '"a\'b"'),
        ([0.5, 0.5], "[0.5, 0.5]"),
        ((1, False), "(1, False)"),
        ((1,), "(1,)"),
        ([np.float64(0.5)], "[np.float64(0.5)]"),
        (Point(1, 2), "Point(1, 2)"),
        ({"a": [1]}, "{'a': [1]}"),
        ({2, 1}, "set(1, 2)"),
        (np.array([0.5, 0.0]), "array([0.5, 0.0])"),
        (np.array([0.5, 0.5], dtype=np.float32), "array([0.5, 0.5], dtype=float32)"),
        (np.array([1, 2]), "array([1, 2], dtype=int64)"),
        (np.array([[0.5], [0.5]]), "array([[0.5], [0.5]])"),
        (np.array(0.5), "array(0.5)"),
        (np.zeros(0), "array([])"),
        (np.zeros((0, 3)), "array([], shape=(0, 3))"),
        (np.array(["a"], dtype=object), "array(['a'], dtype=object)"),
    ],
)
def test_values_are_written_with_their_types(value: object, text: str) -> None:
    assert describe(value) == text


def test_no_two_unlike_values_share_a_text() -> None:
    values: list[Any] = [0, 0.0, -0.0, False, np.False_, np.float64(0), np.float32(0), np.int64(0), "0", b"0", None]
    values += [[0], (0,), np.array([0]), np.array([0.0]), np.array([-0.0]), np.array(0.0), [0.0], {0}, {0: 0}]
    values += [np.array([0.0], dtype=np.float32), [[0]], np.array([[0.0]]), Point(0, 0), (0, 0)]
    texts = [describe(value) for value in values]
    assert len(set(texts)) == len(texts)


def test_objects_are_written_without_their_address() -> None:
    assert describe(Source()) == describe(Source())


@pytest.mark.parametrize("bits", [1, 3, 2**51, 2**52 - 1])
def test_floats_that_differ_in_one_bit_differ_in_text(bits: int) -> None:
    one = 1.0 + bits * 2.0**-52
    assert describe(np.array([one])) != describe(np.array([np.nextafter(one, 2.0)]))
    assert float(describe(one)) == one


def test_errors_are_named_by_the_nearest_class_of_the_contract() -> None:
    def fails() -> None:
        raise NarrowError("text that does not count")

    assert answer(fails, {}, (ValueError,)) == "raises ValueError"
    assert answer(fails, {}, (ValueError, NarrowError)) == "raises NarrowError"
    assert answer(fails, {}, (KeyError,)) == "raises NarrowError"
    assert answer(fails, {}) == "raises NarrowError"


def test_keyboard_interrupt_is_no_answer() -> None:
    def interrupted() -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        answer(interrupted, {})


def _itself(p: Any) -> Any:
    return p


def _view(p: Any) -> Any:
    return p[1:]


def _inside(p: Any) -> Any:
    return (1, p[::-1])


def _copied(p: Any) -> Any:
    return p.copy()


@pytest.mark.parametrize(("function", "shares"), [(_itself, True), (_view, True), (_inside, True), (_copied, False)])
def test_shared_memory_is_told(function: Callable[..., object], shares: bool) -> None:
    assert answer(function, {"p": np.array([0.5, 0.5])}).endswith("; shares p") is shares


def test_lists_are_shared_as_objects() -> None:
    assert answer(_itself, {"p": [0.5]}) == "[0.5]; shares p"
    assert answer(_copied, {"p": [0.5]}) == "[0.5]"


def test_changed_arguments_are_told_after_errors_too() -> None:
    def spoils(p: Any, q: Any) -> None:
        p[0] = -0.0
        raise ValueError

    assert answer(spoils, {"p": np.zeros(2), "q": np.zeros(1)}) == "raises ValueError; p after = array([-0.0, 0.0])"
    assert answer(spoils, {"p": [0.0], "q": [0.0]}) == "raises ValueError; p after = [-0.0]"


def test_uniforms_are_counted_from_the_call_on() -> None:
    def draws(rng: Source) -> float:
        return rng.random() + rng.random()

    assert answer(draws, {"rng": Source()}) == "1.0; drew 2"


def test_warnings_are_told_once_by_class_even_where_warnings_are_errors() -> None:
    def warns() -> int:
        warnings.warn("one", RuntimeWarning, stacklevel=1)
        warnings.warn("two", RuntimeWarning, stacklevel=1)
        warnings.warn("three", DeprecationWarning, stacklevel=1)
        return 1

    assert answer(warns, {}) == "1; warned DeprecationWarning; warned RuntimeWarning"
    assert answer(warns, {}) == "1; warned DeprecationWarning; warned RuntimeWarning"
