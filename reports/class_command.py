"""`acidtest grade` for a class: everybody's submission judged, kept in the grade book, and put together on one page."""

import contextlib
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from acidtest.mutants.sandbox.desk import Budget, Desk
from acidtest.mutants.workload import Workload
from acidtest.reports.assessing import Assessor, Terms
from acidtest.reports.class_counts import summarize
from acidtest.reports.class_files import class_folder, write_class
from acidtest.reports.class_key import changes, facts_of, key_of
from acidtest.reports.class_summary import ClassSummary, Meta
from acidtest.reports.context import UsageError, say, state_folder, tell, terminal
from acidtest.reports.exits import ExitCode
from acidtest.reports.grade_files import Formats
from acidtest.reports.gradebook import GradeBook
from acidtest.reports.grading import Scheme, Standing
from acidtest.reports.handed_in import Pile
from acidtest.reports.ledger import Ledger, look_at
from acidtest.reports.marking import mark
from acidtest.reports.moves import moves_of
from acidtest.reports.render.class_progress import ClassBar
from acidtest.reports.render.class_text import class_page
from acidtest.reports.roster import Enrolled, enroll, read_roster
from acidtest.reports.run_command import cores

MOST_JOBS = 60
"""Desks at once: each has a slot of its own, and the guests' users are numbered by slot."""


@dataclass(frozen=True, slots=True)
class ClassOptions:
    """What was asked for on the command line.

    Attributes:
        certain: it was said that this is a class, and not concluded from what it looks like.
        out: the folder for the files; in the state folder if None.
    """

    roster: Path | None = None
    scheme: Scheme = Scheme.BY_TEST
    jobs: int | None = None
    regrade: bool = False
    cluster: str | None = None
    certain: bool = True
    extended: bool = False
    explain: bool = False
    salt: str = ""
    own_deps: bool = False
    seconds: float = 60.0
    state: Path | None = None
    out: Path | None = None

    def terms(self) -> Terms:
        """Return by what each submission is judged."""
        budget = Budget(seconds=self.seconds)
        return Terms(self.extended, self.salt, self.own_deps, self.explain, budget=budget)


def grade_class(workload: Workload, path: Path, options: ClassOptions, here: Path) -> ExitCode:
    """Judge a class and print what it comes to.

    Raises:
        UsageError: there is no class, or the roster cannot be used. SandboxRefusedError: nothing can be run safely.
        StoreError: the results cannot be kept.
    """
    roster = read_roster(options.roster) if options.roster is not None else None
    state = state_folder(workload, options.state, here)
    with Pile(path, [options.roster] if options.roster else []) as pile, GradeBook(state) as book:
        enrolled = enroll(pile.submissions, roster)
        if not any(one.handed_in for one in enrolled):
            raise UsageError(f"{path}: holds no Python file, no zip and no folder; name the folder of a class")
        try:
            summary = _graded(workload, path, pile.title, enrolled, book, options, state)
        except KeyboardInterrupt:
            say("acidtest: interrupted; every result so far is kept, the same command goes on from there\n", sys.stderr)
            return ExitCode.INTERRUPTED
    folder = options.out or class_folder(workload, options.state, here)
    write_class(summary, folder)
    say(f"acidtest: class.html, grades.csv, results.jsonl and junit.xml are in {folder}\n", sys.stderr)
    view = terminal(sys.stdout)
    say(class_page(summary, pile.left_out, view.width, view.colour))
    return code_for(summary, options.certain)


def refuse_for_a_class(unsafe: bool, attempt: int, json: str | None, formats: Formats) -> None:
    """Refuse what makes sense for one submission only.

    Raises:
        UsageError: it was asked for.
    """
    if unsafe:
        raise UsageError("--unsafe judges one submission, of your own; a class is never judged without a sandbox")
    if attempt != 1:
        raise UsageError("--attempt is for one submission; the grade book counts the attempts of a class")
    if json is not None:
        raise UsageError("--json is for one submission")
    if formats.any:
        raise UsageError(
            "--gradescope, --junit, --prairielearn and --classroom are for one submission; --out is for a class"
        )


def code_for(summary: ClassSummary, certain: bool) -> ExitCode:
    """Return the exit code.

    Where nobody said that it is a class, 0 means what it means for one submission: all of it passed. Otherwise a
    learner could pass by handing in a folder that looks like a class.
    """
    standings = {row.assessment.standing for row in summary.rows if row.assessment is not None}
    if summary.code is ExitCode.KEPT and not certain and standings != {Standing.PASSED}:
        return ExitCode.BROKEN
    return summary.code


def _graded(
    workload: Workload,
    path: Path,
    title: str,
    enrolled: Sequence[Enrolled],
    book: GradeBook,
    options: ClassOptions,
    state: Path,
) -> ClassSummary:
    terms = options.terms()
    with _desks(workload, options) as desks:
        desks[0].begin()  # it collects the tests meanwhile
        assessor = Assessor(workload, state, terms, tell)
        learners = look_at(enrolled, options.own_deps)
        tests = assessor.tests(desks[0])
        facts = facts_of(workload, terms, desks[0].tier)
        key = key_of(facts)
        assignment = options.salt or str(path.resolve())
        grading = book.begin(assignment, key, options.scheme, facts, options.regrade)
        settled = {sha256 for sha256 in learners.readers if grading.settled(sha256)}
        with ClassBar(sys.stderr, len(learners.readers), sys.stderr.isatty()) as bar:
            marked = mark(
                learners.readers, assessor, desks, grading, lambda sha256: bar.advance(kept=sha256 in settled)
            )
    past = grading.past()
    ledger = Ledger(grading, marked, past, learners, options.scheme)
    meta = Meta(
        title=title,
        salt=options.salt,
        scheme=options.scheme,
        key=key,
        versions=facts["versions"],
        tier=desks[0].tier,
        jobs=len(desks),
        judged=marked.judged,
        kept=len(settled),
        seconds=marked.seconds,
    )
    rows = list(ledger.rows())
    moves = moves_of(past, ledger.grades, options.scheme, changes(past.facts, facts)) if past else ()
    grading.finish(ledger.grades, ledger.attempted)
    return summarize(rows, tests, assessor.mutants, meta, moves)


@contextlib.contextmanager
def _desks(workload: Workload, options: ClassOptions) -> Iterator[list[Desk]]:
    with ExitStack() as ending:
        if options.cluster is not None:
            try:
                from acidtest.mutants.cluster import Cluster  # the extra need not be installed
            except ImportError as error:
                raise UsageError("--cluster needs dask: python -m pip install 'acidtest[cluster]'") from error
            desks: list[Desk] = [*ending.enter_context(Cluster(options.cluster, workload)).desks()]
        else:
            jobs = min(options.jobs or cores(), MOST_JOBS)
            mine = sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else []
            pinned = [mine[slot % len(mine)] if mine and jobs > 1 else None for slot in range(jobs)]
            desks = [Desk(workload, None, slot, core) for slot, core in enumerate(pinned)]
        for desk in desks:
            ending.callback(desk.close, 1.0)
        yield desks
