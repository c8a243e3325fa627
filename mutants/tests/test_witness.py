"""A search finds the smallest call, certifies what D cannot tell apart, and says undecided where it was stopped."""

import _thread
import statistics
import threading
from collections.abc import Mapping
from functools import cache
from pathlib import Path

import pytest

from acidtest.mutants.lab import LabError
from acidtest.mutants.load import load_catalog, variant_of
from acidtest.mutants.model import Edit, Finding, Variant
from acidtest.mutants.splice import changed_functions, splice
from acidtest.mutants.tests import tiny
from acidtest.mutants.witness import deltas, interrupted, judge, rates, search
from acidtest.mutants.workload import embedded
from acidtest.properties import calls
from acidtest.properties.call import Call

WORKLOAD = embedded()
CATALOG = {mutant.id: mutant for mutant in load_catalog(WORKLOAD.catalog)}
REJECTION, CATEGORICAL = "tinyllm.prob.rejection", "tinyllm.prob.categorical"
SOME = ("s01", "s08", "s16", "s21", "s39", "s43")
DOMAIN = tuple(
    call for call in calls.domain() if call.function == "acceptance_probability" and isinstance(call.args["p"], list)
)
EQUIVALENT = {
    "operands of a minimum swapped": ("acceptance_probability", "min(p_i, q_i)", "min(q_i, p_i)"),
    "a local renamed": (
        "acceptance_probability",
        None,
        """
        left, right = _pair(p, q)
        total = 0.0
        for p_i, q_i in zip(left.tolist(), right.tolist(), strict=True):
            total += min(p_i, q_i)
        return total
        """,
    ),
    "two checks that cannot both fire reordered": (
        "rejection_sample",
        """
        m = float(m)
        if not 1.0 <= m < math.inf:
            raise ValueError(f"m = {m!r} must be finite and >= 1")
        if max_tries < 1:
            raise ValueError(f"max_tries = {max_tries!r} must be >= 1")
        """,
        """
        if max_tries < 1:
            raise ValueError(f"max_tries = {max_tries!r} must be >= 1")
        m = float(m)
        if not 1.0 <= m < math.inf:
            raise ValueError(f"m = {m!r} must be finite and >= 1")
        """,
    ),
}


def entry(identifier: str) -> Variant:
    mutant = CATALOG[identifier]
    return variant_of(mutant, WORKLOAD.read(mutant.module))


def edited(function: str, before: str | None, after: str, module: str = REJECTION) -> Variant:
    source = WORKLOAD.read(module)
    text = splice(source, function, [Edit(after=after, before=before)])
    return Variant(function, function, module, text, changed_functions(source, text) or (), None, "")


@cache
def over_the_catalog(seed: int) -> Mapping[str, Finding]:
    """Return what a search that starts from nothing finds for each entry."""
    findings = search(WORKLOAD, [(None, entry(identifier)) for identifier in CATALOG], seconds=60.0, seed=seed)
    return dict(zip(CATALOG, findings, strict=True))


@pytest.mark.parametrize("identifier", CATALOG)
def test_witness_is_found_and_at_least_as_small_as_the_catalogs(identifier: str) -> None:
    finding = over_the_catalog(0)[identifier]
    assert finding.verdict == "distinct", finding.why
    assert finding.witness is not None
    known = CATALOG[identifier].witness
    found = Call(finding.witness.function, finding.witness.args).size
    assert found[:2] <= Call(known.function, known.args).size[:2]
    assert finding.witness.reference != finding.witness.mutant
    assert (finding.domain, finding.size) == (calls.domain_hash(), len(tuple(calls.domain())))


def test_search_takes_a_moment() -> None:
    assert statistics.median(finding.seconds for finding in over_the_catalog(0).values()) < 2.0


@cache
def others(seed: int) -> Mapping[str, Finding]:
    """Return what one search says of the equivalent edits, and of variants that it cannot decide."""
    loose = {
        "cannot be imported": WORKLOAD.read(REJECTION) + "\nimport no_such_module\n",
        "varies": "import random\n"
        + WORKLOAD.read(REJECTION).replace("    alpha = 0.0\n", "    alpha = random.random()\n"),
    }
    variants = {name: edited(*edit) for name, edit in EQUIVALENT.items()}
    variants |= {name: Variant(name, name, REJECTION, text, (), None, "") for name, text in loose.items()}
    variants["dies"] = edited("acceptance_probability", "return alpha", "import os\nos._exit(7)")
    variants |= {identifier: entry(identifier) for identifier in SOME}
    findings = search(WORKLOAD, [(None, variant) for variant in variants.values()], seconds=60.0, seed=seed)
    return dict(zip(variants, findings, strict=True))


@pytest.mark.parametrize("name", EQUIVALENT)
def test_equivalent_edit_is_equal_on_d_under_two_seeds(name: str) -> None:
    found = [others(seed)[name] for seed in (0, 1)]
    assert [finding.verdict for finding in found] == ["equal on D", "equal on D"]
    assert found[0].witness is None
    assert (found[0].domain, found[0].size) == (found[1].domain, found[1].size)


def test_two_seeds_find_the_same_witnesses() -> None:
    for identifier in SOME:
        assert others(1)[identifier].witness == over_the_catalog(0)[identifier].witness


def test_fresh_processes_find_the_same() -> None:
    (finding,) = search(WORKLOAD, [(None, entry("s14"))], seconds=60.0, fork=False)
    assert finding.witness == over_the_catalog(0)["s14"].witness


def test_two_mutants_are_compared_with_each_other() -> None:
    alike, unlike = search(WORKLOAD, [(entry("s10"), entry("s10")), (entry("s06"), entry("s07"))], seconds=60.0)
    assert alike.verdict == "equal on D"
    assert unlike.verdict == "distinct"


def test_difference_beyond_d_is_drawn_and_made_small() -> None:
    after = "return alpha if target.size in (*range(9), 40) or target.min() > 0.0 else -alpha"
    assert all(not (0.0 in call.args["p"] and len(call.args["p"]) > 8) for call in DOMAIN)
    pair = (None, edited("acceptance_probability", "return alpha", after))
    first, again = search(WORKLOAD, [pair, pair], seconds=60.0)
    assert first.verdict == again.verdict == "distinct"
    assert first.witness == again.witness
    assert first.witness is not None
    assert len(first.witness.args["p"]) == 12


def test_search_that_takes_too_long_is_undecided_and_names_the_call() -> None:
    variant = edited("acceptance_probability", "return alpha", "while True:\n    alpha += 1")
    (finding,) = search(WORKLOAD, [(None, variant)], seconds=0.5)
    assert (finding.verdict, finding.witness) == ("undecided", None)
    assert finding.why.startswith("no end within 0.5 s; the last call was acceptance_probability(")


def test_search_is_undecided_where_the_process_dies_and_the_next_one_goes_on() -> None:
    assert others(0)["dies"].verdict == "undecided"
    assert "ended" in others(0)["dies"].why
    assert others(0)[SOME[-1]].verdict == "distinct"


def test_variant_that_cannot_be_imported_is_undecided() -> None:
    finding = others(0)["cannot be imported"]
    assert finding.verdict == "undecided"
    assert finding.why == "the mutant cannot be imported: ModuleNotFoundError: No module named 'no_such_module'"


def test_answers_that_vary_are_undecided() -> None:
    finding = others(0)["varies"]
    assert finding.verdict == "undecided"
    assert "is not the same each time" in finding.why


def test_interrupted_search_is_undecided() -> None:
    variant = edited("acceptance_probability", "return alpha", "while True:\n    alpha += 1")
    timer = threading.Timer(3.0, _thread.interrupt_main)
    timer.start()
    try:
        findings = search(WORKLOAD, [(None, variant), (None, variant)], seconds=60.0, jobs=1)
    finally:
        timer.cancel()
    assert [finding.verdict for finding in findings] == ["undecided", "undecided"]
    assert interrupted(findings)


def test_delta_is_where_the_answers_differ() -> None:
    (places, none) = deltas(WORKLOAD, [(None, entry("s10")), (None, edited(*EQUIVALENT["a local renamed"]))])
    assert none == frozenset()
    assert places
    domain = tuple(calls.domain())
    assert {domain[place].function for place in places} == {"acceptance_probability"}
    witness = over_the_catalog(0)["s10"].witness
    assert witness is not None
    assert domain[min(places)].args == witness.args


def test_rates_count_the_drawn_calls_that_meet_the_difference() -> None:
    (found,) = rates(WORKLOAD, [(None, entry("s08"))], ["residual_distribution"], count=40)
    assert found.function == "residual_distribution"
    assert found.rates["equal"] == (40, 40)
    assert found.rates["disjoint"] == (0, 40)


def test_judgement_names_the_kind_and_the_size() -> None:
    expected = {
        "s10": ("math-wrong", "the acceptance probability is off by 1"),
        "s09": ("bit-wrong", "units in the last place apart"),
        "s14": ("contract-wrong", "share memory with an argument"),
        "s17": ("contract-wrong", "no law that was measured moves"),
        "s15": ("math-wrong", "the law of the ids that are kept"),
    }
    found = [(None, entry(name), over_the_catalog(0)[name].witness) for name in expected]
    judgements = judge(WORKLOAD, [pair for pair in found if pair[2] is not None], seconds=120.0)  # type: ignore[misc]
    assert [judgement.kind for judgement in judgements] == [kind for kind, _ in expected.values()]
    for judgement, (kind, part) in zip(judgements, expected.values(), strict=True):
        assert judgement.severity.startswith(f"{kind}: ")
        assert part in judgement.severity
        assert judgement.rule


def test_another_workload_is_searched_by_its_own_calls(tmp_path: Path) -> None:
    folder = tiny.project(tmp_path)
    workload = tiny.workload(folder, calls=str(folder / "calls.py"))
    high = tiny.variant(workload, "high", "clamp", "return high", "return low")
    same = tiny.variant(workload, "same", "clamp", "value > high", "high < value")
    found = search(workload, [(None, high), (None, same)], seconds=20.0)
    assert [finding.verdict for finding in found] == ["distinct", "equal on D"]
    assert found[0].witness is not None
    assert found[0].witness.args == {"value": 6, "low": 0, "high": 5}
    assert (found[0].domain, found[0].size) == ("fixed", 34)


def test_workload_without_calls_is_told_what_is_missing(tmp_path: Path) -> None:
    workload = tiny.workload(tmp_path)
    with pytest.raises(LabError, match="no `calls`: name a module"):
        search(workload, [(None, tiny.variant(workload, "v", "clamp", "return high", "return low"))])
