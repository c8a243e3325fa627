"""Scripted and counted uniforms."""

import random

import pytest

from acidtest.properties.sources import CountingSource, ScriptedSource


def test_a_script_is_read_in_order_and_not_beyond_its_end() -> None:
    rng = ScriptedSource([0.25, 0.75])
    assert [rng.random(), rng.random()] == [0.25, 0.75]
    assert rng.drawn == 2
    with pytest.raises(AssertionError, match="after all 2 of the script"):
        rng.random()


def test_what_comes_of_a_script_can_be_told_without_drawing_it() -> None:
    rng = ScriptedSource([0.25, 0.75, 0.5])
    assert rng.coming(2) == (0.25, 0.75)
    assert rng.drawn == 0
    assert rng.random() == 0.25
    assert rng.coming(8) == (0.75, 0.5)
    assert [rng.random(), rng.random()] == [0.75, 0.5]
    assert rng.coming(8) == ()


def test_counting_changes_nothing_but_the_count() -> None:
    plain, counted = random.Random(3), CountingSource(random.Random(3))
    assert [counted.random() for _ in range(5)] == [plain.random() for _ in range(5)]
    assert counted.drawn == 5
