"""The vocabulary of exact laws."""

from fractions import Fraction

import pytest

from acidtest.properties.dist import UNITS, Dist, exact, in_units, mix, normalize, over_ids, total_variation

HALF = Fraction(1, 2)


def test_an_outcome_without_mass_is_as_good_as_absent() -> None:
    assert Dist({"a": 1, "b": 0}) == Dist({"a": 1})
    assert len(over_ids([0.5, 0.0, 0.5])) == 2
    assert over_ids([0.5, 0.0, 0.5])[1] == 0
    assert over_ids([1.0])[17] == 0


def test_masses_that_are_no_law_are_refused() -> None:
    with pytest.raises(ValueError, match="sum to 3/4, not 1"):
        Dist({"a": HALF, "b": Fraction(1, 4)})
    with pytest.raises(ValueError, match="'b' has mass -1/2, below 0"):
        Dist({"a": Fraction(3, 2), "b": -HALF})
    with pytest.raises(ValueError, match="sum to 0 cannot be normalized"):
        normalize({"a": 0})


def test_floats_count_as_the_rationals_they_are() -> None:
    assert exact([0.1]) == (Fraction(3602879701896397, 2**55),)
    assert over_ids([0.375, 0.625])[0] == Fraction(3, 8)
    with pytest.raises(ValueError, match="not 1"):
        over_ids([0.1] * 10)


def test_floats_are_whole_in_units_of_the_smallest() -> None:
    values = [0.0, -0.0, 5e-324, -0.1, 1 / 3, 1.0, 2.0**-500, 1e308]
    assert [Fraction(number, UNITS) for number in in_units(values)] == [*exact(values)]
    for bad, error in ((float("nan"), ValueError), (float("inf"), OverflowError), ("one", ValueError)):
        for way in (exact, in_units):
            with pytest.raises(error):
                way([bad])  # type: ignore[list-item]


def test_normalize_divides_by_the_sum() -> None:
    assert normalize({"a": 1, "b": 3}) == Dist({"a": Fraction(1, 4), "b": Fraction(3, 4)})
    assert normalize({"a": 0.1, "b": 0.1}) == Dist({"a": HALF, "b": HALF})


def test_events_conditions_and_images_keep_the_mass() -> None:
    law = over_ids([0.5, 0.25, 0.25])
    assert law.of(lambda index: index > 0) == HALF
    assert law.given(lambda index: index > 0) == Dist({1: HALF, 2: HALF})
    assert law.image(lambda index: index % 2) == Dist({0: Fraction(3, 4), 1: Fraction(1, 4)})
    with pytest.raises(ValueError, match="cannot be normalized"):
        law.given(lambda index: index > 2)


def test_mixing_is_choosing_a_part_first() -> None:
    parts = [(Fraction(1, 4), Dist({"a": 1})), (Fraction(3, 4), Dist({"a": HALF, "b": HALF}))]
    assert mix(parts) == Dist({"a": Fraction(5, 8), "b": Fraction(3, 8)})
    with pytest.raises(ValueError, match="not 1"):
        mix(parts[:1])


def test_total_variation_is_the_largest_disagreement_on_an_event() -> None:
    a, b = over_ids([0.5, 0.25, 0.25]), over_ids([0.25, 0.5, 0.0, 0.25])
    events = [{index for index in range(4) if mask >> index & 1} for mask in range(16)]
    largest = max(abs(sum((a[index] - b[index] for index in event), Fraction(0))) for event in events)
    assert total_variation(a, b) == total_variation(b, a) == largest == HALF
    assert total_variation(a, a) == 0
    assert total_variation(over_ids([1.0]), over_ids([0.0, 1.0])) == 1
