"""What the lab costs above the tests it runs: ``python -m acidtest.mutants.benchmark``.

First kill on one core. Each mutant's wall time, from the order to its last word, less its tests' own times (pytest's,
setup and teardown included) is the lab's. Prints both for each repetition, and the median.
"""

import argparse
import statistics
from collections.abc import Mapping
from pathlib import Path

from acidtest.mutants import lab
from acidtest.mutants.load import load_catalog, variant_of
from acidtest.mutants.model import Mode, Trial
from acidtest.mutants.workload import find_workload


class Forgetful:
    """Keeps no trial and reports no progress."""

    def kept(self) -> Mapping[tuple[str, str], Trial]:
        return {}

    def record(self, trial: Trial) -> None: ...

    def phase(self, text: str) -> None: ...

    def start(self, total: int) -> None: ...

    def advance(self, variant: str) -> None: ...


def main() -> None:
    """Measure, and print the two parts."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--repeat", type=int, default=5, help="repetitions (default 5)")
    repeat = parser.parse_args().repeat
    workload = find_workload(Path.cwd())
    mutants = load_catalog(workload.catalog)
    variants = tuple(variant_of(mutant, workload.read(mutant.module)) for mutant in mutants)
    killers = {mutant.id: mutant.killers for mutant in mutants}
    plan = lab.Plan(workload=workload, variants=variants, killers=killers, mode=Mode.FIRST_KILL, jobs=1)
    overheads = []
    for number in range(1, repeat + 1):
        run = lab.run(plan, Forgetful(), Forgetful())
        above = run.lab_seconds - run.test_seconds
        overheads.append(1000 * above / len(variants))
        print(
            f"{number}: {run.seconds:.2f} s in all; {len(variants)} mutants {run.lab_seconds:.2f} s: "
            f"the tests' own {run.test_seconds:.2f} s, the lab's {above:.2f} s, {overheads[-1]:.1f} ms each"
        )
    print(f"median: the lab adds {statistics.median(overheads):.1f} ms a mutant (first kill, one core)")


if __name__ == "__main__":
    main()
