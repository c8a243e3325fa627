"""The command line of grading: `grade`, `gradescope`, `grade-suite`, `doctor`."""

from fractions import Fraction
from pathlib import Path

import click

from acidtest.mutants.workload import find_workload
from acidtest.reports.cli_group import acidtest
from acidtest.reports.exits import ExitCode
from acidtest.reports.grade_files import Formats
from acidtest.reports.grading import Scheme
from acidtest.reports.handed_in import is_class

# What a command does is imported by that command: `acidtest grade` is started for every submission that is handed in.


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
        from acidtest.reports.class_command import ClassOptions, grade_class, refuse_for_a_class

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
    from acidtest.reports.grade_command import Options, grade_one

    options = Options(extended, staff, attempt, salt, own_deps, unsafe, json_, seconds, state, Scheme(scheme), formats)
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
    from acidtest.reports.gradescope_bundle import BundleOptions, gradescope_command

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
    from acidtest.reports.suite_command import Options, grade_suites

    options = Options(staff, attempt, salt, whole, unsafe, json_, seconds, jobs, state)
    return grade_suites(find_workload(Path.cwd()), path, options, Path.cwd())


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
    from acidtest.reports.doctor_command import doctor as command

    return command(tier, as_json)
