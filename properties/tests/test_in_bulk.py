"""Calls in bulk and ahead, of a function that knows nothing of it and of one that has its own way."""

from collections.abc import Iterable, Sequence
from typing import Any

import pytest

from acidtest.properties.bulk import ahead, in_bulk


def test_an_ordinary_function_is_called_in_turn_until_it_raises() -> None:
    called: list[tuple[int, ...]] = []

    def add(*numbers: int) -> int:
        called.append(numbers)
        if numbers == (0,):
            raise ValueError("no number")
        return sum(numbers)

    assert in_bulk(add, iter([(1, 2), (3,), ()])) == [3, 3, 0]
    assert called == [(1, 2), (3,), ()]
    with pytest.raises(ValueError, match="no number"):
        in_bulk(add, [(1,), (0,), (2,)])
    assert called[3:] == [(1,), (0,)]


def test_a_function_that_has_its_own_way_is_left_to_do_so() -> None:
    class Doubling:
        def __call__(self, number: int) -> int:
            raise AssertionError("called alone")

        def in_bulk(self, calls: Iterable[Sequence[Any]]) -> list[int]:
            return [2 * number for (number,) in calls]

    assert in_bulk(Doubling(), [(1,), (2,)]) == [2, 4]


def test_an_ordinary_function_is_not_called_ahead() -> None:
    def fail(number: int) -> int:
        raise AssertionError("called ahead")

    assert ahead(fail, ((number,) for number in range(3))) is None


def test_a_function_that_can_be_called_ahead_says_whether_it_was() -> None:
    class Doubling:
        def __call__(self, number: int) -> int:
            raise AssertionError("called alone")

        def ahead(self, calls: Iterable[Sequence[Any]]) -> list[int] | None:
            numbers = [number for (number,) in calls]
            return None if 0 in numbers else [2 * number for number in numbers]

    assert ahead(Doubling(), [(1,), (2,)]) == [2, 4]
    assert ahead(Doubling(), [(1,), (0,)]) is None
