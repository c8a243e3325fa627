"""What a learner's suite comes to: which tests reject right answers, which mistakes the others see. Pure functions.

A test is dropped if it does not pass on every right implementation each time that it is shown one. A mutant is killed
by a valid test that fails on it at every showing, after at least one answer that the reference would not have given.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from fractions import Fraction

from acidtest.mutants.model import Mutant, Outcome
from acidtest.mutants.sandbox.suite_desk import Unit
from acidtest.reports.exits import ExitCode
from acidtest.reports.subsumption import MutantClass

BELIEVED = Fraction(1, 3)
"""Where more of the tests than this reject right answers (and more than one), none is believed: whoever guesses right
answers loses some guesses, and what is left of them would look like knowledge."""


class Standing(StrEnum):
    """How a suite stands."""

    THOROUGH = "thorough"
    LACKING = "lacking"
    STOPPED = "stopped"
    UNGRADABLE = "ungradable"
    INTERNAL = "internal"


MEANINGS = {
    Standing.THOROUGH: "every test accepts every right implementation, and together they see every kind of mistake",
    Standing.LACKING: "a test rejects right answers, or there are mistakes that no test sees",
    Standing.STOPPED: "a test ran out of time or memory, crashed or gave up on a right implementation",
    Standing.UNGRADABLE: "there is nothing to grade: refused, does not compile, or has no test",
    Standing.INTERNAL: "the grader failed; nothing is said of the suite",
}
EXITS = {
    Standing.THOROUGH: ExitCode.KEPT,
    Standing.LACKING: ExitCode.BROKEN,
    Standing.STOPPED: ExitCode.UNDECIDED,
    Standing.UNGRADABLE: ExitCode.CANNOT_JUDGE,
    Standing.INTERNAL: ExitCode.INTERNAL,
}


class Validity(StrEnum):
    """What a test makes of right implementations."""

    VALID = "valid"
    REJECTS = "rejects"
    STOPS = "stops"
    IDLE = "idle"


@dataclass(frozen=True, slots=True)
class Showing:
    """One test shown one variant, once.

    Attributes:
        right: whether the variant is a right implementation.
        call: the last one that the test made, as Python.
        differs: whether it had heard anything that the reference would not have said before it failed.
    """

    unit: str
    variant: str
    right: bool
    outcome: Outcome
    reason: str = ""
    call: str = ""
    differs: bool | None = None


@dataclass(frozen=True, slots=True)
class UnitReport:
    """One test of the suite, judged.

    Attributes:
        reason, call: where it is not valid, what it failed with on a right implementation, and its last call there.
        rejected: the right implementations on which it did not pass.
        kills: mutants that it kills.
        flaky: those on which it failed at one showing and not at another.
        blind: those on which it failed although it had heard nothing wrong.
        stopped: those on which it ended otherwise than by passing or failing, once at least.
    """

    name: str
    items: int
    validity: Validity
    reason: str = ""
    call: str = ""
    rejected: tuple[str, ...] = ()
    kills: tuple[str, ...] = ()
    flaky: tuple[str, ...] = ()
    blind: tuple[str, ...] = ()
    stopped: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SuiteAssessment:
    """One suite, judged.

    Attributes:
        why: the reason, for an ungradable suite, an internal fault, or one that is not believed.
        units: each of its tests. killed: mutants that its valid tests kill. missed: all others.
        dominators: classes of mutants that the workload's own tests cannot tell apart and that no other kill implies.
            seen: how many of them are killed with all their members, which another suite may well tell apart.
        pitfalls: for each pitfall whether every entry of it is killed.
        shown: how many showings there were. left: how many were still to come when the time was up.
    """

    name: str
    sha256: str
    tier: int
    standing: Standing
    why: str = ""
    units: tuple[UnitReport, ...] = ()
    killed: tuple[str, ...] = ()
    missed: tuple[str, ...] = ()
    dominators: tuple[MutantClass, ...] = ()
    seen: int = 0
    pitfalls: Mapping[int, bool] = field(default_factory=dict)
    shown: int = 0
    left: int = 0
    seconds: float = 0.0

    @property
    def code(self) -> ExitCode:
        """Return the exit code."""
        return EXITS[self.standing]

    @property
    def validity(self) -> Fraction | None:
        """Return the share of tests that accept every right implementation; None where there is none."""
        valid = sum(unit.validity is Validity.VALID for unit in self.units)
        return Fraction(valid, len(self.units)) if self.units else None

    @property
    def thoroughness(self) -> Fraction | None:
        """Return the share of the dominator classes that valid tests kill; None where nothing was judged."""
        return Fraction(self.seen, len(self.dominators)) if self.units and self.dominators else None


def judge_units(units: Sequence[Unit], showings: Iterable[Showing], times: int) -> tuple[UnitReport, ...]:
    """Return each test's report.

    Args:
        times: how often a mutant has to be shown to a test that fails on it; a kill seen less often is none.
    """
    by_unit: dict[str, list[Showing]] = {unit.name: [] for unit in units}
    for showing in showings:
        by_unit[showing.unit].append(showing)
    return tuple(_report(unit, by_unit[unit.name], times) for unit in units)


def _report(unit: Unit, showings: Sequence[Showing], times: int) -> UnitReport:
    right = [showing for showing in showings if showing.right]
    validity, told = _validity(right)
    rejected = dict.fromkeys(showing.variant for showing in right if showing.outcome is not Outcome.PASSED)
    cells: dict[str, list[Showing]] = {}
    for showing in showings:
        if not showing.right:
            cells.setdefault(showing.variant, []).append(showing)
    sorts: dict[str, list[str]] = {"kills": [], "flaky": [], "blind": [], "stopped": []}
    for variant, shown in cells.items():
        sort = _sort_of(shown, times)
        if sort and (validity is Validity.VALID or sort != "kills"):
            sorts[sort].append(variant)
    found = {sort: tuple(variants) for sort, variants in sorts.items()}
    reason, call = (told.reason, told.call) if told is not None else ("", "")
    return UnitReport(unit.name, unit.items, validity, reason, call, tuple(rejected), **found)


def _validity(right: Sequence[Showing]) -> tuple[Validity, Showing | None]:
    """Return what a test makes of right implementations, and the showing that tells it best."""
    outcomes = {showing.outcome for showing in right}
    if Outcome.FAILED in outcomes:
        return Validity.REJECTS, next(showing for showing in right if showing.outcome is Outcome.FAILED)
    if outcomes == {Outcome.PASSED}:
        return Validity.VALID, None
    if outcomes <= {Outcome.SKIPPED}:
        return Validity.IDLE, next(iter(right), None)
    return Validity.STOPS, next(showing for showing in right if showing.outcome is not Outcome.PASSED)


def _sort_of(shown: Sequence[Showing], times: int) -> str:
    """Return what the showings of one mutant come to; empty where the test just passed."""
    failed = [showing for showing in shown if showing.outcome is Outcome.FAILED]
    if not failed:
        return "stopped" if any(showing.outcome is not Outcome.PASSED for showing in shown) else ""
    if not all(showing.differs for showing in failed):
        return "blind"
    if any(showing.outcome is Outcome.PASSED for showing in shown):
        return "flaky"
    return "kills" if len(failed) == len(shown) >= times else "stopped"


def believed(units: Sequence[UnitReport]) -> bool:
    """Return whether so few tests reject right answers that what the others reject is evidence."""
    rejecting = sum(unit.validity is Validity.REJECTS for unit in units)
    return rejecting <= 1 or rejecting <= BELIEVED * len(units)


def conclude(
    base: SuiteAssessment, units: tuple[UnitReport, ...], mutants: Sequence[Mutant], dominators: Sequence[MutantClass]
) -> SuiteAssessment:
    """Return the assessment of a suite whose tests were judged.

    Args:
        base: name, tier, how many showings. dominators: of the catalog's matrix.
    """
    trusted = believed(units)
    kills = {mutant for unit in units if trusted for mutant in unit.kills}
    killed = tuple(mutant.id for mutant in mutants if mutant.id in kills)
    missed = tuple(mutant.id for mutant in mutants if mutant.id not in kills)
    seen = sum(kills.issuperset(group.mutants) for group in dominators)
    pitfalls: dict[int, bool] = {}
    for mutant in mutants:
        if mutant.pitfall is not None:
            pitfalls[mutant.pitfall] = pitfalls.get(mutant.pitfall, True) and mutant.id in kills
    why = base.why or ("" if trusted else "too many of its tests reject right answers for the others to be believed")
    return SuiteAssessment(
        base.name,
        base.sha256,
        base.tier,
        _standing(units, base.left, seen == len(dominators)),
        why,
        units,
        killed,
        missed,
        tuple(dominators),
        seen,
        dict(sorted(pitfalls.items())),
        base.shown,
        base.left,
        base.seconds,
    )


def _standing(units: Sequence[UnitReport], left: int, thorough: bool) -> Standing:
    sorts = {unit.validity for unit in units}
    if Validity.REJECTS in sorts:
        return Standing.LACKING
    if Validity.STOPS in sorts or left:
        return Standing.STOPPED
    return Standing.THOROUGH if thorough else Standing.LACKING
