"""Measuring where a black box gives which answer."""

import random
from collections.abc import Callable

import pytest

from acidtest.properties.rectangles import SCATTERED, Rectangle, UndecidedError, first_points, measure

SQUARE = Rectangle(0, 99, 0, 99)


def test_a_constant_square_is_asked_five_times() -> None:
    asked = []
    assert measure(lambda k, j: asked.append((k, j)), [SQUARE]) == {None: 10_000}
    assert sorted(asked) == [(0, 0), (0, 99), (49, 49), (99, 0), (99, 99)]


def test_the_first_points_are_those_that_a_constant_cell_is_asked_for() -> None:
    for cell in (Rectangle(0, 9, 3, 8), Rectangle(2, 2, 0, 7), Rectangle(4, 4, 4, 4)):
        asked: list[tuple[int, int]] = []
        measure(lambda k, j: asked.append((k, j)), [cell])  # noqa: B023 - called at once
        assert sorted(asked) == sorted({*first_points(cell)})


def test_steps_along_both_axes_are_found_to_the_point() -> None:
    def decide(k: int, j: int) -> str:
        return "kept" if k < 37 else f"drawn {(j >= 3) + (j >= 71)}"

    assert measure(decide, [SQUARE]) == {"kept": 3700, "drawn 0": 63 * 3, "drawn 1": 63 * 68, "drawn 2": 63 * 29}


def test_random_grids_are_measured_as_by_counting() -> None:
    rng = random.Random(7)
    for _ in range(5):
        across, up = sorted(rng.sample(range(100), 3)), sorted(rng.sample(range(100), 3))

        def decide(k: int, j: int, across: list[int] = across, up: list[int] = up) -> tuple[int, int]:
            return sum(k >= cut for cut in across), sum(j >= cut for cut in up)

        counted: dict[tuple[int, int], int] = {}
        for k in range(100):
            for j in range(100):
                counted[decide(k, j)] = counted.get(decide(k, j), 0) + 1
        assert measure(decide, [SQUARE]) == counted


def test_an_island_in_the_middle_is_seen() -> None:
    def decide(k: int, j: int) -> bool:
        return 30 <= k < 70 and 30 <= j < 70

    assert measure(decide, [SQUARE]) == {True: 1600, False: 8400}


def test_given_cells_are_asked_on_both_sides_of_their_border() -> None:
    cells = SQUARE.cut_before(50)
    assert measure(lambda k, j: k >= 50, cells) == {False: 5000, True: 5000}
    assert measure(lambda k, j: k >= 51, cells) == {False: 5100, True: 4900}
    assert measure(lambda k, j: k >= 49, cells) == {False: 4900, True: 5100}


def test_a_slanted_border_is_undecided_and_never_a_number() -> None:
    with pytest.raises(UndecidedError, match="still changes within a cell"):
        measure(lambda k, j: k + j >= 2**53, [Rectangle(0, 2**53 - 1, 0, 2**53 - 1)])


@pytest.mark.parametrize("make", [object, lambda: [object()]], ids=["objects", "that-have-no-hash"])
def test_answers_of_which_no_two_are_equal_are_given_up_soon(make: Callable[[], object]) -> None:
    asked = []

    def decide(k: int, j: int) -> object:
        asked.append((k, j))
        return make()

    with pytest.raises(UndecidedError, match="no two of 256 points"):
        measure(decide, [Rectangle(0, 2**53 - 1, 0, 2**53 - 1)])
    assert len(asked) == SCATTERED


def test_two_equal_answers_are_enough_to_go_on() -> None:
    answers = iter([1, *range(1, 1000)])
    with pytest.raises(UndecidedError, match="after 400 calls"):
        measure(lambda k, j: next(answers), [Rectangle(0, 2**53 - 1, 0, 2**53 - 1)], max_calls=400)
