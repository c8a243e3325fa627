"""The autograder that Gradescope takes: one zip with acidtest as a wheel, how to install it, and how to run it.

Gradescope's containers refuse namespaces, so that the sandbox there is the one that does without: Landlock, seccomp, a
user of its own and limits. Where a container refuses that too, a submission gets no score, and the staff an error.
"""

import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from importlib import resources
from pathlib import Path

from acidtest.mutants.workload import Workload, embedded
from acidtest.reports.context import UsageError, say
from acidtest.reports.exits import ExitCode
from acidtest.reports.grade_files import POINTS
from acidtest.reports.grading import Scheme
from acidtest.reports.wheel import Wheel, own_wheel, packed

_HERE = "acidtest.reports"


@dataclass(frozen=True, slots=True)
class BundleOptions:
    """How submissions will be graded there.

    Attributes:
        wheel: of acidtest; made from this installation if None. wheels: a folder of wheels of all that it needs, for
            an image that is built without the network.
        staff: also as a hidden test, with small failing examples; then Gradescope hides the total from learners.
    """

    wheel: Path | None = None
    wheels: Path | None = None
    scheme: Scheme = Scheme.BY_TEST
    points: Fraction = POINTS
    extended: bool = False
    staff: bool = False
    salt: str = ""
    own_deps: bool = False
    seconds: float = 60.0

    def arguments(self) -> tuple[str, ...]:
        """Return them for the command line of ``acidtest grade``, one line each."""
        flags = (("--extended", self.extended), ("--staff", self.staff), ("--own-deps", self.own_deps))
        return (
            f"--scheme={self.scheme}",
            f"--points={self.points}",
            f"--seconds={self.seconds:g}",
            *((f"--salt={self.salt}",) if self.salt else ()),
            *(flag for flag, given in flags if given),
        )


def bundle(options: BundleOptions) -> bytes:
    """Return the zip.

    Raises:
        UsageError: a wheel that was named is none, or an option cannot be written on one line.
    """
    if not options.salt.isprintable():
        raise UsageError("--salt: has a line end or a control character; choose letters")
    wheel = own_wheel() if options.wheel is None else _named(options.wheel)
    files = {
        "setup.sh": (_script("setup.sh"), 0o755),
        "run_autograder": (_script("run_autograder.sh"), 0o755),
        "options": ("".join(f"{argument}\n" for argument in options.arguments()).encode(), 0o644),
        wheel.name: (wheel.data, 0o644),
    }
    for path in _wheels(options.wheels):
        files[f"wheels/{path.name}"] = (path.read_bytes(), 0o644)
    return packed(files)


def gradescope_command(workload: Workload, path: Path, options: BundleOptions) -> ExitCode:
    """Write the zip, and say what to do with it.

    Raises:
        UsageError: it cannot be made or written, or one stands in a project that it would not judge by.
    """
    house = embedded()
    if workload.root != house.root:
        where = workload.root
        raise UsageError(f"{where} is a workload of its own, which the bundle does not hold; call this elsewhere")
    data = bundle(options)
    try:
        path.write_bytes(data)
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}; name a file that can be written") from error
    size = f"{len(data) / 1_000_000:.1f} MB"
    say(f"{path}: {size}; upload it as the autograder of a programming assignment of {options.points} points\n")
    return ExitCode.KEPT


def _script(name: str) -> bytes:
    return resources.files(_HERE).joinpath("gradescope", name).read_bytes()


def _named(path: Path) -> Wheel:
    try:
        data = path.read_bytes()
        with zipfile.ZipFile(path) as archive:
            held = "acidtest/reports/gradescope_bundle.py" in archive.namelist()
    except (OSError, zipfile.BadZipFile) as error:
        raise UsageError(
            f"--wheel {path}: cannot be read as a wheel: {error}; name a file that pip wheel wrote"
        ) from error
    if not held or not path.name.startswith("acidtest-"):
        raise UsageError(f"--wheel {path}: is no wheel of acidtest; name a file acidtest-*.whl")
    return Wheel(path.name, data)


def _wheels(folder: Path | None) -> Sequence[Path]:
    if folder is None:
        return ()
    found = sorted(path for path in folder.glob("*.whl") if not path.name.startswith("acidtest-"))
    if not found:
        raise UsageError(f"--wheels {folder}: holds no wheel; fill it with pip download acidtest's dependencies")
    return found
