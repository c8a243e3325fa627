"""One run in a few numbers: what an index of runs says of it, and what a trend is drawn from."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from acidtest.mutants.model import Mode, Run, Status
from acidtest.reports.context import places_of
from acidtest.reports.exits import ExitCode
from acidtest.reports.judge import Scores, scores
from acidtest.reports.render.verdict import headline, spoiled
from acidtest.reports.store import RunRow
from acidtest.reports.summary import Summary

_ALIVE = (Status.SURVIVED, Status.NO_COVERAGE)
_SETTLED = (*_ALIVE, Status.KILLED, Status.UNVIABLE)


@dataclass(frozen=True, slots=True)
class Count:
    """What became of the mutants of one kind.

    Attributes:
        valid: those that could be imported. alive: survived, or reached by no test. open: neither killed nor alive.
        score: killed / valid; None where ``reason`` says why there is no score.
    """

    killed: int
    valid: int
    alive: int
    open: int
    score: Fraction | None = None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Digest:
    """One finished run.

    Attributes:
        suite: where the tests lie, as people write it. seconds: how long it took.
        catalog, made: what became of the catalog's mutants and of the generated ones; None where none were tried.
        headline: the verdict in a few words. tone: ``good``, ``open`` or ``bad``.
        kept, promised: how many promises were kept, of how many; None where named killers were not compared.
        problems: why the run gives no verdict.
        whole: whether every entry that the catalog had was tried. asked: whether a person asked for the run, and not
            a measure of strength.
    """

    id: int
    started: str
    finished: str
    workload: str
    suite: str
    seed: int
    mode: Mode
    seconds: float
    tests: int
    catalog: Count | None
    made: Count | None
    headline: str
    tone: str
    kept: int | None = None
    promised: int | None = None
    problems: tuple[str, ...] = ()
    whole: bool = True
    asked: bool = True

    @property
    def alive(self) -> int:
        """Mutants of both kinds that no test killed."""
        return sum(count.alive for count in (self.catalog, self.made) if count is not None)

    @property
    def open(self) -> int:
        """Mutants of both kinds without a verdict."""
        return sum(count.open for count in (self.catalog, self.made) if count is not None)


def digest_of_summary(row: RunRow, summary: Summary, whole: bool) -> Digest:
    """Return the digest of a run that has just been judged: its verdict is the one that was printed."""
    made = summary.generated
    catalog = _count(summary.scores) if summary.verdicts else None
    tone = {ExitCode.KEPT: "good", ExitCode.UNDECIDED: "open"}.get(summary.code, "bad")
    promises = (summary.kept, len(summary.verdicts)) if summary.contract else (None, None)
    counts = catalog, _count(made.scores) if made is not None else None
    return _digest(row, summary.run, counts, (headline(summary), tone), promises, whole)


def digest_of_run(row: RunRow, run: Run, expected: Sequence[str] = (), whole: bool = True) -> Digest:
    """Return the digest of a run by its trials alone: named killers are not compared.

    Args:
        expected: mutants that are meant to survive.
    """
    entries = [name for name in run.matrix.variants if "." not in name]
    others = [name for name in run.matrix.variants if "." in name]  # a generated mutant's name has its module in it
    counts = (
        _count(scores(run, entries)) if entries else None,
        _count(scores(run, others)) if others else None,
    )
    meant = scores(run, [name for name in entries if name in expected]).counts
    alive = sum(count.alive for count in counts if count) - sum(meant.get(status, 0) for status in _ALIVE)
    undecided = sum(count.open for count in counts if count)
    why = spoiled(run) or ("" if run.matrix.tests else "there is no test")
    why = why or ("" if run.matrix.variants else "no mutant was tried")
    if why:
        verdict = f"No verdict: {why}", "bad"
    elif alive:
        verdict = f"{alive} {'mutant' if alive == 1 else 'mutants'} alive", "bad"
    elif undecided:
        verdict = f"{undecided} {'mutant' if undecided == 1 else 'mutants'} without a verdict", "open"
    else:
        verdict = "Every mutant killed", "good"
    return _digest(row, run, counts, verdict, (None, None), whole)


def _digest(
    row: RunRow,
    run: Run,
    counts: tuple[Count | None, Count | None],
    verdict: tuple[str, str],
    promises: tuple[int | None, int | None],
    whole: bool,
) -> Digest:
    root = str(row.meta.get("workload", ""))
    return Digest(
        id=row.id,
        started=row.started,
        finished=row.finished or "",
        workload=root,
        suite=_suite([Path(path) for path in row.meta.get("suite", ())], Path(root)),
        seed=run.seed,
        mode=run.mode,
        seconds=run.seconds,
        tests=len(run.matrix.tests),
        catalog=counts[0],
        made=counts[1],
        headline=verdict[0],
        tone=verdict[1],
        kept=promises[0],
        promised=promises[1],
        problems=run.problems,
        whole=whole,
        asked=row.asked,
    )


def _suite(paths: Sequence[Path], root: Path) -> str:
    """Return the tests' places, without how many files they are: a suite that grows by a file stays the same."""
    folders = {path.parent for path in paths}
    return places_of(list(folders) if len(paths) > 2 and len(folders) == 1 else paths, root)


def _count(found: Scores) -> Count:
    alive = sum(found.counts.get(status, 0) for status in _ALIVE)
    undecided = sum(number for status, number in found.counts.items() if status not in _SETTLED)
    return Count(found.killed, found.valid, alive, undecided, found.strict, found.reason)
