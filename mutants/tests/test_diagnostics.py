"""The diagnosis on real code: each entry alone, by another hand, in pairs; and mistakes that the catalog does not have.

The answers come from the lab's own worker. Pairs and generated mutants have a long form, ``ACIDTEST_LONG=1``.
"""

import itertools
import os
import random
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from acidtest.mutants.asking import answers
from acidtest.mutants.generated import generated
from acidtest.mutants.limits import LabError
from acidtest.mutants.load import load_catalog
from acidtest.mutants.model import Edit, Mutant, Variant
from acidtest.mutants.splice import splice
from acidtest.mutants.workload import embedded
from acidtest.properties import calls
from acidtest.reports.diagnosing import PAIRS, diagnose, known
from acidtest.reports.diagnosis import Diagnosis, Verdict, explain, promising
from acidtest.reports.pairing import Known, Pairs, both
from acidtest.reports.proving import wheats_of
from acidtest.reports.separation import PROMISED, disagreeing, too_close

LONG = bool(os.environ.get("ACIDTEST_LONG"))
HERE = Path(__file__).parent
WORKLOAD = embedded()
REJECTION = "tinyllm.prob.rejection"
SOURCE = WORKLOAD.read(REJECTION)
CATALOG = {mutant.id: mutant for mutant in load_catalog(WORKLOAD.catalog)}
SECOND: Mapping[str, Any] = tomllib.loads((HERE / "second_styles.toml").read_text("utf-8"))
OUTSIDE: Mapping[str, Any] = tomllib.loads((HERE / "outside_the_catalog.toml").read_text("utf-8"))
PAIR_SEED = 20
UNSEEN = {"takes_negative_masses", "takes_infinite_envelopes"}
"""These answer fewer than five calls of the battery wrongly, which no diagnosis could be built on."""

Answers = Sequence[str]


@pytest.fixture(scope="module")
def state(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("state")


@pytest.fixture(scope="module")
def found(state: Path) -> Known:
    return known(WORKLOAD, state)


def variant(name: str, source: str, module: str = REJECTION) -> Variant:
    return Variant(name, "", module, source, (), None, "")


def ask(found: Known, variants: Sequence[Variant]) -> Iterator[Answers]:
    """Yield each variant's answers to the battery."""
    for given in answers(WORKLOAD, variants, [found.calls] * len(variants)):
        assert not isinstance(given, LabError), given
        yield given


def as_submitted(found: Known, entry: str) -> list[str | None]:
    """Return an entry's answers to the whole battery."""
    changes = found.battery.mutants[entry]
    return [changes.get(call, right) for call, right in enumerate(found.battery.reference)]


def by_another_hand(entry: Mapping[str, Any]) -> tuple[str, str]:
    """Return module and source of a mistake written on a right implementation."""
    if "source" in entry:
        return entry["module"], entry["source"]
    assert WORKLOAD.wheats is not None
    text = (WORKLOAD.wheats / f"{entry['wheat']}.py").read_text("utf-8")
    for before, after in entry["edits"]:
        assert text.count(before) == 1, before
        text = text.replace(before, after)
    return REJECTION, text


def outsider(entry: Mapping[str, Any]) -> str:
    edits = [Edit(after=after, before=before) for before, after in entry["edits"]]
    return splice(SOURCE, entry["function"], edits)


def drawn_pairs(count: int) -> list[tuple[Mutant, Mutant, Variant]]:
    """Return random pairs of entries whose edits can both be made in one file."""
    every = list(itertools.combinations(CATALOG.values(), 2))
    random.Random(PAIR_SEED).shuffle(every)
    made = ((one, other, both(WORKLOAD, one, other)) for one, other in every)
    return list(itertools.islice(((one, other, file) for one, other, file in made if file is not None), count))


def test_the_battery_is_small_plain_and_in_order() -> None:
    battery = list(calls.diagnostics())
    assert len(battery) < 1500
    assert battery == sorted(battery, key=lambda call: call.size)
    assert len({(call.function, call.text) for call in battery}) == len(battery)
    assert {call.function for call in battery} >= {mutant.function for mutant in CATALOG.values()}


def test_ten_calls_or_more_tell_any_two_entries_apart(found: Known) -> None:
    sides = {entry: [text or "" for text in as_submitted(found, entry)] for entry in CATALOG}
    assert list(too_close({"the reference": found.battery.reference, **sides})) == []
    assert PROMISED == 10


def test_every_right_implementation_agrees_with_the_reference(found: Known) -> None:
    wheats = wheats_of(WORKLOAD)
    right = {wheat.id: given for wheat, given in zip(wheats, ask(found, wheats), strict=True)}
    assert len(right) == 7
    assert list(disagreeing(found.battery.reference, right)) == []
    assert all(explain(given, found.battery).verdict is Verdict.RIGHT for given in right.values())


def test_each_entry_alone_is_recognized(found: Known) -> None:
    for entry in CATALOG:
        diagnosis = explain(as_submitted(found, entry), found.battery)
        assert (diagnosis.verdict, diagnosis.named) == (Verdict.EXACT, (entry,))


def test_each_entry_by_another_hand_is_recognized(found: Known) -> None:
    assert set(SECOND) == set(CATALOG)
    variants = [variant(entry, *reversed(by_another_hand(SECOND[entry]))) for entry in SECOND]
    for entry, given in zip(SECOND, ask(found, variants), strict=True):
        assert explain(given, found.battery).named == (entry,)


def test_twenty_random_pairs_are_both_recognized(found: Known) -> None:
    pairs = drawn_pairs(20)
    every = frozenset(range(len(found.calls)))
    made = Pairs(WORKLOAD, found).composed({(one.id, other.id): every for one, other, _ in pairs})
    for one, other, _ in pairs:
        changes = made[one.id, other.id]
        given = [changes.get(call, right) for call, right in enumerate(found.battery.reference)]
        wanted = {one.id, other.id}
        if explain(given, found.battery).verdict is not Verdict.EXACT:
            assert wanted in map(set, promising(given, found.battery, PAIRS))
        assert set(explain(given, found.battery, made).named) == wanted


def test_of_sixty_random_pairs_two_hide_a_mistake_at_most(found: Known, monkeypatch: pytest.MonkeyPatch) -> None:
    if not LONG:  # the first three of them, with fewer pairs tried for each
        monkeypatch.setattr("acidtest.reports.diagnosing.PAIRS", 3)
    pairs = drawn_pairs(60) if LONG else drawn_pairs(60)[:3]
    hidden = []
    for (one, other, _), given in zip(pairs, ask(found, [file for *_, file in pairs]), strict=True):
        named = set(diagnose(found, given, Pairs(WORKLOAD, found)).named)
        assert named
        assert named <= {one.id, other.id}
        if len(named) == 1:
            hidden.append((one.id, other.id))
    assert len(hidden) <= 2


def test_pairs_by_another_hand_are_both_recognized(found: Known) -> None:
    pairs = [("s01", "s18"), ("s06", "s46"), ("s10", "s31"), ("s16", "s26"), ("s12", "s39"), ("s14", "s17")]
    variants = []
    for one, other in pairs:
        first, second = SECOND[one], SECOND[other]
        wheat = first["wheat"] if first["wheat"] == second["wheat"] else None
        if wheat is None:
            continue
        merged = {"wheat": wheat, "edits": [*first["edits"], *second["edits"]]}
        variants.append((one, other, variant(f"{one}+{other}", by_another_hand(merged)[1])))
    assert len(variants) >= 5
    for (one, other, _), given in zip(variants, ask(found, [file for *_, file in variants]), strict=True):
        assert set(explain(given, found.battery).named) == {one, other}


def test_mistakes_outside_the_catalog_are_never_forced_onto_an_entry(found: Known) -> None:
    assert len(OUTSIDE) >= 30
    variants = [variant(name, outsider(entry)) for name, entry in OUTSIDE.items()]
    for name, given in zip(OUTSIDE, ask(found, variants), strict=True):
        diagnosis = explain(given, found.battery)
        assert (name, diagnosis.named) == (name, ())
        assert diagnosis.verdict is Verdict.UNEXPLAINED
        assert (len(diagnosis.wrong) >= 5) == (name not in UNSEEN)
        assert diagnosis.unexplained == diagnosis.wrong


def test_a_whole_diagnosis_tries_pairs_and_still_forces_nothing(found: Known, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("acidtest.reports.diagnosing.PAIRS", 3)
    (given,) = ask(found, [variant("swapped", outsider(OUTSIDE["swaps_the_uniforms"]))])
    assert diagnose(found, given, Pairs(WORKLOAD, found)).verdict is Verdict.UNEXPLAINED


def test_a_generated_mutant_is_named_only_where_it_answers_as_the_entry_does(found: Known, state: Path) -> None:
    machine = generated(WORKLOAD, state) if LONG else generated(WORKLOAD, state)[::10]
    named: dict[str, Diagnosis] = {}
    for mutant, given in zip(machine, answers(WORKLOAD, machine, [found.calls] * len(machine)), strict=True):
        if not isinstance(given, LabError):
            diagnosis = explain(given, found.battery)
            if diagnosis.named:
                named[mutant.id] = diagnosis
    whole = {name for name, diagnosis in named.items() if not diagnosis.unexplained}
    assert len(whole) >= (4 if LONG else 0)
    assert len(named) - len(whole) <= 2


def test_the_file_a_learner_begins_from_is_unfinished(found: Known) -> None:
    start = (WORKLOAD.source / "start" / "rejection.py").read_text("utf-8")
    (given,) = ask(found, [variant("start", start)])
    diagnosis = explain(given, found.battery)
    own = {mutant.function for mutant in CATALOG.values()} - {"sample_categorical"}
    assert (diagnosis.verdict, set(diagnosis.unfinished), diagnosis.wrong) == (Verdict.UNFINISHED, own, ())


def test_a_mistake_shows_although_other_functions_are_missing_or_unfinished(found: Known) -> None:
    mistaken = splice(SOURCE, "rejection_sample", CATALOG["s17"].edits)
    unfinished = splice(mistaken, "residual_distribution", [Edit(after="raise NotImplementedError")])
    missing = mistaken.replace("def acceptance_probability", "def _acceptance_probability")
    first, second = ask(found, [variant("unfinished", unfinished), variant("missing", missing)])
    for given, lacking in ((first, "residual_distribution"), (second, "acceptance_probability")):
        diagnosis = explain(given, found.battery)
        assert (diagnosis.named, diagnosis.unfinished, diagnosis.unexplained) == (("s17",), (lacking,), ())


def test_numpy_s_types_do_not_hide_a_mistake(found: Known) -> None:
    text = splice(SOURCE, "residual_distribution", CATALOG["s04"].edits)
    text = text.replace("return u < p_x / q_x", "return np.bool_(u < p_x / q_x)")
    (given,) = ask(found, [variant("numpy", text)])
    diagnosis = explain(given, found.battery)
    assert (diagnosis.verdict, diagnosis.named) == (Verdict.EXACT, ("s04",))
    assert {fault.function for fault in diagnosis.forms} == {"rejection_accept"}


def test_what_was_asked_is_kept_until_something_changes(
    found: Known, state: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def never(*_: object, **__: object) -> None:
        raise AssertionError("the lab was asked again")

    monkeypatch.setattr("acidtest.mutants.lab.answers", never)
    again = known(WORKLOAD, state)
    assert (again.calls, again.battery) == (found.calls, found.battery)
    (kept,) = (state / "diagnosis").glob("*.json")
    kept.write_text("no JSON")
    with pytest.raises(AssertionError, match="asked again"):
        known(WORKLOAD, state)


def test_a_pair_is_asked_no_call_twice(found: Known, monkeypatch: pytest.MonkeyPatch) -> None:
    one, other = next((one.id, other.id) for one, other, _ in drawn_pairs(1))
    every = frozenset(range(len(found.calls)))
    some = frozenset(range(0, len(found.calls), 3))
    fresh = replace(found, place=found.place / "apart")
    pairs = Pairs(WORKLOAD, fresh)
    asked: list[int] = []
    ask = pairs._ask

    def noted(variant: Variant, calls: list[Mapping[str, Any]]) -> list[str]:
        asked.append(len(calls))
        return ask(variant, calls)

    monkeypatch.setattr(pairs, "_ask", noted)
    (part,) = pairs.composed({(one, other): some}).values()
    (whole,) = pairs.composed({(one, other): every}).values()
    assert asked == [len(some), len(every) - len(some)]
    assert part == {call: text for call, text in whole.items() if call in some}
    assert pairs.composed({(one, other): every}) == {(one, other): whole}
    assert Pairs(WORKLOAD, found).composed({(one, other): every}) == {(one, other): whole}
    # what is kept is not even made again
    monkeypatch.setattr("acidtest.reports.pairing.both", lambda *_: pytest.fail("it is made again"))
    assert Pairs(WORKLOAD, fresh).composed({(one, other): every}) == {(one, other): whole}
