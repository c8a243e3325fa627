"""What one grade costs on one core: ``python -m acidtest.reports.benchmark_grade``.

Three things in turn, all on one core: the whole command; the same submission asked of a grader of its own, to see where
the time goes; and, to hold it against, plain pytest with the same tests and no walls. A machine that others share is
never as fast twice: the ratio to pytest in the same minute says more than the seconds.
"""

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from acidtest.mutants.sandbox.desk import Desk
from acidtest.mutants.workload import Workload, embedded
from acidtest.reports.assessing import Assessor, Terms
from acidtest.reports.grading import Standing

_COMMAND = "from acidtest.reports.cli import main; main()"


def main() -> None:
    """Measure, and print each repetition, the median and the ratio."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("file", nargs="?", type=Path, help="a right submission (default: the reference)")
    parser.add_argument("--repeat", type=int, default=5, help="repetitions (default 5)")
    arguments = parser.parse_args()
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    workload = embedded()
    file = (arguments.file or workload.module_path("tinyllm.prob.rejection")).resolve()
    grades: list[float] = []
    plain: list[float] = []
    with tempfile.TemporaryDirectory(prefix="acidtest-benchmark-") as name:
        command = [sys.executable, "-P", "-c", _COMMAND, "grade", "--one", "--state", name, str(file)]
        for number in range(1, arguments.repeat + 1):
            grades.append(_seconds(command, workload))
            plain.append(_seconds([sys.executable, "-P", "-m", "pytest", *_chapter(workload)], workload))
            parts = ", ".join(f"{part} {seconds:.2f} s" for part, seconds in _split(workload, file, Path(name)).items())
            print(f"{number}: the command {grades[-1]:.2f} s, plain pytest {plain[-1]:.2f} s; {parts}", flush=True)
    ratio = statistics.median(one / other for one, other in zip(grades, plain, strict=True))
    print(f"median: {statistics.median(grades):.2f} s on one core, {ratio:.2f} times plain pytest with the same tests")


def _chapter(workload: Workload) -> Sequence[str]:
    return [*workload.pytest_arguments(), "-q", "-m", "chapter", "-p", "no:cacheprovider", "-p", "no:xdist"]


def _seconds(command: Sequence[str], workload: Workload) -> float:
    """Return how long a command takes that has to succeed."""
    begun = time.monotonic()
    paths = {"PYTHONPATH": os.pathsep.join([str(workload.source), *filter(None, [os.environ.get("PYTHONPATH")])])}
    subprocess.run(command, check=True, capture_output=True, env={**os.environ, **paths})
    return time.monotonic() - begun


def _split(workload: Workload, file: Path, folder: Path) -> Mapping[str, float]:
    """Return where the time goes of a grader that judges one submission, collection of the tests included."""
    assessor = Assessor(workload, folder, Terms(spare=True))
    desk = Desk(workload)
    try:
        begun = time.monotonic()
        assessor.tests(desk)
        collected = time.monotonic() - begun
        assessment = assessor.assess(file, file.name, desk)
    finally:
        desk.close()
    if assessment.standing is not Standing.PASSED:
        raise SystemExit(f"{file}: {assessment.standing}; name a submission that passes")
    return {"grader and guest up": collected, **assessment.split}


if __name__ == "__main__":
    main()
