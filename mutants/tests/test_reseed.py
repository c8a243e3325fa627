"""A test that seeds its own generator can be run with other draws, and only its draws change."""

import random
from pathlib import Path

import numpy as np

from acidtest.mutants.reseed import outcomes

TEXT = """
import random
import numpy as np

def test_first_number():
    assert random.Random(5).random() == {number!r}

def test_array():
    assert np.random.default_rng(5).random() == {other!r}

def test_luck():
    assert random.Random(7).random() < 0.5

def test_broken():
    random.Random(7)
    raise KeyError("no judgement")
"""


def test_the_first_shift_adds_nothing_and_the_next_ones_draw_anew(tmp_path: Path) -> None:
    file = tmp_path / "test_seeded_by_itself.py"
    number, other = random.Random(5).random(), float(np.random.default_rng(5).random())
    file.write_text(TEXT.format(number=number, other=other))
    assert outcomes(str(file), "test_first_number", 0, 4) == ".FFF"
    assert outcomes(str(file), "test_array", 0, 4) == ".FFF"
    luck = outcomes(str(file), "test_luck", 1, 60)
    assert luck == outcomes(str(file), "test_luck", 1, 60)
    assert 12 < luck.count(".") < 48
    assert outcomes(str(file), "test_broken", 1, 2) == "EE"
    assert random.Random(5).random() == number
