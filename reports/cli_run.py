"""The command line of a run and of what it leaves behind: `run`, `report`."""

import functools
from collections.abc import Callable
from dataclasses import fields
from fractions import Fraction
from pathlib import Path
from typing import cast

import click

from acidtest.mutants.workload import find_workload
from acidtest.reports.cli_group import acidtest
from acidtest.reports.context import UsageError
from acidtest.reports.exits import ExitCode
from acidtest.reports.report_command import Options as ReportOptions
from acidtest.reports.report_command import report_command
from acidtest.reports.report_files import ReportFiles
from acidtest.reports.run_command import Options, run_command


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
