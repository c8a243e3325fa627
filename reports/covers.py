"""The smallest suites that kill what the whole suite kills: exact, with how many there are and what all share.

A mutant before which another stands is covered with it, so only dominators count: that leaves the set of covers as it
is, and so does splitting the rest where no test connects the parts. The size of each part comes from the greedy cover
where mutants without a common killer prove it smallest, else from an integer program; the covers of that size are then
counted by branching.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from acidtest.reports.kills import Kills
from acidtest.reports.subsumption import dominators

PATIENCE = 50_000
"""How many branches the count of optima looks at before it says "at least"; the size itself is never cut off."""


@dataclass(frozen=True, slots=True)
class Cover:
    """The minimum set covers of the killed mutants.

    Attributes:
        suite: one of them, the first in the order of the tests.
        optima: how many there are. counted: False where counting was cut off; ``optima`` is then a lower bound.
        core: the tests that every one of them has.
    """

    suite: tuple[str, ...]
    optima: int
    counted: bool
    core: tuple[str, ...]

    @property
    def size(self) -> int:
        """How many tests a smallest suite has."""
        return len(self.suite)


@dataclass(frozen=True, slots=True)
class Redundant:
    """A test without which the suite kills as much.

    Attributes:
        kills: how many mutants it kills. carriers: a smallest set of other tests that kill all those.
    """

    test: str
    kills: int
    carriers: tuple[str, ...]


def minimal_suites(kills: Kills, patience: int = PATIENCE) -> Cover:
    """Return the smallest suites that kill every mutant that the whole suite kills."""
    rows = _rows(kills)
    suite: list[int] = []
    optima, counted = 1, True
    for part in _parts(rows):
        twins = _twins(part)
        bare = [row & sum(1 << first for first in twins) for row in part]
        best = _smallest(bare)
        suite += best
        found, whole = _count(bare, {first: len(same) for first, same in twins.items()}, len(best), patience)
        optima *= found
        counted = counted and whole
    core = [test for test in suite if _needed(rows, test, len(suite))]
    return Cover(_named(kills, suite), optima, counted, _named(kills, core))


def redundant_tests(kills: Kills) -> tuple[Redundant, ...]:
    """Return each test whose every kill is a kill of another; of several such, not all need be dispensable together."""
    found = []
    for test in kills.tests:
        others = {mutant: kills.killers[mutant] - {test} for mutant in kills.kills[test]}
        if all(others.values()):
            rest = Kills(tuple(name for name in kills.tests if name != test), others)
            found.append(Redundant(test, len(others), minimal_suites(rest, patience=0).suite if others else ()))
    return tuple(found)


def sole_kills(kills: Kills) -> Mapping[str, tuple[str, ...]]:
    """Return for each test the mutants that only it kills; tests without any are left out."""
    found: dict[str, list[str]] = {}
    for mutant, killers in kills.killers.items():
        if len(killers) == 1:
            found.setdefault(next(iter(killers)), []).append(mutant)
    return {test: tuple(found[test]) for test in kills.tests if test in found}


def _rows(kills: Kills) -> list[int]:
    """Return each dominator's killers as the bits of a number, one bit a test in the order of the suite."""
    place = {test: index for index, test in enumerate(kills.tests)}
    return [sum(1 << place[str(test)] for test in group.marks) for group in dominators(kills.killers)]


def _parts(rows: Sequence[int]) -> list[list[int]]:
    """Return the rows in groups that share no test."""
    parts: list[tuple[int, list[int]]] = []
    for row in rows:
        mask, members = row, [row]
        apart = []
        for other, theirs in parts:
            if other & mask:
                mask, members = mask | other, theirs + members
            else:
                apart.append((other, theirs))
        parts = [*apart, (mask, members)]
    return [members for _, members in parts]


def _twins(rows: Sequence[int]) -> dict[int, list[int]]:
    """Return tests that kill the same rows together, by the first of them; no smallest cover has two of one group."""
    groups: dict[tuple[int, ...], list[int]] = {}
    for test in _tests(_union(rows)):
        groups.setdefault(tuple(i for i, row in enumerate(rows) if row >> test & 1), []).append(test)
    return {same[0]: same for same in groups.values()}


def _smallest(rows: Sequence[int]) -> list[int]:
    """Return one minimum cover: the greedy one where the bound shows that it is, else the solver's.

    A test whose rows another test covers too can be spared where only one cover is wanted.
    """
    rows = _narrowed(rows)
    greedy = _greedy(rows)
    return greedy if len(greedy) <= _at_least(rows) else _solved(rows)


def _solved(rows: Sequence[int]) -> list[int]:
    """Return a minimum cover as HiGHS finds it: 0/1 variables, its bound rounded up, and the cover checked here."""
    from scipy.optimize import Bounds, LinearConstraint, milp

    tests = list(_tests(_union(rows)))
    ones = [1] * len(tests)
    constraint = LinearConstraint([[row >> test & 1 for test in tests] for row in rows], 1, math.inf)
    result = milp(ones, integrality=ones, bounds=Bounds(0, 1), constraints=constraint, options={"mip_rel_gap": 0.0})
    if result.status != 0:
        raise RuntimeError(f"the solver found no smallest suite: {result.message}")
    chosen = [test for test, value in zip(tests, result.x, strict=True) if value > 0.5]
    if not all(any(row >> test & 1 for test in chosen) for row in rows):
        raise RuntimeError("the solver's suite leaves a mutant alive")
    if len(chosen) > math.ceil(result.mip_dual_bound - 1e-6):
        raise RuntimeError(f"the solver did not prove {len(chosen)} tests to be the fewest: {result.mip_dual_bound}")
    return chosen


def _count(rows: Sequence[int], twins: Mapping[int, int], size: int, patience: int) -> tuple[int, bool]:
    """Return how many covers of this size there are, and whether all were counted.

    Each branch takes one killer of a row and forbids those taken before it, so that no cover is met twice.
    """
    found, looked = 0, 0

    def search(left: list[int], size: int, weight: int) -> None:
        nonlocal found, looked
        looked += 1
        if looked > patience:
            return
        if not left:
            found += weight
            return
        if _at_least(left) > size:
            return
        row = min(left, key=int.bit_count)
        forbidden = 0
        for test in _tests(row):
            rest = [other & ~forbidden for other in left if not other >> test & 1]
            if all(rest):
                search(rest, size - 1, weight * twins[test])
            forbidden |= 1 << test

    search(list(rows), size, 1)
    return max(found, 1), looked <= patience


def _needed(rows: Sequence[int], test: int, size: int) -> bool:
    """Return whether no cover of ``size`` tests does without ``test``: it is in every optimum."""
    without = [row & ~(1 << test) for row in rows]
    return not all(without) or sum(len(_smallest(part)) for part in _parts(_minimal(without))) > size


def _narrowed(rows: Sequence[int]) -> list[int]:
    """Return the rows without the tests that another test can replace, until neither rows nor tests get fewer."""
    while True:
        covered = {test: sum(1 << i for i, row in enumerate(rows) if row >> test & 1) for test in _tests(_union(rows))}
        kept = 0
        for test, mine in covered.items():
            if not any(
                mine & ~theirs == 0 and (mine != theirs or other < test)
                for other, theirs in covered.items()
                if other != test
            ):
                kept |= 1 << test
        fewer = _minimal([row & kept for row in rows])
        if sorted(fewer) == sorted(rows):
            return sorted(fewer)
        rows = fewer


def _minimal(rows: Sequence[int]) -> list[int]:
    distinct = set(rows)
    return [row for row in distinct if not any(other != row and other & row == other for other in distinct)]


def _greedy(rows: Sequence[int]) -> list[int]:
    left, chosen = list(rows), []
    while left:
        test = max(_tests(_union(left)), key=lambda test: (sum(row >> test & 1 for row in left), -test))
        chosen.append(test)
        left = [row for row in left if not row >> test & 1]
    return chosen


def _at_least(rows: Sequence[int]) -> int:
    """Return how many rows can be picked of which no two share a test: each needs a test of its own."""
    count, used = 0, 0
    for row in sorted(rows, key=int.bit_count):
        if not row & used:
            count, used = count + 1, used | row
    return count


def _union(rows: Sequence[int]) -> int:
    mask = 0
    for row in rows:
        mask |= row
    return mask


def _tests(mask: int) -> Iterator[int]:
    while mask:
        lowest = mask & -mask
        yield lowest.bit_length() - 1
        mask ^= lowest


def _named(kills: Kills, places: Sequence[int]) -> tuple[str, ...]:
    return tuple(kills.tests[place] for place in sorted(places))
