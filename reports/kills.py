"""What the measures of a suite's strength are functions of: for each mutant, the tests that kill it."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from acidtest.mutants.model import KillMatrix, Outcome, Status
from acidtest.reports.judge import status_of

_JUDGED = (Status.KILLED, Status.SURVIVED, Status.NO_COVERAGE)


@dataclass(frozen=True)
class Kills:
    """A suite and the mutants that it was tried on.

    Attributes:
        tests: ids of the tests, in the order of the suite.
        killers: for each mutant the tests that kill it, kappa for short; empty for a survivor.
        unjudged: mutants that no measure counts, each with what became of it: neither killed nor survived.
    """

    tests: tuple[str, ...]
    killers: Mapping[str, frozenset[str]]
    unjudged: Mapping[str, Status] = field(default_factory=dict)

    @cached_property
    def kills(self) -> Mapping[str, frozenset[str]]:
        """For each test the mutants that it kills: the same relation from the other side."""
        found: dict[str, set[str]] = {test: set() for test in self.tests}
        for mutant, killers in self.killers.items():
            for test in killers:
                found[test].add(mutant)
        return {test: frozenset(mutants) for test, mutants in found.items()}

    @property
    def killed(self) -> tuple[str, ...]:
        """The mutants that some test kills."""
        return tuple(mutant for mutant, killers in self.killers.items() if killers)

    @property
    def survivors(self) -> tuple[str, ...]:
        """The mutants that no test kills."""
        return tuple(mutant for mutant, killers in self.killers.items() if not killers)

    def by(self, tests: Iterable[str]) -> "Kills":
        """Return the same mutants under a part of the suite."""
        chosen = frozenset(tests)
        killers = {mutant: kappa & chosen for mutant, kappa in self.killers.items()}
        return Kills(tuple(test for test in self.tests if test in chosen), killers, self.unjudged)


def kills_in(matrix: KillMatrix, equivalent: Iterable[str] = ()) -> Kills:
    """Return what a matrix says about its mutants.

    Args:
        equivalent: mutants certified to answer as the reference does; they are left out.
    """
    left_out = frozenset(equivalent)
    statuses = {variant: _status(matrix, variant) for variant in matrix.variants if variant not in left_out}
    killers = {
        variant: frozenset(test.id for test in matrix.killers_of(variant))
        for variant, status in statuses.items()
        if status in _JUDGED
    }
    unjudged = {variant: status for variant, status in statuses.items() if status not in _JUDGED}
    return Kills(tuple(test.id for test in matrix.tests), killers, unjudged)


def steady(kills: Kills, matrices: Sequence[KillMatrix]) -> Kills:
    """Return the kills that happen in every one of the matrices: what does not hang on a seed."""
    killers = {
        mutant: frozenset(
            test
            for test in kappa
            if all((t := matrix.trial(mutant, test)) is not None and t.outcome is Outcome.FAILED for matrix in matrices)
        )
        for mutant, kappa in kills.killers.items()
    }
    return replace(kills, killers=killers)


def _status(matrix: KillMatrix, variant: str) -> Status:
    """Return the variant's status; ``PENDING`` too for one whose tests stopped at a kill: its killers are not known."""
    tried = sum(1 for _ in matrix.of_variant(variant))
    return status_of(matrix, variant) if tried == len(matrix.tests) else Status.PENDING


def pooled(one: Kills, other: Kills) -> Kills:
    """Return the mutants of both under the tests of both: the pool that a foreign suite is measured in.

    A mutant that either suite leaves unjudged is unjudged here, unless the other one kills it.
    """
    tests = tuple(dict.fromkeys([*one.tests, *other.tests]))
    statuses = {**one.unjudged, **other.unjudged}
    killers: dict[str, frozenset[str]] = {}
    for mutant in dict.fromkeys([*one.killers, *other.killers]):
        kappa = one.killers.get(mutant, frozenset()) | other.killers.get(mutant, frozenset())
        if kappa or mutant not in statuses:
            killers[mutant] = kappa
    return Kills(tests, killers, {mutant: status for mutant, status in statuses.items() if mutant not in killers})
