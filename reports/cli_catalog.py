"""The command line of the catalog, of the tests, and of a learner's first file."""

import sys
from pathlib import Path

import click

from acidtest.mutants.load import load_catalog
from acidtest.mutants.workload import find_workload
from acidtest.reports import catalog_commands, learner_commands
from acidtest.reports.cli_group import acidtest
from acidtest.reports.context import say, terminal
from acidtest.reports.exits import ExitCode
from acidtest.reports.render import catalog_text


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
