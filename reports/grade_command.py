"""`acidtest grade`: an implementation that nobody may trust, judged by the workload's tests behind a sandbox."""

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from acidtest.mutants.model import Test
from acidtest.mutants.sandbox.desk import Budget, Desk
from acidtest.mutants.workload import Workload
from acidtest.reports.context import Terminal, UsageError, say, state_folder, tell, terminal
from acidtest.reports.exits import ExitCode
from acidtest.reports.grade_files import Formats, write_formats
from acidtest.reports.grading import Assessment, Scheme
from acidtest.reports.render.passed_text import passed_page

if TYPE_CHECKING:
    from acidtest.reports.assessing import Assessor
    from acidtest.reports.feedback import Feedback


@dataclass(frozen=True, slots=True)
class Options:
    """What was asked for on the command line."""

    extended: bool
    staff: bool
    attempt: int
    salt: str
    own_deps: bool
    unsafe: bool
    json: str | None
    seconds: float
    state: Path | None
    scheme: Scheme = Scheme.BY_TEST
    formats: Formats = field(default_factory=Formats)


def grade_one(workload: Workload, path: Path, options: Options, here: Path) -> ExitCode:
    """Judge one submission and print what it comes to; the verdict is the last line.

    Raises:
        SandboxRefusedError: it cannot be run safely here.
    """
    if not path.exists() and not path.is_symlink():
        raise UsageError(f"{path}: there is no such file; name a Python file, a folder or a zip")
    with _desk(workload, options, state_folder(workload, options.state, here)) as desk:
        desk.begin()  # it collects the tests while this process imports what it needs
        assessor, assessment, tests = _assessed(workload, path, options, here, desk)
    pages = sys.stderr if options.json == "-" else sys.stdout
    view = terminal(pages)
    short = None if options.staff or options.formats.any else passed_page(assessment, view.width, view.colour)
    feedback, page = (None, short) if short is not None else _in_full(assessor, assessment, tests, options, view)
    _report(assessment, options)
    if feedback is not None and options.formats.any:
        write_formats(options.formats, feedback, page if options.staff else "")
    say(page, pages)
    return assessment.code


def _in_full(
    assessor: "Assessor", assessment: Assessment, tests: tuple[Test, ...], options: Options, view: Terminal
) -> tuple["Feedback", str]:
    """Return what the learner may read, and the page that was asked for."""
    from acidtest.reports.feedback import feedback_of
    from acidtest.reports.render.grade_text import learner_page, staff_page

    known = assessor.known if assessment.diagnosis is not None else None
    calls, reference = (known.calls, known.battery.reference) if known is not None else ((), ())
    feedback = feedback_of(assessment, tests, assessor.ladder, calls, options.attempt, options.scheme)
    if options.staff:
        page = staff_page(assessment, tests, dict(assessor.mutants), calls, reference, view.width, view.colour)
    else:
        page = learner_page(assessment, feedback, view.width, view.colour)
    return feedback, page


def _assessed(
    workload: Workload, path: Path, options: Options, here: Path, desk: Desk
) -> tuple["Assessor", Assessment, tuple[Test, ...]]:
    from acidtest.reports.assessing import Assessor, Terms, named

    terms = Terms(
        extended=options.extended,
        salt=options.salt,
        own_deps=options.own_deps,
        explain=options.staff,
        spare=not options.staff and options.json is None,  # the learner's page has nothing of a diagnosis then
        budget=Budget(seconds=options.seconds),
    )
    folder = state_folder(workload, options.state, here)
    assessor = Assessor(workload, folder, terms, tell)
    assessment = assessor.assess(path, named(path), desk)
    return assessor, assessment, assessor.tests(desk) if assessment.trials else ()


@contextmanager
def _desk(workload: Workload, options: Options, folder: Path) -> Iterator[Desk]:
    counted = workload if options.extended else workload.chapters_own()
    desk = Desk(counted, 0 if options.unsafe else None, folder=folder)
    try:
        yield desk
    finally:
        desk.close(1.0)


def _report(assessment: Assessment, options: Options) -> None:
    if options.json is None:
        return
    from acidtest.reports.render.grade_json import grade_document  # the versions that it names take time to find

    text = json.dumps(grade_document(assessment), indent=1) + "\n"
    if options.json == "-":
        say(text)
        return
    try:
        Path(options.json).write_text(text, encoding="utf-8")
    except OSError as error:
        raise UsageError(f"--json {options.json}: {error.strerror}; name a file that can be written") from error
