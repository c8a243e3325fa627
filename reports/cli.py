"""The command line: reads what was asked for, calls, prints. Nothing is decided here."""

import difflib
import functools
import os
import signal
import sys
import tempfile
import traceback
from collections.abc import Callable
from dataclasses import fields
from fractions import Fraction
from pathlib import Path
from typing import NoReturn, cast

import click

from acidtest.mutants.certificates import CertificateError
from acidtest.mutants.generated import GeneratedError
from acidtest.mutants.lab import BaselineFailedError, LabError
from acidtest.mutants.load import CatalogError, load_catalog
from acidtest.mutants.sandbox.desk import DeskError, SandboxRefusedError
from acidtest.mutants.splice import SpliceError
from acidtest.mutants.workload import WorkloadError, find_workload
from acidtest.reports import catalog_commands, certify_command, learner_commands, witness_command
from acidtest.reports.class_command import ClassOptions, grade_class, is_class, refuse_for_a_class
from acidtest.reports.context import UsageError, say, terminal
from acidtest.reports.doctor_command import NoSandboxError
from acidtest.reports.doctor_command import doctor as doctor_command
from acidtest.reports.exits import MEANINGS, ExitCode
from acidtest.reports.gaps_command import Options as GapsOptions
from acidtest.reports.gaps_command import gaps_command
from acidtest.reports.grade_command import Options as GradeOptions
from acidtest.reports.grade_command import grade_one
from acidtest.reports.grade_files import Formats
from acidtest.reports.gradescope_bundle import BundleOptions, gradescope_command
from acidtest.reports.grading import Scheme
from acidtest.reports.mutmut_command import mutmut_command
from acidtest.reports.render import catalog_text
from acidtest.reports.report_command import Options as ReportOptions
from acidtest.reports.report_command import report_command
from acidtest.reports.report_files import ReportFiles
from acidtest.reports.run_command import Options, cores, run_command
from acidtest.reports.store import StoreError
from acidtest.reports.strength_command import Options as StrengthOptions
from acidtest.reports.strength_command import strength_command
from acidtest.reports.suite_command import Options as SuiteOptions
from acidtest.reports.suite_command import grade_suites

_CODES: tuple[tuple[type[Exception], ExitCode], ...] = (
    (UsageError, ExitCode.USAGE),
    (WorkloadError, ExitCode.USAGE),
    (CatalogError, ExitCode.USAGE),
    (CertificateError, ExitCode.USAGE),
    (GeneratedError, ExitCode.NO_VERDICT),
    (SpliceError, ExitCode.CANNOT_JUDGE),
    (StoreError, ExitCode.NO_VERDICT),
    (BaselineFailedError, ExitCode.CANNOT_JUDGE),
    (LabError, ExitCode.NO_VERDICT),
    (NoSandboxError, ExitCode.NO_VERDICT),
    (SandboxRefusedError, ExitCode.NO_VERDICT),
    (DeskError, ExitCode.CANNOT_JUDGE),
)
_EXITS = "\b\nExit codes:\n" + "\n".join(f"  {code:>3}  {meaning}" for code, meaning in MEANINGS.items())
_SETTINGS = {"help_option_names": ["-h", "--help"], "max_content_width": 100}


class _Percent(click.ParamType[Fraction]):
    name = "percent"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> Fraction:
        try:
            percent = Fraction(str(value).removesuffix("%"))
        except (ValueError, ZeroDivisionError):
            self.fail(f"{value!r} is not a number", param, ctx)
        if not 0 <= percent <= 100:
            self.fail(f"{value} is not between 0 and 100", param, ctx)
        return percent


class _Points(click.ParamType[Fraction]):
    name = "points"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> Fraction:
        try:
            points = Fraction(str(value))
        except (ValueError, ZeroDivisionError):
            self.fail(f"{value!r} is not a number", param, ctx)
        if not 0 < points <= 1_000_000:
            self.fail(f"{value} is not between 0 and a million", param, ctx)
        return points


def _files(command: Callable[..., ExitCode]) -> Callable[..., ExitCode]:
    """Give a command the options that name files for other programs, and hand them to it as ``files``."""

    @functools.wraps(command)
    def with_files(**values: object) -> ExitCode:
        paths = {field.name: cast("Path | None", values.pop(field.name)) for field in fields(ReportFiles)}
        return command(files=ReportFiles(**paths), **values)

    for name, help_ in reversed(_FILES.items()):
        path = click.Path(path_type=Path, dir_okay=False)
        with_files = click.option(f"--{name}", type=path, metavar="FILE", help=help_)(with_files)
    return with_files


_FILES = {
    "stryker": "Write Stryker's mutation-testing-report JSON too.",
    "stryker-html": "Write Stryker's own page of it.",
    "junit": "Write JUnit's XML: a case a mutant.",
    "markdown": "Write a summary for a pull request.",
    "csv": "Write the matrix: a row for each test and mutant.",
}


class _Commands(click.Group):
    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and not args[0].startswith("-") and self.get_command(ctx, args[0]) is None:
            near = difflib.get_close_matches(args[0], self.list_commands(ctx), n=2, cutoff=0.5)
            raise click.UsageError(
                f"no command {args[0]!r}" + (f"; did you mean {' or '.join(near)}?" if near else ""), ctx
            )
        return super().resolve_command(ctx, args)


@click.group(cls=_Commands, context_settings=_SETTINGS, epilog=_EXITS)
@click.version_option(package_name="acidtest", message="%(prog)s %(version)s")
def acidtest() -> None:
    """How strong is this test suite? acidtest breaks the code on purpose, in ways that people really do,
    and says which tests notice.

    It works on the project you stand in (its pyproject.toml has a [tool.acidtest]), else on the workload
    that ships: rejection sampling, as speculative decoding uses it.

    \b
    acidtest run                   every mutant against every test that reaches it
    acidtest run --tests my_tests  how strong is my suite?
    acidtest show s01              one mutant: what it does wrong, and who saw it
    """


@acidtest.command()
@click.option("--tests", type=click.Path(path_type=Path), multiple=True, metavar="PATH",
              help="Judge this pytest file or folder in place of the workload's own tests; "
              "no killers are compared, survivors are listed.")  # fmt: skip
@click.option("--only", metavar="IDS", help="Try only these mutants: s01,s09.")
@click.option("--first-kill", is_flag=True, help="Stop at a mutant's first kill: faster, but no killers are compared.")
@click.option("--matrix", is_flag=True, help="Every test on the generated mutants too, past their first kill.")
@click.option("--no-generated", is_flag=True, help="Only the catalog: leave the generated mutants out.")
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Seed of every random choice.")
@click.option("--jobs", type=click.IntRange(1), help="Processes at once; as many as there are cores if not given.")
@click.option("--json", "json_", metavar="FILE", help="Write the result for machines too; - for standard output.")
@click.option("--fail-under", type=_Percent(), metavar="N", help="Exit 0 if at least N percent are killed, else 1.")
@click.option("--no-fork", is_flag=True, help="A fresh process for each mutant: slower, with the same results.")
@click.option("--no-prune", is_flag=True, help="Also run tests that never execute the changed line.")
@click.option("--state", type=click.Path(path_type=Path), metavar="DIR", help="Keep runs here. [default: .acidtest]")
@click.option("--timeout", type=click.FloatRange(0.1), default=5.0, show_default=True, metavar="SECONDS",
              help="A test may take this long, or ten times its usual time if that is longer.")  # fmt: skip
@click.option("--quiet", is_flag=True, help="Only what is wrong, and the conclusions.")
@click.option("--no-page", is_flag=True, help="Leave no HTML page behind.")
@_files
def run(
    tests: tuple[Path, ...],
    only: str | None,
    first_kill: bool,
    matrix: bool,
    no_generated: bool,
    seed: int,
    jobs: int | None,
    json_: str | None,
    fail_under: Fraction | None,
    no_fork: bool,
    no_prune: bool,
    state: Path | None,
    timeout: float,
    quiet: bool,
    no_page: bool,
    files: ReportFiles,
) -> ExitCode:
    """Try every mutant of the catalog, and say which tests kill it.

    First the tests run on the unchanged code: they must pass. Then each mutant is tried, with controls
    between them whose outcome is known. A mutant keeps its promise when every test named for it fails on it.
    Mutants that mutmut generates are tried beside the catalog's, up to their first kill, and scored apart.
    An interrupted run goes on where it stopped when the same command is given again.

    \b
    acidtest run                              the whole job
    acidtest run --only s01,s09 --seed 7      two mutants, with another seed
    acidtest run --tests tests/ --fail-under 80   judge a suite of your own
    acidtest run --junit junit.xml --markdown summary.md   files for other programs too
    """
    if first_kill and matrix:
        raise UsageError("--first-kill and --matrix ask for opposite things; give one of them")
    ids = tuple(part.strip() for part in (only or "").split(",") if part.strip())
    if only is not None and not ids:
        raise UsageError("--only names no mutant; write --only s01,s09")
    options = Options(
        tests=tests,
        only=ids,
        first_kill=first_kill,
        matrix=matrix,
        generated=not no_generated,
        seed=seed,
        jobs=jobs,
        json=json_,
        fail_under=fail_under,
        fork=not no_fork,
        prune=not no_prune,
        state=state,
        quiet=quiet,
        timeout=timeout,
        page=not no_page,
        files=files,
    )
    return run_command(find_workload(Path.cwd()), options, Path.cwd())


@acidtest.command()
@click.argument("path", metavar="PATH", type=click.Path(path_type=Path))
@click.option("--extended", is_flag=True, help="All tests of the workload, and not the chapter's own alone.")
@click.option("--staff", is_flag=True, help="Reasons, small examples, the diagnosis: not for the learner's eyes.")
@click.option(
    "--attempt", type=click.IntRange(1), default=1, metavar="N", help="Each attempt adds a hint. [default: 1]"
)
@click.option("--salt", default="", metavar="TEXT", help="The assignment; another one draws other inputs.")
@click.option("--own-deps", is_flag=True, help="Its own categorical.py and uniforms.py, beside it, count too.")
@click.option("--seconds", type=click.FloatRange(1), default=60.0, metavar="S",
              help="For all tests together. [default: 60]")  # fmt: skip
@click.option("--unsafe", is_flag=True, help="Without a sandbox: only for code that you trust as your own.")
@click.option("--json", "json_", metavar="FILE", help="Write the result for machines; - for standard output.")
@click.option("--state", type=click.Path(path_type=Path), metavar="DIR", help="Where acidtest keeps what saves work.")
@click.option("--class/--one", "as_class", default=None,
              help="PATH is a class, or one submission, whatever it looks like.")  # fmt: skip
@click.option("--roster", type=click.Path(path_type=Path), metavar="CSV",
              help="Who is in the class: columns id, and file or name.")  # fmt: skip
@click.option("--scheme", type=click.Choice([str(scheme) for scheme in Scheme]), default=str(Scheme.BY_TEST),
              show_default=True, help="How points are given.")  # fmt: skip
@click.option("--jobs", type=click.IntRange(1), help="Submissions at once; as many as there are cores if not given.")
@click.option("--regrade", is_flag=True, help="Judge again what has a result, and say whose score moved.")
@click.option("--cluster", metavar="URL", help="Judge on a Dask cluster: tcp://host:8786.")
@click.option("--out", type=click.Path(path_type=Path), metavar="DIR",
              help="Where a class's files go. [default: reports/class in the state folder]")  # fmt: skip
@click.option("--gradescope", type=click.Path(path_type=Path), metavar="FILE", help="Write Gradescope's results.json.")
@click.option("--junit", type=click.Path(path_type=Path), metavar="FILE", help="Write JUnit's XML.")
@click.option("--prairielearn", type=click.Path(path_type=Path), metavar="FILE",
              help="Write PrairieLearn's results.json.")  # fmt: skip
@click.option("--classroom", type=click.Path(path_type=Path), metavar="FILE",
              help="Write the JSON of a GitHub Classroom runner.")  # fmt: skip
@click.option("--points", type=_Points(), default="100", metavar="N",
              help="What full marks are worth in these files. [default: 100]")  # fmt: skip
def grade(
    path: Path,
    extended: bool,
    staff: bool,
    attempt: int,
    salt: str,
    own_deps: bool,
    seconds: float,
    unsafe: bool,
    json_: str | None,
    state: Path | None,
    as_class: bool | None,
    roster: Path | None,
    scheme: str,
    jobs: int | None,
    regrade: bool,
    cluster: str | None,
    out: Path | None,
    gradescope: Path | None,
    junit: Path | None,
    prairielearn: Path | None,
    classroom: Path | None,
    points: Fraction,
) -> ExitCode:
    """Judge an implementation that nobody may trust, or those of a whole class.

    PATH is a Python file, or a folder or zip with one rejection.py in it. It runs in a sandbox, a fresh process
    for each test; the tests run outside. The last line is the verdict. Exit code 0: every test passed, 1: one
    failed, 3: one ran out of time or memory, or crashed, 4: there is nothing to judge, 5: no sandbox holds here.

    A folder or zip with the Python files, folders and zips of several people is a class; with --class or --roster
    it is one whatever it looks like, and exit code 0 says that every submission has a verdict, 70 that the grader
    failed on one. Results are kept as they come: an interrupted command goes on where it stopped. A script that
    is given what a learner handed in says --one.

    For one submission, files for other graders hold what its learner may read; with --staff Gradescope's has a
    hidden test too, and where a test is hidden, Gradescope does not show learners their total.

    \b
    acidtest grade rejection.py                 what a learner sees
    acidtest grade rejection.py --attempt 3     with more hints
    acidtest grade rejection.py --staff         which mistake it is, in exact numbers
    acidtest grade handed_in --class            everybody's, a page for the staff
    acidtest grade handed_in.zip --roster class.csv --scheme by-pitfall
    """
    formats = Formats(gradescope, junit, prairielearn, classroom, points)
    workload = find_workload(Path.cwd())
    if is_class(path, as_class, roster):
        certain = as_class is True or roster is not None
        choice = ClassOptions(
            roster,
            Scheme(scheme),
            jobs,
            regrade,
            cluster,
            certain,
            extended,
            staff,
            salt,
            own_deps,
            seconds,
            state,
            out=out,
        )
        refuse_for_a_class(unsafe, attempt, json_, formats)
        return grade_class(workload, path, choice, Path.cwd())
    options = GradeOptions(
        extended, staff, attempt, salt, own_deps, unsafe, json_, seconds, state, Scheme(scheme), formats
    )
    return grade_one(workload, path, options, Path.cwd())


@acidtest.command(name="gradescope", short_help="Make the autograder that Gradescope takes.")
@click.argument("file", metavar="FILE.zip", type=click.Path(path_type=Path, dir_okay=False))
@click.option("--scheme", type=click.Choice([str(scheme) for scheme in Scheme]), default=str(Scheme.BY_TEST),
              show_default=True, help="How points are given.")  # fmt: skip
@click.option("--points", type=_Points(), default="100", metavar="N", help="What full marks are worth. [default: 100]")
@click.option("--extended", is_flag=True, help="All tests of the workload, and not the chapter's own alone.")
@click.option("--staff", is_flag=True, help="Reasons and small examples too, in a hidden test: it hides the total.")
@click.option("--salt", default="", metavar="TEXT", help="The assignment; another one draws other inputs.")
@click.option("--own-deps", is_flag=True, help="Its own categorical.py and uniforms.py, beside it, count too.")
@click.option("--seconds", type=click.FloatRange(1), default=60.0, metavar="S",
              help="For all tests together. [default: 60]")  # fmt: skip
@click.option("--wheel", type=click.Path(path_type=Path), metavar="FILE",
              help="Put this wheel of acidtest in. [default: made from what is installed]")  # fmt: skip
@click.option("--wheels", type=click.Path(path_type=Path, file_okay=False), metavar="DIR",
              help="Put these wheels of what acidtest needs in, to install without the network.")  # fmt: skip
def gradescope_(
    file: Path,
    scheme: str,
    points: Fraction,
    extended: bool,
    staff: bool,
    salt: str,
    own_deps: bool,
    seconds: float,
    wheel: Path | None,
    wheels: Path | None,
) -> ExitCode:
    """Make the autograder that Gradescope takes.

    FILE.zip holds acidtest as a wheel, setup.sh, which installs it, and run_autograder, which grades what lies in
    /autograder/submission and writes /autograder/results/results.json. It judges by the workload that ships. Learners
    see each test, and a hint more with each attempt; the staff find the result for machines in the autograder's output.
    Where the grader fails, or no sandbox holds, there is no score and no attempt is spent.

    \b
    acidtest gradescope autograder.zip --points 20 --salt hw3
    """
    options = BundleOptions(wheel, wheels, Scheme(scheme), points, extended, staff, salt, own_deps, seconds)
    return gradescope_command(find_workload(Path.cwd()), file, options)


@acidtest.command(name="grade-suite", short_help="Grade the tests that a learner writes.")
@click.argument("path", metavar="FILE|DIR", type=click.Path(path_type=Path))
@click.option("--whole", is_flag=True, help="DIR is one suite: its test modules, with the helpers that they import.")
@click.option("--staff", is_flag=True, help="Everything by name: not for the learner's eyes.")
@click.option(
    "--attempt", type=click.IntRange(1), default=1, metavar="N", help="Each attempt adds a hint. [default: 1]"
)
@click.option("--salt", default="", metavar="TEXT", help="The assignment; another one draws other inputs.")
@click.option("--seconds", type=click.FloatRange(1), default=300.0, metavar="S", help="For one suite. [default: 300]")
@click.option("--jobs", type=click.IntRange(1), help="Showings at once; as many as there are cores if not given.")
@click.option("--unsafe", is_flag=True, help="Without a sandbox: only for a suite that you trust as your own.")
@click.option("--json", "json_", metavar="FILE", help="Write the result for machines; - for standard output.")
@click.option("--state", type=click.Path(path_type=Path), metavar="DIR", help="Where acidtest keeps what saves work.")
def grade_suite(
    path: Path,
    whole: bool,
    staff: bool,
    attempt: int,
    salt: str,
    seconds: float,
    jobs: int | None,
    unsafe: bool,
    json_: str | None,
    state: Path | None,
) -> ExitCode:
    """Grade the tests that a learner writes, as untrusted as any code.

    FILE is a pytest module; of a DIR, each test module and each folder that holds some is a suite. It runs in a
    sandbox and is shown right implementations among wrong ones, which it can tell apart by what they answer alone. A
    test that fails on a right one is dropped; what the others notice is counted. Exit code 0: all tests are valid and
    see every kind of mistake, 1: they do not, 3: one ran out of time or crashed, 4: there is nothing to grade,
    5: no sandbox holds here.

    \b
    acidtest grade-suite test_mine.py                 what a learner sees
    acidtest grade-suite test_mine.py --attempt 3     with more hints
    acidtest grade-suite suites/ --json result.json   a table of many
    """
    options = SuiteOptions(staff, attempt, salt, whole, unsafe, json_, seconds, jobs, state)
    return grade_suites(find_workload(Path.cwd()), path, options, Path.cwd())


@acidtest.command()
def check() -> ExitCode:
    """Try every claim that the catalog's entries make.

    Each entry must be complete, match one place of the code, change only the function it names, name tests
    that exist, and state truly how the reference and the mutant answer to its witness. All faults are listed.

    \b
    acidtest check        exit code 0 when every claim holds, 1 when one does not
    """
    return catalog_commands.check(find_workload(Path.cwd()))


@acidtest.command(name="list")
def list_() -> ExitCode:
    """List the mutants.

    What each does wrong, where, and the tests that are named for it.

    \b
    acidtest list | grep residual
    """
    view = terminal(sys.stdout)
    workload = find_workload(Path.cwd())
    say(catalog_text.list_page(load_catalog(workload.catalog), view.width, view.colour))
    return ExitCode.KEPT


@acidtest.command()
@click.argument("mutant")
@click.option("--state", type=click.Path(path_type=Path), metavar="DIR", help="Where runs are kept.")
@click.option("--no-examples", is_flag=True, help="Do not search for the smallest failing examples: at once.")
def show(mutant: str, state: Path | None, no_examples: bool) -> ExitCode:
    """Show one mutant and who killed it.

    Its diff, why people write it, where it was seen, a call that shows it, and the tests that killed it in
    the latest run; for the named ones the failing example is made small.

    \b
    acidtest show s01
    """
    return catalog_commands.show(find_workload(Path.cwd()), mutant, state, not no_examples, Path.cwd())


@acidtest.command()
def tests() -> ExitCode:
    """List the tests that mutants are named for.

    For each its kind, what it checks, why that matters, and the mutants whose named killer it is.

    \b
    acidtest tests
    """
    return catalog_commands.tests(find_workload(Path.cwd()))


@acidtest.command()
@click.argument("id")
@click.argument("title")
@click.option("--function", metavar="NAME", help="The function that it changes; the first there is if not given.")
def new(id: str, title: str, function: str | None) -> ExitCode:
    """Begin a new entry of the catalog.

    Writes a file with everything filled in that can be known. What is left to write is the wrong code, the
    tests that must notice, and one call that shows it; then `acidtest check` says what is missing, and how
    reference and mutant answer.

    \b
    acidtest new s47 "rounds the ratio to float32" --function rejection_accept
    """
    return catalog_commands.new(find_workload(Path.cwd()), id, title, function)


@acidtest.command()
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
def start(folder: Path) -> ExitCode:
    """Copy the file that a learner begins from into DIR.

    A file that is there already is never overwritten.

    \b
    acidtest start my_solution
    """
    return learner_commands.start(find_workload(Path.cwd()), folder)


@acidtest.command()
@click.argument("file", type=click.Path(path_type=Path))
def diff(file: Path) -> ExitCode:
    """Compare a learner's file with the reference.

    Function by function, as a diff. FILE is read as text and never run.

    \b
    acidtest diff my_solution/rejection.py
    """
    return learner_commands.diff(find_workload(Path.cwd()), file)


@acidtest.command()
@click.argument("run", type=click.IntRange(1), required=False)
@click.option("--tests", type=click.Path(path_type=Path), multiple=True, metavar="PATH",
              help="The latest run of this pytest file or folder; it is run first where none is kept.")  # fmt: skip
@click.option("--write", type=click.Path(path_type=Path), metavar="FILE", help="Write all tests to paste as a module.")
@click.option("--state", type=click.Path(path_type=Path), metavar="DIR", help="Where runs are kept.")
@click.option("--seconds", type=click.FloatRange(0.1), default=30.0, show_default=True,
              help="How long to search for a call that shows one mutant.")  # fmt: skip
@click.option("--jobs", type=click.IntRange(1), help="Processes at once; as many as there are cores if not given.")
@click.option("--no-fork", is_flag=True, help="A fresh process for each mutant: slower, with the same results.")
@click.option("--no-page", is_flag=True, help="Leave no HTML page behind.")
def gaps(
    run: int | None,
    tests: tuple[Path, ...],
    write: Path | None,
    state: Path | None,
    seconds: float,
    jobs: int | None,
    no_fork: bool,
    no_page: bool,
) -> ExitCode:
    """Turn each survivor into a test.

    For every mutant that a run did not kill: the smallest call on which it answers differently, what it breaks, the
    test that came nearest and why it missed, and a test to paste. Each test is run before it is shown: it passes on
    the reference and on every other right implementation, and fails on the mutant. RUN is a kept run's number.
    The same is left behind as a page for the browser, gaps.html beside that of the run, with buttons that copy.

    \b
    acidtest gaps                                  the latest run of the workload's own tests
    acidtest gaps --tests my_tests --write test_gaps.py
    """
    options = GapsOptions(run, tests, write, state, seconds, jobs, not no_fork, not no_page)
    return gaps_command(find_workload(Path.cwd()), options, Path.cwd())


@acidtest.command()
@click.option("--tests", type=click.Path(path_type=Path), multiple=True, metavar="PATH",
              help="Use this pytest file or folder in place of the workload's own tests.")  # fmt: skip
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Seed of Hypothesis, on both sides.")
@click.option("--jobs", type=click.IntRange(1), help="Processes at once; as many as there are cores if not given.")
@click.option("--json", "json_", is_flag=True, help="Print the result for machines.")
@click.option("--state", type=click.Path(path_type=Path), metavar="DIR", help="Work in here. [default: .acidtest]")
def mutmut(tests: tuple[Path, ...], seed: int, jobs: int | None, json_: bool, state: Path | None) -> ExitCode:
    """Let mutmut itself try the generated mutants, and compare.

    It runs in a copy of its own, with the same tests. Every mutant on which it and the lab say different
    things is listed with the reason. It takes some minutes.

    \b
    acidtest mutmut       exit code 0 when every difference has a reason
    """
    return mutmut_command(find_workload(Path.cwd()), tests, seed, jobs or cores(), state, json_, Path.cwd())


@acidtest.command()
@click.argument("run", type=click.IntRange(1), required=False)
@click.option("--tests", type=click.Path(path_type=Path), multiple=True, metavar="PATH",
              help="Measure this pytest file or folder, in the pool of the workload's own tests.")  # fmt: skip
@click.option("--seeds", type=click.IntRange(1), metavar="N", help="Run the matrix under N seeds: how sure is a kill?")
@click.option("--json", "json_", metavar="FILE", help="Write the measures for machines too; - for standard output.")
@click.option("--domain", is_flag=True, help="Ask every call of the bounded domain D once; some minutes, then kept.")
@click.option("--generated", is_flag=True, help="Measure with the generated mutants too.")
@click.option("--state", type=click.Path(path_type=Path), metavar="DIR", help="Where runs are kept.")
@click.option("--jobs", type=click.IntRange(1), help="Processes at once; as many as there are cores if not given.")
@click.option("--no-fork", is_flag=True, help="A fresh process for each mutant: slower, with the same results.")
@click.option("--no-page", is_flag=True, help="Leave no HTML page behind.")
def strength(
    run: int | None,
    tests: tuple[Path, ...],
    seeds: int | None,
    json_: str | None,
    domain: bool,
    generated: bool,
    state: Path | None,
    jobs: int | None,
    no_fork: bool,
    no_page: bool,
) -> ExitCode:
    """Measure how strong the tests are.

    Which tests carry the suite and which add nothing, which mutants hang on one test, how the suite compares with
    random ones of its size, which kinds of examples reach which mistake, what a statistical test can see at all;
    and what to do about it. RUN is a kept run's number. The same is left behind as a page for the browser,
    strength.html beside that of the run.

    \b
    acidtest strength                     the latest matrix of the workload's own tests; run first where none is kept
    acidtest strength --seeds 20          and how sure each kill is
    acidtest strength --tests my_tests    a suite of your own
    """
    options = StrengthOptions(run, tests, seeds or 0, json_, domain, generated, state, jobs, not no_fork, not no_page)
    return strength_command(find_workload(Path.cwd()), options, Path.cwd())


@acidtest.command()
@click.argument("names", metavar="FILE_OR_ID [FILE_OR_ID]", nargs=-1, required=True)
@click.option("--seconds", type=click.FloatRange(0.1), default=30.0, show_default=True, help="How long to search.")
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Seed of what is drawn beyond D.")
@click.option("--state", type=click.Path(path_type=Path), metavar="DIR", help="Where generated mutants are kept.")
@click.option("--no-fork", is_flag=True, help="Fresh processes: slower, with the same results.")
def witness(names: tuple[str, ...], seconds: float, seed: int, state: Path | None, no_fork: bool) -> ExitCode:
    """Find the smallest call on which two implementations differ.

    One name is compared with the reference, two with each other. A name is a mutant's id or a Python file. The bounded
    domain D is searched first, then a sample drawn beyond it. Exit code 0 where no call shows a difference, 1 where
    one does, 3 where the search did not end.

    A file is imported and run, with all that you may do yourself: not for code that you do not trust.

    \b
    acidtest witness s23
    acidtest witness my_solution/rejection.py
    acidtest witness s06 s07
    """
    return witness_command.witness(find_workload(Path.cwd()), names, seconds, seed, not no_fork, state, Path.cwd())


@acidtest.command(short_help="Write a kept run as a page for the browser.")
@click.argument("run", type=click.IntRange(1), required=False)
@click.option("--html", type=click.Path(path_type=Path), metavar="FILE",
              help="Write the page here. [default: run.html in reports/out, or .acidtest/reports]")  # fmt: skip
@_files
@click.option("--quick", is_flag=True, help="Only what is known already: no search for calls, tests and laws.")
@click.option("--examples", is_flag=True, help="Make every failing input small, not only those of named killers.")
@click.option("--state", type=click.Path(path_type=Path), metavar="DIR", help="Where runs are kept.")
@click.option("--seconds", type=click.FloatRange(0.1), default=30.0, show_default=True,
              help="How long to search for a call that shows one survivor.")  # fmt: skip
@click.option("--jobs", type=click.IntRange(1), help="Processes at once; as many as there are cores if not given.")
@click.option("--no-fork", is_flag=True, help="Fresh processes: slower, with the same results.")
def report(
    run: int | None,
    html: Path | None,
    files: ReportFiles,
    quick: bool,
    examples: bool,
    state: Path | None,
    seconds: float,
    jobs: int | None,
    no_fork: bool,
) -> ExitCode:
    """Write a kept run as one page for the browser, and as files for other programs.

    The verdict, the kill matrix, the output law of every mutant that has one, the survivors each with a test to paste,
    how strong the suite is, and a lab for the arithmetic itself. The page is one file: it opens offline and asks
    nobody for anything. Laws, failing inputs and tests to paste are searched for first, and kept for the next time
    as far as they do not change. RUN is a kept run's number; if it is not given, the latest that `acidtest run` made. A
    matrix that `acidtest strength` ran for its measures is taken by number, or where there is no other.

    \b
    acidtest report                         the latest run, in its usual place
    acidtest report 7 --html run7.html
    acidtest report --quick --junit junit.xml --stryker mutation.json --markdown summary.md
    """
    options = ReportOptions(run, html, state, quick, examples, seconds, jobs, not no_fork, files)
    return report_command(find_workload(Path.cwd()), options, Path.cwd())


@acidtest.command(short_help="Certify generated mutants that no call can show.")
@click.argument("names", nargs=-1, metavar="[MUTANT]...")
@click.option("--because", default="", metavar="SENTENCE", help="Why no call can tell it from the reference.")
@click.option("--message", is_flag=True, help="Only the words of an error change.")
@click.option("--check", is_flag=True, help="Change no file; say whether every certificate holds today.")
@click.option("--state", type=click.Path(path_type=Path), metavar="DIR", help="Where generated mutants are kept.")
def certify(names: tuple[str, ...], because: str, message: bool, check: bool, state: Path | None) -> ExitCode:
    """Certify that a generated mutant answers like the reference on all of D.

    D is searched first, and then a sample beyond it; only a mutant that no call shows gets a certificate, with the
    reason that you give. A certified mutant is left out of `acidtest run` and its score. Without a name, all that is
    certified is searched for again: do that when D, or the target, has changed.

    \b
    acidtest certify rejection._excess.14 --because "Both vectors have one length, checked before."
    acidtest certify
    acidtest certify --check
    """
    return certify_command.certify(find_workload(Path.cwd()), names, because, message, check, state, Path.cwd())


@acidtest.command()
@click.option("--tier", type=click.IntRange(1, 2), help="Probe this tier; the one that grading would use if not given.")
@click.option("--json", "as_json", is_flag=True, help="The result for machines, on standard output.")
def doctor(tier: int | None, as_json: bool) -> ExitCode:
    """Say which sandbox this machine can build, and whether it holds.

    A guest is started behind the same walls as a submission, and tries to break out: by the files of this machine, the
    network, other processes, memory that no limit counts. Exit code 0 where all probes hold, else 5.

    \b
    Tier 1 is bubblewrap: a root and namespaces of its own.
    Tier 2 is Landlock, for containers that refuse namespaces.

    \b
    acidtest doctor --tier 2
    """
    return doctor_command(tier, as_json)


def main() -> NoReturn:
    """Run the command line and exit with its code; whatever goes wrong is said in one line."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # as Ctrl-C: no worker stays behind
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")
    sys.exit(int(invoke(sys.argv[1:])))


def invoke(arguments: list[str]) -> int:
    """Run one command and return its exit code."""
    try:
        code = acidtest.main(arguments, prog_name="acidtest", standalone_mode=False)
        return int(code or 0)
    except click.exceptions.NoArgsIsHelpError as error:
        say(error.format_message() + "\n")
        return ExitCode.USAGE
    except click.ClickException as error:
        command = error.ctx.command_path if isinstance(error, click.UsageError) and error.ctx else "acidtest"
        return _fail(f"{error.format_message()} (see {command} --help)", ExitCode.USAGE)
    except (click.Abort, KeyboardInterrupt):
        return _fail("interrupted", ExitCode.INTERRUPTED)
    except tuple(kind for kind, _ in _CODES) as error:
        return _fail(str(error), next(code for kind, code in _CODES if isinstance(error, kind)))
    except Exception:  # a fault of ours, whatever it is: one line for the person, the traceback in a file
        return _internal()


def _fail(message: str, code: ExitCode) -> ExitCode:
    say(f"acidtest: {' '.join(message.split())}\n", sys.stderr)
    return code


def _internal() -> ExitCode:
    error = sys.exception() if hasattr(sys, "exception") else sys.exc_info()[1]
    handle, name = tempfile.mkstemp(prefix="acidtest-", suffix=".txt")
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        file.write(traceback.format_exc())
    return _fail(f"internal fault: {type(error).__name__}: {error}; the traceback is in {name}", ExitCode.INTERNAL)


if __name__ == "__main__":
    main()
