"""A list's text makes the same list again, and says what is repeated once."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acidtest.mutants.repetition import list_text


@pytest.mark.parametrize(
    ("values", "text"),
    [
        ([], "[]"),
        ([0.5, 0.1], "[0.5, 0.1]"),
        ([0.5] * 24, f"[{', '.join(['0.5'] * 24)}]"),
        ([0.5, 0.1] * 9999 + [0.5, 0.9], "[0.5, 0.1] * 9999 + [0.5, 0.9]"),
        ([1] + [2, 3, 4] * 20 + [5] * 30, "[1] + [2, 3, 4] * 20 + [5] * 30"),
        (list(range(30)), f"[{', '.join(map(str, range(30)))}]"),
    ],
    ids=["empty", "short", "just short enough", "long", "several", "nothing repeated"],
)
def test_what_is_repeated_is_said_once(values: list[object], text: str) -> None:
    assert list_text([repr(value) for value in values]) == text


@given(st.lists(st.tuples(st.lists(st.integers(0, 2), min_size=1, max_size=9), st.integers(1, 12)), max_size=6))
def test_the_text_makes_the_list_again(runs: list[tuple[list[int], int]]) -> None:
    values = [value for unit, times in runs for value in unit * times]
    assert eval(list_text([repr(value) for value in values])) == values
