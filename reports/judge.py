"""What a kill matrix says about every promise: verdicts, scores and the exit code, as pure functions."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction

from acidtest.mutants.model import UNREACHED, KillMatrix, Mutant, Outcome, Run, Status, Test, Trial
from acidtest.reports.exits import ExitCode, worst


class Grade(StrEnum):
    """A mutant's named killers against the tests that did kill it, best first.

    ``KILLED`` is the grade where no killers are compared: in first-kill mode, and for somebody else's suite.
    ``UNJUDGED`` is one that was neither killed nor survived: timed out, crashed, undecided, or not run to its end.
    """

    EXACT = "exact"
    SUPERSET = "superset"
    KILLED = "killed"
    PARTIAL = "partial"
    WRONG_KILLER = "wrong_killer"
    SURVIVED = "survived"
    UNVIABLE = "unviable"
    UNJUDGED = "unjudged"


@dataclass(frozen=True, slots=True)
class Verdict:
    """One mutant's promise, and what became of it.

    Attributes:
        killers: names of the tests that killed it, without parameters, in the order of the suite.
        silent: named killers that did not kill. absent: those of them that no collected test bears.
    """

    mutant: Mutant
    status: Status
    grade: Grade
    killers: tuple[str, ...]
    silent: tuple[str, ...] = ()
    absent: tuple[str, ...] = ()

    @property
    def kept(self) -> bool:
        """Whether the promise is kept; one of an unjudged mutant is neither kept nor broken."""
        if self.mutant.expect == "survived":
            return self.grade is Grade.SURVIVED
        return self.grade in (Grade.EXACT, Grade.SUPERSET, Grade.KILLED)

    @property
    def broken(self) -> bool:
        """Whether the promise is broken: survived, killed by the wrong tests, or killed against expectation."""
        return not self.kept and self.grade is not Grade.UNJUDGED


@dataclass(frozen=True, slots=True)
class Scores:
    """How many mutants the suite kills, counted in two ways.

    Attributes:
        counts: mutants by status, in the order of ``Status``; those with none are left out.
        strict: killed / valid mutants. A timeout, a crash or an undecided trial is not a kill.
        stryker: (killed + timed out) / (killed + timed out + survived + no coverage), as Stryker counts.
        reason: why there is no score; empty where there is one.
    """

    counts: dict[Status, int]
    strict: Fraction | None
    stryker: Fraction | None
    reason: str = ""

    @property
    def valid(self) -> int:
        """Mutants that could be imported."""
        return sum(self.counts.values()) - self.counts.get(Status.UNVIABLE, 0)

    @property
    def killed(self) -> int:
        """Mutants with a failed trial."""
        return self.counts.get(Status.KILLED, 0)


def status_of(matrix: KillMatrix, variant: str) -> Status:
    """Return what became of ``variant``: killed exactly where a trial failed; nothing else is turned into a kill."""
    trials = tuple(matrix.of_variant(variant))
    outcomes = {trial.outcome for trial in trials}
    if Outcome.FAILED in outcomes:
        return Status.KILLED
    if Outcome.UNVIABLE in outcomes:
        return Status.UNVIABLE
    if not trials or len(trials) < len(matrix.tests):
        return Status.PENDING
    for outcome, status in _LISTED:
        if outcome in outcomes:
            return status
    return Status.SURVIVED if any(_looked(trial) for trial in trials) else Status.NO_COVERAGE


_LISTED = (
    (Outcome.TIMED_OUT, Status.TIMED_OUT),
    (Outcome.CRASHED, Status.CRASHED),
    (Outcome.UNDECIDED, Status.UNDECIDED),
)


def _looked(trial: Trial) -> bool:
    return trial.outcome is Outcome.PASSED and trial.reason != UNREACHED


def bears(test: Test, name: str) -> bool:
    """Return whether ``name`` names ``test``: ``test_x`` or ``file.py::test_x``, whatever its parameters."""
    base = test.id.split("[", 1)[0]
    return base == name or base.endswith((f"::{name}", f"/{name}"))


def plain_name(test: Test) -> str:
    """Return the test's name without file and parameters."""
    return test.id.split("[", 1)[0].rsplit("::", 1)[-1]


def judge(matrix: KillMatrix, mutants: Iterable[Mutant], contract: bool = True) -> tuple[Verdict, ...]:
    """Return one verdict a mutant.

    Args:
        matrix: the trials of a run. mutants: catalog entries whose ids are variants of the matrix.
        contract: compare the named killers. False where not every test was run, or the tests are not the catalog's.
    """
    return tuple(_verdict(matrix, mutant, contract) for mutant in mutants)


def _verdict(matrix: KillMatrix, mutant: Mutant, contract: bool) -> Verdict:
    status = status_of(matrix, mutant.id)
    killing = matrix.killers_of(mutant.id)
    killers = tuple(dict.fromkeys(plain_name(test) for test in killing))
    if not contract:
        return Verdict(mutant, status, _GRADES.get(status, Grade.UNJUDGED), killers)
    silent = tuple(name for name in mutant.killers if not any(bears(test, name) for test in killing))
    absent = tuple(name for name in silent if not any(bears(test, name) for test in matrix.tests))
    if status is not Status.KILLED:
        return Verdict(mutant, status, _GRADES.get(status, Grade.UNJUDGED), killers, silent, absent)
    others = [test for test in killing if not any(bears(test, name) for name in mutant.killers)]
    if not silent:
        grade = Grade.SUPERSET if others else Grade.EXACT
    else:
        grade = Grade.PARTIAL if len(silent) < len(mutant.killers) else Grade.WRONG_KILLER
    return Verdict(mutant, status, grade, killers, silent, absent)


_GRADES = {
    Status.KILLED: Grade.KILLED,
    Status.SURVIVED: Grade.SURVIVED,
    Status.NO_COVERAGE: Grade.SURVIVED,
    Status.UNVIABLE: Grade.UNVIABLE,
}


def scores(run: Run, variants: Iterable[str] | None = None) -> Scores:
    """Return both scores over ``variants`` (all of the matrix unless given), or why there is none."""
    chosen = tuple(run.matrix.variants if variants is None else variants)
    statuses = {variant: status_of(run.matrix, variant) for variant in chosen}
    found = list(statuses.values())
    counts = {status: found.count(status) for status in Status if status in found}
    reason = _no_score(run, statuses)
    if reason:
        return Scores(counts, None, None, reason)
    killed = counts.get(Status.KILLED, 0)
    valid = len(chosen) - counts.get(Status.UNVIABLE, 0)
    noticed = killed + counts.get(Status.TIMED_OUT, 0)
    ran = noticed + counts.get(Status.SURVIVED, 0) + counts.get(Status.NO_COVERAGE, 0)
    return Scores(counts, Fraction(killed, valid), Fraction(noticed, ran) if ran else None)


def _no_score(run: Run, statuses: dict[str, Status]) -> str:
    if run.baseline.failures:
        return "the tests fail on the unchanged code"
    misbehaved = [control.id for control in run.controls if control.problem]
    if misbehaved:
        return f"a control misbehaved: {', '.join(misbehaved)}"
    if run.problems:
        return run.problems[0]
    open_ones = [variant for variant, status in statuses.items() if status in (Status.PENDING, Status.UNDECIDED)]
    if open_ones:
        return f"no verdict on {', '.join(open_ones)}"
    return "" if any(status is not Status.UNVIABLE for status in statuses.values()) else "no mutant could be tried"


def exit_code(
    run: Run,
    verdicts: Sequence[Verdict],
    counted: Scores,
    fail_under: Fraction | None = None,
    others: Sequence[Status] = (),
    counted_others: Scores | None = None,
) -> ExitCode:
    """Return the run's exit code.

    Args:
        fail_under: percent; where given, the strict scores alone decide between ``KEPT`` and ``BROKEN``.
        others: what became of the variants that make no promise, each of which should be killed.
        counted_others: their scores, where there are any.
    """
    codes = set()
    if run.baseline.failures:
        codes.add(ExitCode.CANNOT_JUDGE)
    if run.problems or any(control.problem for control in run.controls) or not (verdicts or others):
        codes.add(ExitCode.NO_VERDICT)
    if not run.matrix.tests or Status.PENDING in others:
        codes.add(ExitCode.NO_VERDICT)
    if any(verdict.status is Status.PENDING for verdict in verdicts):
        codes.add(ExitCode.NO_VERDICT)
    if any(verdict.grade is Grade.UNJUDGED for verdict in verdicts) or not _SETTLED.issuperset(others):
        codes.add(ExitCode.UNDECIDED)
    if fail_under is None:
        if any(verdict.broken for verdict in verdicts) or not _ALIVE.isdisjoint(others):
            codes.add(ExitCode.BROKEN)
        return worst(codes)
    asked = [part for part, there in ((counted, bool(verdicts)), (counted_others, bool(others))) if part and there]
    if any(part.strict is None for part in asked):
        codes.add(ExitCode.UNDECIDED if codes == {ExitCode.UNDECIDED} else ExitCode.NO_VERDICT)
    elif any(part.strict * 100 < fail_under for part in asked if part.strict is not None):
        codes.add(ExitCode.BROKEN)
    return worst(codes)


_ALIVE = frozenset({Status.SURVIVED, Status.NO_COVERAGE})
_SETTLED = _ALIVE | {Status.KILLED, Status.UNVIABLE}
