"""What a class comes to: every learner's result, and what the results have in common, as frozen data.

Begin with ``ClassSummary``; ``class_counts.summarize`` makes one.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from fractions import Fraction

from acidtest.mutants.model import Test
from acidtest.reports.clusters import Cluster
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
