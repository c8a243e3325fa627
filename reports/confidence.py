"""How sure a verdict is: the same matrix under many seeds, cell by cell.

A cell counts under a seed where the test was green on the unchanged code under that seed. Shi, Bell, Marinov:
Mitigating the effects of flaky tests on mutation testing, 2019.
"""

import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from acidtest.mutants.model import KillMatrix, Outcome
from acidtest.reports.intervals import all_kill_bound, lower_bound, upper_bound

SOON = 20
"""An input to kill is soon where at most so many had to be tried."""


@dataclass(frozen=True, slots=True)
class Seeding:
    """What one seed showed: the matrix, or no matrix where a test failed on the unchanged code."""

    seed: int
    matrix: KillMatrix | None
    false_alarms: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Cell:
    """A test and a mutant that it killed under some seed; ``low`` bounds the true kill rate from below, 95%."""

    mutant: str
    test: str
    kills: int
    seeds: int
    low: float

    @property
    def steady(self) -> bool:
        """Whether it killed under every seed."""
        return self.kills == self.seeds


@dataclass(frozen=True, slots=True)
class MutantConfidence:
    """Under how many seeds a mutant was killed by any test; ``low`` as for a cell. steady: tests that always killed."""

    mutant: str
    kills: int
    seeds: int
    low: float
    steady: int


@dataclass(frozen=True, slots=True)
class FalseAlarm:
    """How often a test failed on the unchanged code; ``high`` bounds the true rate from above, 95%."""

    test: str
    failures: int
    seeds: int
    high: float


@dataclass(frozen=True, slots=True)
class Confidence:
    """What the seeds showed together."""

    seeds: int
    matrices: int
    bound: float
    cells: tuple[Cell, ...]
    mutants: tuple[MutantConfidence, ...]
    alarms: tuple[FalseAlarm, ...]

    @property
    def unsteady(self) -> tuple[Cell, ...]:
        """The cells that killed under some seeds and not under others, the rarest first."""
        return tuple(sorted((cell for cell in self.cells if not cell.steady), key=lambda cell: cell.kills / cell.seeds))


@dataclass(frozen=True, slots=True)
class Inputs:
    """How many inputs were drawn until one killed, over the kills of one mutant by tests that draw."""

    mutant: str
    kills: int
    lower: float
    median: float
    upper: float
    soon: Fraction


def confidence(seedings: Sequence[Seeding], mutants: Iterable[str]) -> Confidence:
    """Return kills over seeds for each cell that ever killed, and for each mutant and test."""
    matrices = [seeding.matrix for seeding in seedings if seeding.matrix is not None]
    if not matrices:
        return Confidence(len(seedings), 0, 0.0, (), (), _alarms(seedings))
    cells: list[Cell] = []
    rows: list[MutantConfidence] = []
    for mutant in mutants:
        found = [cell for test in matrices[0].tests if (cell := _cell(matrices, mutant, test.id)).kills]
        cells += found
        kills = sum(bool(matrix.killers_of(mutant)) for matrix in matrices)
        steady = sum(cell.steady for cell in found)
        rows.append(MutantConfidence(mutant, kills, len(matrices), lower_bound(kills, len(matrices)), steady))
    bound = all_kill_bound(len(matrices))
    return Confidence(len(seedings), len(matrices), bound, tuple(cells), tuple(rows), _alarms(seedings))


def inputs_to_kill(matrices: Sequence[KillMatrix], mutants: Iterable[str]) -> tuple[Inputs, ...]:
    """Return the number of inputs up to the killing one for each mutant that a drawing test kills; hardest first."""
    found = []
    for mutant in mutants:
        counts = [
            trial.examples
            for matrix in matrices
            for trial in matrix.of_variant(mutant)
            if trial.outcome is Outcome.FAILED and trial.examples is not None
        ]
        if counts:
            lower, median, upper = quartiles(counts)
            soon = Fraction(sum(count <= SOON for count in counts), len(counts))
            found.append(Inputs(mutant, len(counts), lower, median, upper, soon))
    return tuple(sorted(found, key=lambda row: (-row.median, row.mutant)))


def quartiles(counts: Sequence[int]) -> tuple[float, float, float]:
    """Return the three quartiles, between neighbours by proportion; one number is all three of its quartiles."""
    if len(counts) == 1:
        return (float(counts[0]),) * 3
    lower, median, upper = statistics.quantiles(counts, n=4, method="inclusive")
    return lower, median, upper


def _cell(matrices: Sequence[KillMatrix], mutant: str, test: str) -> Cell:
    trials = [trial for matrix in matrices if (trial := matrix.trial(mutant, test)) is not None]
    kills = sum(trial.outcome is Outcome.FAILED for trial in trials)
    return Cell(mutant, test, kills, len(trials), lower_bound(kills, len(trials)) if trials else 0.0)


def _alarms(seedings: Sequence[Seeding]) -> tuple[FalseAlarm, ...]:
    """Return one row for each test, the noisiest first; a test counts under every seed."""
    tests: Mapping[str, None] = dict.fromkeys(
        name
        for seeding in seedings
        for name in [*(test.id for test in (seeding.matrix.tests if seeding.matrix else ())), *seeding.false_alarms]
    )
    rows = []
    for test in tests:
        failures = sum(test in seeding.false_alarms for seeding in seedings)
        rows.append(FalseAlarm(test, failures, len(seedings), upper_bound(failures, len(seedings))))
    return tuple(sorted(rows, key=lambda row: -row.failures))
