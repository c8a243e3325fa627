"""`acidtest grade-suite`: the tests that a learner writes, graded by which implementations they accept and refuse."""

import json
import os
import sys
from dataclasses import dataclass
from pathlib import Path

from acidtest.mutants.sandbox.suite_intake import looks_like_tests
from acidtest.mutants.workload import Workload
from acidtest.reports.context import UsageError, say, state_folder, terminal
from acidtest.reports.exits import ExitCode, worst
from acidtest.reports.hints import ladder_of
from acidtest.reports.render.suite_json import suite_document
from acidtest.reports.render.suite_text import learner_page, staff_page, table_page
from acidtest.reports.run_command import cores
from acidtest.reports.suite_examining import SuiteExaminer, SuiteTerms
from acidtest.reports.suite_grading import SuiteAssessment

_DESKS = 8
"""Showings at once where nobody says otherwise: each desk takes a second to be ready."""


@dataclass(frozen=True, slots=True)
class Options:
    """What was asked for on the command line.

    Attributes:
        whole: a folder is one suite, its test modules with their helpers.
    """

    staff: bool
    attempt: int
    salt: str
    whole: bool
    unsafe: bool
    json: str | None
    seconds: float
    jobs: int | None
    state: Path | None


def grade_suites(workload: Workload, path: Path, options: Options, here: Path) -> ExitCode:
    """Grade one suite, or each suite of a folder, and print what it comes to; the verdict is the last line.

    Raises:
        UsageError: there is no suite at ``path``. SandboxRefusedError: none can be run safely here.
    """
    places = suites_at(path, options.whole)
    if options.unsafe and len(places) > 1:
        raise UsageError("--unsafe is for one suite that you trust as your own, not for a folder of them")
    terms = SuiteTerms(
        salt=options.salt,
        seconds=options.seconds,
        jobs=options.jobs or min(cores(), _DESKS),
        tier=0 if options.unsafe else None,
    )
    folder = state_folder(workload, options.state, here)
    examiner = SuiteExaminer(workload, folder, terms, lambda text: say(f"first: {text}\n", sys.stderr))
    try:
        examiner.begin()
        assessments = [examiner.examine(place) for place in places]
    finally:
        examiner.close()
    pages = sys.stderr if options.json == "-" else sys.stdout
    view = terminal(pages)
    _write(assessments, options)
    if len(places) > 1:
        say(table_page(assessments, view.width, view.colour), pages)
        return worst({assessment.code for assessment in assessments})
    (assessment,) = assessments
    if options.staff:
        say(staff_page(assessment, examiner.mutants, view.width, view.colour), pages)
    else:
        ladder = ladder_of(workload)
        say(learner_page(assessment, examiner.mutants, ladder, options.attempt, view.width, view.colour), pages)
    return assessment.code


def suites_at(path: Path, whole: bool) -> list[Path]:
    """Return the suites at ``path``: a file; a folder as a whole; or its test modules, and its folders that hold some.

    Raises:
        UsageError: there is none.
    """
    if not path.exists():
        raise UsageError(f"{path}: there is no such file; name a test module, or a folder of them")
    if whole or not path.is_dir():
        return [path]
    found = []
    for entry in sorted(path.iterdir()):
        if entry.name.startswith(".") or entry.is_symlink():
            continue
        if looks_like_tests(entry.name) if entry.is_file() else _holds_tests(entry):
            found.append(entry)
    if not found:
        raise UsageError(f"{path}: holds no test module, nor a folder of them; call one test_rejection.py")
    return found


def _holds_tests(folder: Path) -> bool:
    return any(looks_like_tests(name) for _, _, names in os.walk(folder) for name in names)


def _write(assessments: list[SuiteAssessment], options: Options) -> None:
    if options.json is None:
        return
    text = json.dumps(suite_document(assessments, options.staff), indent=1) + "\n"
    if options.json == "-":
        say(text)
        return
    try:
        Path(options.json).write_text(text, encoding="utf-8")
    except OSError as error:
        raise UsageError(f"--json {options.json}: {error.strerror}; name a file that can be written") from error
