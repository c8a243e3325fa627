"""`acidtest mutmut`: let mutmut itself try its mutants with the same tests, and compare its word with the lab's."""

import json
import sys
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from acidtest.mutants import lab
from acidtest.mutants.agreement import UNEXPLAINED, Difference, differences
from acidtest.mutants.generated import generated, run_mutmut, version
from acidtest.mutants.model import Mode, Run, Status, Trial, Variant
from acidtest.mutants.mutmut_verdicts import MutmutVerdict, read_verdicts, strangers
from acidtest.mutants.staging import Stage, stage
from acidtest.mutants.workload import Workload
from acidtest.reports.codec import encode
from acidtest.reports.context import say, shown, state_folder, terminal
from acidtest.reports.exits import ExitCode
from acidtest.reports.judge import status_of
from acidtest.reports.render.mutmut_text import mutmut_page
from acidtest.reports.render.progress import Bar

SCHEMA = "acidtest.mutmut/1"


@dataclass(frozen=True, slots=True)
class Comparison:
    """What the two found out about the same mutants, and where they differ.

    Attributes:
        lab, mutmut: each one's word on every mutant, by its id.
        lab_seconds, mutmut_seconds: wall time of each from nothing, baseline and recording included.
        wrong: mutants that are not the same text on both sides; none is right.
    """

    version: str
    folder: str
    variants: tuple[Variant, ...]
    lab: Mapping[str, Status]
    mutmut: Mapping[str, MutmutVerdict]
    lab_seconds: float
    mutmut_seconds: float
    differences: tuple[Difference, ...]
    wrong: tuple[str, ...] = ()

    @property
    def unexplained(self) -> int:
        """How many differences have no reason."""
        return sum(one.kind == UNEXPLAINED for one in self.differences) + len(self.wrong)

    @property
    def code(self) -> ExitCode:
        """Broken where a difference has no reason."""
        return ExitCode.BROKEN if self.unexplained else ExitCode.KEPT


def mutmut_command(
    home: Workload, tests: tuple[Path, ...], seed: int, jobs: int, state: Path | None, as_json: bool, here: Path
) -> ExitCode:
    """Run both, and print the comparison."""
    workload = home.with_tests(tests) if tests else home
    folder = state_folder(workload, state, here)
    variants = generated(workload, folder)
    say(f"mutmut {version()}: {len(variants)} mutants, in {shown(folder / 'mutmut', here.resolve())}\n", sys.stderr)
    begun = time.monotonic()
    place = stage(workload, folder / "mutmut", seed)
    run_mutmut(place.folder, jobs, 30.0 * len(variants) + 600.0)
    seconds = time.monotonic() - begun
    say(f"mutmut took {seconds:.1f} s; now the lab\n", sys.stderr)
    plan = lab.Plan(workload=workload, variants=variants, mode=Mode.FIRST_KILL, seed=seed, jobs=jobs)
    with Bar(sys.stderr, show=sys.stderr.isatty()) as bar:
        run = lab.run(plan, _Forgets(), bar)
    if run.problems:
        raise lab.LabError(f"the lab has no verdict: {run.problems[0]}")
    comparison = compare(workload, variants, run, place, seconds, _again(workload, variants))
    view = terminal(sys.stdout)
    say(document(comparison) if as_json else mutmut_page(comparison, view.width, view.colour))
    return comparison.code


def compare(
    workload: Workload,
    variants: Sequence[Variant],
    run: Run,
    place: Stage,
    seconds: float,
    again: Callable[[str, str, int], str],
) -> Comparison:
    """Return the comparison of a run of the lab with what mutmut left in its folder."""
    statuses = {variant.id: status_of(run.matrix, variant.id) for variant in variants}
    verdicts = read_verdicts(place, variants)
    return Comparison(
        version=version(),
        folder=str(place.folder),
        variants=tuple(variants),
        lab=statuses,
        mutmut=verdicts,
        lab_seconds=run.seconds,
        mutmut_seconds=seconds,
        differences=tuple(differences(run.matrix, statuses, verdicts, again)),
        wrong=tuple(strangers(place, variants, {module: workload.read(module) for module in workload.modules})),
    )


def document(comparison: Comparison) -> str:
    """Return the comparison for machines."""
    return (
        json.dumps(
            {
                "schema": SCHEMA,
                "exit_code": int(comparison.code),
                "mutmut": comparison.version,
                "seconds": {"lab": comparison.lab_seconds, "mutmut": comparison.mutmut_seconds},
                "counts": {
                    "lab": Counter(status.value for status in comparison.lab.values()),
                    "mutmut": Counter(verdict.status for verdict in comparison.mutmut.values()),
                },
                "differences": encode(comparison.differences),
                "wrong": list(comparison.wrong),
                "mutants": [
                    {
                        "id": variant.id,
                        "lab": comparison.lab[variant.id].value,
                        "mutmut": comparison.mutmut[variant.id].status,
                        "killers": [ran.test for ran in comparison.mutmut[variant.id].killers],
                    }
                    for variant in comparison.variants
                ],
            },
            indent=1,
        )
        + "\n"
    )


def _again(workload: Workload, variants: Sequence[Variant]) -> Callable[[str, str, int], str]:
    """Return how to run one test on one variant once more, under another seed."""
    known = {variant.id: variant for variant in variants}

    def run(variant: str, test: str, seed: int) -> str:
        return str(lab.explain(workload, known[variant], test, seed).get("outcome", ""))

    return run


class _Forgets:
    """Keeps no trial: a comparison begins anew."""

    def kept(self) -> Mapping[tuple[str, str], Trial]:
        return {}

    def record(self, trial: Trial) -> None:
        """Do nothing: the run's matrix has it."""
