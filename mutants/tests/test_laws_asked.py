"""Laws asked of workers: measured beside the reference, none where nothing has one, kept for the next time."""

from fractions import Fraction
from pathlib import Path

import pytest

from acidtest.mutants.law_pictures import Laws, law_pictures
from acidtest.mutants.load import load_catalog, variant_of
from acidtest.mutants.model import Variant
from acidtest.mutants.workload import embedded
from acidtest.reports.kept_laws import KeptLaws

WORKLOAD = embedded()
CATALOG = {mutant.id: mutant for mutant in load_catalog(WORKLOAD.catalog)}


def variant(identifier: str) -> Variant:
    mutant = CATALOG[identifier]
    return variant_of(mutant, WORKLOAD.read(mutant.module))


@pytest.fixture(scope="module")
def asked() -> dict[str, Laws]:
    """Return the laws of one mutant of the step, one of the sampler, and one that has none."""
    names = ("s13", "s44", "s10")
    return {law.mutant: law for law in law_pictures(WORKLOAD, [variant(name) for name in names], seconds=60.0, jobs=2)}


def test_the_reference_stands_beside_the_mutant_and_adds_up_to_p(asked: dict[str, Laws]) -> None:
    data = asked["s13"].data
    assert data is not None
    assert data["function"] == "speculative_step"
    for place in (data["hand"], data["worst"]):
        for index, mass in enumerate(place["p"]):
            parts = [Fraction(part.get(str(index), 0)) for part in place["reference"].values()]
            assert sum(parts) == Fraction(mass)
        assert sum(Fraction(mass) for part in place["mutant"].values() for mass in part.values()) == 1
    assert data["hand"]["distance"] == "1/2"
    assert data["worst"]["distance"] == "1"
    assert 0 < data["tried"] <= data["places"]


def test_the_sampler_has_a_law_where_there_is_an_envelope(asked: dict[str, Laws]) -> None:
    data = asked["s44"].data
    assert data is not None
    assert data["function"] == "rejection_sample"
    assert "envelope" in data["hand"]["why"]
    assert Fraction(data["worst"]["distance"]) > Fraction(1, 2)


def test_a_function_that_puts_out_no_id_has_no_law_and_needs_no_reason(asked: dict[str, Laws]) -> None:
    assert asked["s10"] == Laws("s10", None, "")


def test_a_variant_that_cannot_be_imported_has_a_reason_in_place_of_a_law() -> None:
    broken = Variant("x", "x", "tinyllm.prob.rejection", "raise KeyError('no')\n", (), None, "")
    (found,) = law_pictures(WORKLOAD, [broken], seconds=20.0)
    assert found.data is None
    assert "cannot be imported: KeyError" in found.why


def test_laws_are_asked_for_once_and_kept_until_the_mutant_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []

    def answer(self: KeptLaws, variants: list[Variant]) -> list[Laws]:
        asked.extend(one.id for one in variants)
        return [Laws(one.id, {"function": one.id}, "late" if one.id == "s02" else "") for one in variants]

    monkeypatch.setattr(KeptLaws, "_asked", answer)
    kept = KeptLaws(WORKLOAD, tmp_path, 1)
    first, second = variant("s01"), variant("s02")
    assert kept.of([first], ask=False) is None
    assert kept.of([first, second], ask=True) == (
        Laws("s01", {"function": "s01"}),
        Laws("s02", {"function": "s02"}, "late"),
    )
    assert kept.of([first, second], ask=False) == (Laws("s01", {"function": "s01"}),)
    assert kept.of([first, second], ask=True) is not None
    assert asked == ["s01", "s02", "s02"]
    changed = Variant(first.id, first.title, first.module, first.source + "\n", first.functions, None, "")
    assert kept.of([changed], ask=False) is None
