"""What a class comes to: every learner's result, and what the results have in common. Pure functions of frozen data.

Begin with ``ClassSummary``; ``summarize`` makes one.
"""

import itertools
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from fractions import Fraction

from acidtest.mutants.model import Mutant, Outcome, Test
from acidtest.reports.clusters import Cluster, clusters_of, signature_of
from acidtest.reports.exits import ExitCode
from acidtest.reports.grading import Assessment, Scheme, Standing

BINS = 10
"""Bins of the histogram below full marks, which has one of its own."""


class Concern(StrEnum):
    """Why somebody should look at a learner's result, the most pressing first."""

    INTERNAL = "the grader failed"
    STOPPED = "ran out of time or memory, crashed, or broke the protocol"
    UNGRADABLE = "there is nothing to judge"
    MISSING = "on the roster, and handed in nothing"
    EXTRA = "handed in, and not on the roster"


@dataclass(frozen=True, slots=True)
class Row:
    """One learner.

    Attributes:
        id: the roster's, else the file's or folder's name; unique in a class. name: the roster's; else empty.
        place: what was handed in, as a path inside the folder or zip, fit to be printed; empty where it is missing.
        assessment: the one that counts, without its answers to the battery; None where nothing was handed in.
        score: the share of points under the class's scheme; None where there is none (missing, internal).
            What cannot be graded has 0.
        attempts: how many different submissions of this learner's were judged under this assignment, this one included.
        retried: whether it was put to the tests once more, alone, because it ran out of something.
        fault: what went wrong in the grader the last time, where an earlier result stands; else empty.
        rostered: False for somebody who is not on the roster that was given.
    """

    id: str
    name: str = ""
    place: str = ""
    assessment: Assessment | None = None
    score: Fraction | None = None
    attempts: int = 0
    retried: bool = False
    fault: str = ""
    rostered: bool = True


@dataclass(frozen=True, slots=True)
class FailureRate:
    """How one test went in the class.

    Attributes:
        judged: submissions that were put to it. failed: those it failed on. stopped: those on which it neither
            passed nor failed.
    """

    test: Test
    judged: int
    failed: int
    stopped: int

    @property
    def rate(self) -> Fraction:
        """Return the share that failed, 0 to 1."""
        return Fraction(self.failed, self.judged) if self.judged else Fraction(0)


@dataclass(frozen=True, slots=True)
class Mistake:
    """An entry of the catalog that the diagnosis named.

    Attributes:
        learners: their ids, in the class's order.
    """

    mutant: str
    title: str
    pitfall: int | None
    learners: tuple[str, ...]

    @property
    def count(self) -> int:
        """Return how many learners made it."""
        return len(self.learners)


@dataclass(frozen=True, slots=True)
class Together:
    """Two mistakes that some learners made both.

    Attributes:
        count: how many. lift: how many times as often as if neither had to do with the other.
    """

    one: str
    other: str
    count: int
    lift: Fraction


@dataclass(frozen=True, slots=True)
class NeedsHuman:
    """A learner's result that a person should look at."""

    id: str
    concern: Concern
    why: str


@dataclass(frozen=True, slots=True)
class Move:
    """A score that another grading changed; None: no score.

    Attributes:
        why: what changed, in words: the submission, tests that came out otherwise, the scheme, versions.
    """

    id: str
    before: Fraction | None
    after: Fraction | None
    why: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Meta:
    """How the class was graded.

    Attributes:
        title: the folder's or zip's name. salt: the assignment. scheme: how points were given.
        key: the hash over all that a result depends on, but for the submissions. versions: of the tools.
        tier: the sandbox's, by number, or -1 where nothing had to be run. jobs: desks at once.
        judged: how many were put to the tests this time. kept: results that were there already.
        seconds: wall time of this grading. Everything but ``jobs``, ``judged``, ``kept`` and ``seconds`` is the same
            for the same class, however often it was interrupted.
    """

    title: str
    salt: str
    scheme: Scheme
    key: str
    versions: Mapping[str, str]
    tier: int
    jobs: int = 1
    judged: int = 0
    kept: int = 0
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class ClassSummary:
    """A class, graded.

    Attributes:
        rows: every learner, by id. tests: those that count, in their order.
        histogram: ``BINS`` + 1 counts of scores: [0, 1/BINS), ..., and full marks.
        rates: of every test, in the tests' order. mistakes: the commonest first. together: the commonest pair first.
        clusters: submissions with wrong answers of no entry, put together where these are alike; the largest first.
        needs_human: the most pressing first. moves: scores that a regrading changed, by id.
    """

    meta: Meta
    tests: tuple[Test, ...]
    rows: tuple[Row, ...]
    histogram: tuple[int, ...]
    rates: tuple[FailureRate, ...]
    mistakes: tuple[Mistake, ...]
    together: tuple[Together, ...]
    clusters: tuple[Cluster, ...]
    needs_human: tuple[NeedsHuman, ...]
    moves: tuple[Move, ...] = ()
    standings: Mapping[Standing, int] = field(default_factory=dict)

    @property
    def code(self) -> ExitCode:
        """Return the exit code: whether the grading is complete. How well the class did has no part in it."""
        return code_of(self.rows)


def score_of(assessment: Assessment | None, scheme: Scheme) -> Fraction | None:
    """Return the share of points: 0 for what cannot be graded, None where there is nothing or the grader failed."""
    if assessment is None or assessment.standing is Standing.INTERNAL:
        return None
    return assessment.scores.get(scheme, Fraction(0))


def code_of(rows: Iterable[Row]) -> ExitCode:
    """Return 70 where the grader failed on somebody, even if an earlier score stands; 5 with nothing at all; else 0.

    A submission that passed, failed, was stopped or cannot be graded has its verdict.
    """
    handed_in = [row for row in rows if row.assessment is not None]
    if not handed_in:
        return ExitCode.NO_VERDICT
    faulty = any(row.fault or (row.assessment and row.assessment.standing is Standing.INTERNAL) for row in handed_in)
    return ExitCode.INTERNAL if faulty else ExitCode.KEPT


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
