"""Counts a class: its scores, how each test went, mistakes and which go together, whose result wants a look.

Begin with ``summarize``. Pure functions of frozen data, each for one part of a ``ClassSummary``.
"""

import itertools
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction

from acidtest.mutants.model import Mutant, Outcome, Test
from acidtest.reports.class_summary import (
    BINS,
    ClassSummary,
    Concern,
    FailureRate,
    Meta,
    Mistake,
    Move,
    NeedsHuman,
    Row,
    Together,
)
from acidtest.reports.clusters import clusters_of, signature_of
from acidtest.reports.grading import Assessment, Standing


def summarize(
    rows: Iterable[Row], tests: Sequence[Test], mutants: Mapping[str, Mutant], meta: Meta, moves: Sequence[Move] = ()
) -> ClassSummary:
    """Return what a class comes to.

    Args:
        rows: looked at one after the other; their assessments may have the answers, which are not kept.
    """
    light, signatures = [], {}
    for row in rows:
        if row.assessment is not None:
            signature = signature_of(row.assessment)
            if signature:
                signatures[row.id] = signature
            row = replace(row, assessment=replace(row.assessment, answers=()))
        light.append(row)
    light.sort(key=lambda row: row.id)
    assessments = {row.id: row.assessment for row in light if row.assessment is not None}
    counts = Counter(assessment.standing for assessment in assessments.values())
    mistakes = mistakes_of(assessments, mutants)
    return ClassSummary(
        meta,
        tuple(tests),
        tuple(light),
        histogram_of([row.score for row in light if row.score is not None]),
        rates_of(assessments.values(), tests),
        mistakes,
        together_of(mistakes, sum(a.diagnosis is not None for a in assessments.values())),
        clusters_of(signatures, assessments),
        concerns_of(light),
        tuple(sorted(moves, key=lambda move: move.id)),
        {standing: counts[standing] for standing in Standing},
    )


def histogram_of(scores: Iterable[Fraction]) -> tuple[int, ...]:
    """Return how many scores fall into each of ``BINS`` equal bins below 1, and how many are 1."""
    counts = Counter(min(int(score * BINS), BINS) for score in scores)
    return tuple(counts[number] for number in range(BINS + 1))


def rates_of(assessments: Iterable[Assessment], tests: Sequence[Test]) -> tuple[FailureRate, ...]:
    """Return how each test went."""
    counts: Counter[tuple[str, str]] = Counter()
    for assessment in assessments:
        for trial in assessment.trials:
            kind = {Outcome.PASSED: "passed", Outcome.FAILED: "failed"}.get(trial.outcome, "stopped")
            counts[trial.test, kind] += 1
    rates = []
    for test in tests:
        passed, failed, stopped = (counts[test.id, kind] for kind in ("passed", "failed", "stopped"))
        rates.append(FailureRate(test, passed + failed + stopped, failed, stopped))
    return tuple(rates)


def mistakes_of(assessments: Mapping[str, Assessment], mutants: Mapping[str, Mutant]) -> tuple[Mistake, ...]:
    """Return which entries were named for whom, the commonest first; equally common ones by id."""
    learners: dict[str, list[str]] = {}
    for learner, assessment in assessments.items():
        for name in assessment.diagnosis.named if assessment.diagnosis else ():
            learners.setdefault(name, []).append(learner)
    found = []
    for name, ids in learners.items():
        mutant = mutants.get(name)
        found.append(Mistake(name, mutant.title if mutant else "", mutant.pitfall if mutant else None, tuple(ids)))
    return tuple(sorted(found, key=lambda mistake: (-mistake.count, mistake.mutant)))


def together_of(mistakes: Sequence[Mistake], diagnosed: int) -> tuple[Together, ...]:
    """Return which two mistakes go together.

    Args:
        diagnosed: how many learners could have made them.
    """
    pairs = []
    for one, other in itertools.combinations(sorted(mistakes, key=lambda mistake: mistake.mutant), 2):
        both = len(set(one.learners) & set(other.learners))
        if both:
            lift = Fraction(both * diagnosed, one.count * other.count)
            pairs.append(Together(one.mutant, other.mutant, both, lift))
    return tuple(sorted(pairs, key=lambda pair: (-pair.count, -pair.lift, pair.one, pair.other)))


def concerns_of(rows: Iterable[Row]) -> tuple[NeedsHuman, ...]:
    """Return whose result a person should look at. One learner may be there twice, for two reasons."""
    found = []
    for row in rows:
        if row.assessment is None:
            found.append(NeedsHuman(row.id, Concern.MISSING, ""))
            continue
        if row.fault:
            found.append(NeedsHuman(row.id, Concern.INTERNAL, f"an earlier result stands: {row.fault}"))
        standing = row.assessment.standing
        if standing in _CONCERNS:
            found.append(NeedsHuman(row.id, _CONCERNS[standing], row.assessment.why or _reason(row.assessment)))
        if not row.rostered:
            found.append(NeedsHuman(row.id, Concern.EXTRA, row.place))
    order = list(Concern)
    return tuple(sorted(found, key=lambda one: (order.index(one.concern), one.id)))


_CONCERNS = {
    Standing.INTERNAL: Concern.INTERNAL,
    Standing.STOPPED: Concern.STOPPED,
    Standing.UNGRADABLE: Concern.UNGRADABLE,
}


def _reason(assessment: Assessment) -> str:
    """Return the commonest reason among trials that neither passed nor failed."""
    reasons = Counter(
        trial.reason or str(trial.outcome)
        for trial in assessment.trials
        if trial.outcome not in (Outcome.PASSED, Outcome.FAILED)
    )
    return min(reasons, key=lambda reason: (-reasons[reason], reason)) if reasons else ""
