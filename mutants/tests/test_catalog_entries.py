"""Every entry of the catalog proves its own claims, and no two are the same mistake."""

import itertools
import types
from collections import Counter
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from acidtest.mutants.answers import answer
from acidtest.mutants.load import load_catalog, variant_of
from acidtest.mutants.model import Mutant
from acidtest.properties import calls

ROOT = Path(__file__).parents[2]
CATALOG = load_catalog(ROOT / "mutants" / "catalog")
CATEGORICAL, REJECTION = "tinyllm.prob.categorical", "tinyllm.prob.rejection"
BATTERY = tuple(calls.battery())
CHAPTER_KILLERS = {
    "s01": "test_accept_is_strict",
    "s02": "test_accept_always_when_target_dominates",
    "s03": "test_residual_is_a_distribution",
    "s04": "test_residual_is_a_distribution",
    "s05": "test_residual_is_a_distribution",
    "s06": "test_speculative_output_is_exactly_p",
    "s07": "test_speculative_output_is_exactly_p",
    "s08": "test_residual_when_p_equals_q",
    "s09": "test_residual_sum_is_ascending",
    "s10": "test_acceptance_rate_matches_acceptance_probability",
    "s11": "test_speculative_accepts_without_resampling",
    "s12": "test_accept_always_when_target_dominates",
    "s13": "test_speculative_output_is_exactly_p",
    "s14": "test_residual_when_p_equals_q",
    "s15": "test_rejection_sample_first_try_enumerated",
    "s16": "test_rejection_sample_draw_order",
    "s17": "test_rejection_sample_tries_are_geometric",
    "s18": "test_rejection_sample_checks_the_envelope",
    "s19": "test_rejection_sample_checks_the_envelope",
}


def source_of(module: str) -> str:
    return (ROOT / "target" / f"{module.replace('.', '/')}.py").read_text(encoding="utf-8")


class Target:
    """The target from source texts, apart from whatever is imported."""

    def __init__(self, changed: Mapping[str, str]) -> None:
        self.modules = {name: types.ModuleType(name) for name in (CATEGORICAL, REJECTION)}
        for name, module in self.modules.items():
            exec(compile(changed.get(name, source_of(name)), name, "exec"), vars(module))
        for name in ("as_distribution", "sample_categorical"):
            setattr(self.modules[REJECTION], name, getattr(self.modules[CATEGORICAL], name))
        self.errors = (ValueError, RuntimeError, self.modules[REJECTION].ZeroResidualError)

    def says(self, function: str, args: Mapping[str, Any]) -> str:
        """Return the answer to one call given as plain data."""
        subject = getattr(self.modules[calls.FUNCTIONS[function]], function)
        return answer(subject, calls.build(function, args), self.errors)


@cache
def mutated(identifier: str) -> Target:
    (mutant,) = (mutant for mutant in CATALOG if mutant.id == identifier)
    return Target({mutant.module: variant_of(mutant, source_of(mutant.module)).source})


@cache
def over_battery(identifier: str | None) -> tuple[str, ...]:
    target = Target({}) if identifier is None else mutated(identifier)
    return tuple(target.says(call.function, call.args) for call in BATTERY)


def test_there_are_the_46() -> None:
    assert [mutant.id for mutant in CATALOG] == [f"s{number:02}" for number in range(1, 47)]


@pytest.mark.parametrize("mutant", CATALOG, ids=lambda mutant: mutant.id)
def test_only_the_named_function_changes(mutant: Mutant) -> None:
    variant = variant_of(mutant, source_of(mutant.module))
    assert variant.functions == (mutant.function,)
    assert variant.anchors
    assert variant.diff


@pytest.mark.parametrize("mutant", CATALOG, ids=lambda mutant: mutant.id)
def test_witness_is_answered_as_stated(mutant: Mutant) -> None:
    witness = mutant.witness
    assert Target({}).says(witness.function, witness.args) == witness.reference
    assert mutated(mutant.id).says(witness.function, witness.args) == witness.mutant
    assert witness.reference != witness.mutant


@pytest.mark.parametrize("mutant", CATALOG, ids=lambda mutant: mutant.id)
def test_battery_tells_the_mutant_from_the_reference(mutant: Mutant) -> None:
    assert over_battery(mutant.id) != over_battery(None)


def test_no_two_entries_answer_alike_on_the_whole_battery() -> None:
    alike = [(a.id, b.id) for a, b in itertools.combinations(CATALOG, 2) if over_battery(a.id) == over_battery(b.id)]
    assert alike == []


def test_chapter_mutants_have_the_killers_that_the_chapter_names() -> None:
    assert {mutant.id: mutant.killers for mutant in CATALOG if mutant.id in CHAPTER_KILLERS} == {
        identifier: (killer,) for identifier, killer in CHAPTER_KILLERS.items()
    }


def test_pitfalls_cover_the_chapter_and_real_faults_have_an_origin() -> None:
    pitfalls = Counter(mutant.pitfall for mutant in CATALOG if mutant.pitfall is not None)
    assert pitfalls == {1: 1, 2: 2, 3: 2, 4: 1, 5: 3, 6: 2, 7: 2, 8: 1}
    assert all(mutant.origin for mutant in CATALOG if mutant.id > "s19")


def test_each_of_the_nineteen_is_a_named_killer_somewhere() -> None:
    collected = set()
    for path in (ROOT / "properties").glob("test_*.py"):
        decorated = path.read_text(encoding="utf-8").split("@pytest.mark.chapter")[1:]
        collected |= {part.split("def ", 1)[1].split("(", 1)[0] for part in decorated}
    assert len(collected) == 19
    assert collected <= {killer for mutant in CATALOG for killer in mutant.killers}


def test_readme_shows_an_entry_as_it_is() -> None:
    readme = (ROOT / "mutants" / "README.md").read_text(encoding="utf-8")
    shown = readme.split("```toml\n", 1)[1].split("```", 1)[0]
    assert shown == CATALOG[0].path.read_text(encoding="utf-8")


def test_first_hand_example_is_blind_to_the_two_that_need_the_second() -> None:
    p, q = list(calls.HAND[0]), list(calls.HAND[1])
    reference = Target({})
    assert mutated("s30").says("residual_distribution", {"p": p, "q": q}) == reference.says(
        "residual_distribution", {"p": p, "q": q}
    )
    for x, mass in enumerate(q):
        for k in range(64):
            step = {"p": p, "q": q, "x": x, "u_accept": (k + 0.5) / 64, "u_resample": 0.25}
            assert not mass or mutated("s41").says("speculative_step", step) == reference.says("speculative_step", step)
