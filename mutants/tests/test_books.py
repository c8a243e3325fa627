"""The books of arrays, where arrays are lost at the worst moment."""

import gc
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from acidtest.mutants.sandbox.books import Book


@pytest.fixture
def threshold() -> Iterator[None]:
    before = gc.get_threshold()
    yield
    gc.set_threshold(*before)
    gc.enable()


@pytest.mark.usefixtures("threshold")
def test_arrays_that_are_collected_while_changes_are_looked_for_are_just_gone() -> None:
    """Wherever the garbage collector steps in: arrays in cycles are lost while their book is walked through."""
    pairs: list[Any] = []
    for step in range(1, 40, 3):
        book = Book(holds=False)
        kept = [np.zeros(2) for _ in range(20)]
        gc.disable()
        for array in kept:
            cycle: list[Any] = [np.zeros(2)]
            cycle.append(cycle)
            book.enter(cycle[0])
            book.enter(array)
        del cycle
        pairs.clear()
        pairs += [(step, array) for array in kept * 150]  # so that no pair is made of an old one
        gc.set_threshold(gc.get_count()[0] + step, 1, 1)
        gc.enable()
        assert book.changes([]) == []
        assert sum(1 for _ in book.owners()) >= len(kept)
        gc.collect()
        book.settle()
        assert len(book.entries) == len(kept)


def test_an_array_in_the_place_of_one_that_is_gone_is_a_stranger() -> None:
    book = Book(holds=False)
    for _ in range(200):
        array = np.zeros(2)
        assert book.number_of(array) is None
        book.enter(array)
        assert book.number_of(array) is not None
        del array
    assert book.changes([]) == []
    assert len(book.gone) == 200


def test_an_array_of_before_a_restart_is_no_loss_after_it() -> None:
    book = Book(holds=False)
    old, new = np.zeros(2), np.zeros(2)
    book.enter(old)
    book.restart()
    book.enter(new)
    del old
    assert book.number_of(new) == 0
    assert book.array(0) is new
    assert book.gone == []
