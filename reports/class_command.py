"""`acidtest grade` for a class: everybody's submission judged, kept in the grade book, and put together on one page."""

import contextlib
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path

from acidtest.mutants.sandbox.desk import Budget, Desk
from acidtest.mutants.sandbox.intake import Submission
from acidtest.mutants.sandbox.intake_text import IntakeError, cleaned
from acidtest.mutants.workload import Workload
from acidtest.reports.assessing import Assessor, Terms
from acidtest.reports.class_files import class_folder, write_class
from acidtest.reports.class_key import changes, facts_of, key_of
from acidtest.reports.class_summary import ClassSummary, Meta, Row, score_of, summarize
from acidtest.reports.context import UsageError, say, state_folder, terminal
from acidtest.reports.exits import ExitCode
from acidtest.reports.grade_files import Formats
from acidtest.reports.gradebook import Grade, GradeBook, Grading, Past
from acidtest.reports.grading import Assessment, Scheme, Standing
from acidtest.reports.handed_in import HandedIn, Pile
from acidtest.reports.marking import Marked, Read, mark
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
        return Terms(self.extended, self.salt, self.own_deps, self.explain, Budget(seconds=self.seconds))


@dataclass(frozen=True)
class _Class:
    """Who is in it, and what each of them handed in.

    Attributes:
        hashes: of the submissions that can be taken, by learner's id. refused: why the others cannot, by id.
        readers: how to read each submission again, by hash, in the class's order.
    """

    enrolled: Sequence[Enrolled]
    hashes: dict[str, str] = field(default_factory=dict)
    refused: dict[str, str] = field(default_factory=dict)
    readers: dict[str, Read] = field(default_factory=dict)


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


def is_class(path: Path, said: bool | None, roster: Path | None) -> bool:
    """Return whether a class is to be graded: because it was said, because there is a roster, or by what is there.

    Args:
        said: True for a class, False for one submission, None where nothing was said.

    Raises:
        UsageError: one submission has no roster.
    """
    if said is False and roster is not None:
        raise UsageError("--one and --roster ask for opposite things; give one of them")
    if said is not None or roster is not None:
        return said is not False
    try:
        with Pile(path) as pile:
            return pile.is_class()
    except UsageError:
        return False  # whatever it is, the one submission that it is taken for will be refused in a sentence


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
        assessor = Assessor(workload, state, terms)
        learners = _looked_at(enrolled, options.own_deps)
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
    ledger = _Ledger(grading, marked, past, learners, options.scheme)
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
            from acidtest.mutants.cluster import Cluster  # the extra [cluster] need not be installed

            desks: list[Desk] = [*ending.enter_context(Cluster(options.cluster, workload)).desks()]
        else:
            jobs = min(options.jobs or cores(), MOST_JOBS)
            mine = sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else []
            pinned = [mine[slot % len(mine)] if mine and jobs > 1 else None for slot in range(jobs)]
            desks = [Desk(workload, None, slot, core) for slot, core in enumerate(pinned)]
        for desk in desks:
            ending.callback(desk.close, 1.0)
        yield desks


def _looked_at(enrolled: Sequence[Enrolled], own_deps: bool) -> _Class:
    """Read every submission once, and keep of it how it hashes, or why it is refused."""
    found = _Class(enrolled)
    for one in enrolled:
        if one.several:
            names = " and ".join(one.several)
            found.refused[one.id] = f"{names} could all be this learner's; name one in the roster's column file"
        elif one.handed_in is not None:
            try:
                sha256 = one.handed_in.read(own_deps).sha256
            except IntakeError as error:
                found.refused[one.id] = str(error)
                continue
            found.hashes[one.id] = sha256
            found.readers.setdefault(sha256, _reading(one.handed_in, own_deps))
    return found


def _reading(handed_in: HandedIn, own_deps: bool) -> Callable[[], Submission]:
    return lambda: handed_in.read(own_deps)


@dataclass
class _Ledger:
    """Writes down what each learner has now.

    Attributes:
        grades, attempted: of the rows that were written; see ``Grading.finish``.
    """

    grading: Grading
    marked: Marked
    past: Past | None
    learners: _Class
    scheme: Scheme
    grades: list[Grade] = field(default_factory=list)
    attempted: list[tuple[str, str]] = field(default_factory=list)

    def rows(self) -> Iterator[Row]:
        """Yield a row for each learner, the assessments with their answers."""
        for one in self.learners.enrolled:
            place = cleaned(one.handed_in.name) if one.handed_in else ""
            row = replace(self._row(one, place), name=one.name, place=place, rostered=one.rostered)
            assessment = row.assessment
            row = replace(row, score=score_of(assessment, self.scheme))
            if assessment is not None and assessment.standing is not Standing.INTERNAL:
                row = replace(row, attempts=self.grading.attempts(one.id, assessment.sha256))
                if assessment.sha256:
                    self.attempted.append((one.id, assessment.sha256))
            yield row

    def _row(self, one: Enrolled, place: str) -> Row:
        if one.handed_in is None:
            return Row(one.id)
        if one.id in self.learners.refused:
            refused = Assessment(place, "", 0, -1, Standing.UNGRADABLE, self.learners.refused[one.id])
            return self._noted(Row(one.id, assessment=refused), self.grading.key)
        sha256 = self.learners.hashes[one.id]
        result, key, fault = self.grading.result(sha256), self.grading.key, self.marked.faults.get(sha256, "")
        if fault and result is None and self.past is not None and one.id in self.past.grades:
            before = self.past.grades[one.id]
            key = before.key
            result = self.grading.earlier(before.sha256, key)
        if result is None:
            failed = Assessment(place, sha256, 0, -1, Standing.INTERNAL, fault)
            return self._noted(Row(one.id, assessment=failed), key)
        assessment = replace(result.assessment, name=place)
        return self._noted(Row(one.id, assessment=assessment, retried=bool(result.retried), fault=fault), key)

    def _noted(self, row: Row, key: str) -> Row:
        assert row.assessment is not None
        outcomes = {trial.test: str(trial.outcome) for trial in row.assessment.trials}
        score = score_of(row.assessment, self.scheme)
        self.grades.append(Grade(row.id, row.assessment.sha256, key, score, outcomes))
        return row
