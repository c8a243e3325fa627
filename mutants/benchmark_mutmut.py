"""mutmut beside the lab: ``python -m acidtest.mutants.benchmark_mutmut``.

The same mutants and the same tests, mutmut's own run and the lab's in turn, each from nothing: mutants made, baseline
run, lines recorded. Wall time is what one waits, processor time what it costs; other work on the machine disturbs
the second less.
"""

import argparse
import resource
import statistics
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from acidtest.mutants import lab
from acidtest.mutants.benchmark import Forgetful
from acidtest.mutants.generated import generated, run_mutmut, version
from acidtest.mutants.model import Mode, Outcome, Run
from acidtest.mutants.mutmut_verdicts import read_verdicts
from acidtest.mutants.schedule import Schedule
from acidtest.mutants.staging import Stage, stage
from acidtest.mutants.workload import Workload, find_workload

_PATIENCE = 7200.0
_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class Cost:
    """What one run took: seconds of wall clock, and of processors, its processes included."""

    wall: float
    processor: float


def main() -> None:
    """Measure, and print each repetition, the median ratios, and how far the lab is from the limit."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--repeat", type=int, default=3, help="repetitions, mutmut and the lab in turn (default 3)")
    parser.add_argument("--jobs", type=int, default=2, help="processes at once, for each (default 2)")
    parser.add_argument("--matrix", action="store_true", help="the lab runs every test that reaches; mutmut does not")
    arguments = parser.parse_args()
    workload = find_workload(Path.cwd())
    mode = Mode.MATRIX if arguments.matrix else Mode.FIRST_KILL
    ratios: list[Cost] = []
    with tempfile.TemporaryDirectory(prefix="acidtest-benchmark-") as name:
        for number in range(1, arguments.repeat + 1):
            folder = Path(name) / str(number)
            theirs, killed = _mutmut(workload, folder, arguments.jobs)
            ours, plan, run = _lab(workload, folder, arguments.jobs, mode)
            ratios.append(Cost(theirs.wall / ours.wall, theirs.processor / ours.processor))
            limit = _limit(plan, run)
            kills = {trial.variant for trial in run.matrix.trials if trial.outcome is Outcome.FAILED}
            print(
                f"{number}: mutmut {version()} {theirs.wall:.1f} s ({theirs.processor:.1f} s of processors), "
                f"{killed} of {len(plan.variants)} killed; the lab {ours.wall:.1f} s ({ours.processor:.1f}), "
                f"{len(kills)} killed; {ratios[-1].wall:.1f} times as fast ({ratios[-1].processor:.1f}); "
                f"limit {limit:.1f} s, the lab takes {ours.processor / limit:.1f} times that",
                flush=True,
            )
            for problem in run.problems:
                print(f"   no verdict: {problem}")
    wall = statistics.median(ratio.wall for ratio in ratios)
    processor = statistics.median(ratio.processor for ratio in ratios)
    print(f"median: {wall:.1f} times as fast by the clock, {processor:.1f} times by the processors ({mode} mode)")
    print(
        "limit: the killing tests' own bodies, and for each survivor all tests that reach it; a tool takes less only "
        "where it need not run them"
    )


def _mutmut(workload: Workload, folder: Path, jobs: int) -> tuple[Cost, int]:
    """Return what mutmut's own run costs, without our plugin, and how many it kills."""

    def work() -> Stage:
        place = stage(workload, folder / "mutmut", seed=0, report=False)
        run_mutmut(place.folder, jobs, _PATIENCE)
        return place

    cost, place = _cost(work)
    verdicts = read_verdicts(place, generated(workload, folder / "other"))
    return cost, sum(verdict.status == "killed" for verdict in verdicts.values())


def _lab(workload: Workload, folder: Path, jobs: int, mode: Mode) -> tuple[Cost, lab.Plan, Run]:
    """Return what the lab's run costs, with mutants that it makes anew."""

    def work() -> tuple[lab.Plan, Run]:
        with lab.begun(lab.Settings(workload=workload, jobs=jobs)) as bench:
            variants = generated(workload, folder / "lab")
            plan = lab.Plan(workload=workload, variants=variants, mode=mode, jobs=jobs)
            return plan, lab.run(plan, Forgetful(), Forgetful(), bench)

    cost, (plan, run) = _cost(work)
    return cost, plan, run


def _limit(plan: lab.Plan, run: Run) -> float:
    """Return how long the tests' bodies take that have to run: up to the kill, or all that reach a survivor."""
    schedule = Schedule(plan, run.baseline)
    killed: dict[str, float] = {}
    for trial in run.matrix.trials:
        if trial.outcome is Outcome.FAILED:
            killed[trial.variant] = min(trial.seconds, killed.get(trial.variant, trial.seconds))
    survivors = (variant for variant in plan.variants if variant.id not in killed)
    reached = (
        test.seconds for variant in survivors for test in run.baseline.tests if schedule.reaches(variant, test.id)
    )
    return sum(killed.values()) + sum(reached)


def _cost(work: Callable[[], _T]) -> tuple[Cost, _T]:
    begun, before = time.monotonic(), _processors()
    result = work()
    return Cost(time.monotonic() - begun, _processors() - before), result


def _processors() -> float:
    usages = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


if __name__ == "__main__":
    main()
