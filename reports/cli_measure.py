"""The command line of what goes beyond a run: `gaps`, `strength`, `witness`, `certify`, `mutmut`."""

from pathlib import Path

import click

from acidtest.mutants.workload import find_workload
from acidtest.reports import certify_command, witness_command
from acidtest.reports.cli_group import acidtest
from acidtest.reports.exits import ExitCode
from acidtest.reports.gaps_command import Options as GapsOptions
from acidtest.reports.gaps_command import gaps_command
from acidtest.reports.mutmut_command import mutmut_command
from acidtest.reports.run_command import cores
from acidtest.reports.strength_command import Options as StrengthOptions
from acidtest.reports.strength_command import strength_command


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
