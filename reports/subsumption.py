"""Which mutants are worth counting: one mutant stands before another where whatever notices it notices the other too.

Kurtz, Ammann, Delamaro, Offutt, Deng: Mutant subsumption graphs, 2014. Ammann, Delamaro, Offutt: Establishing
theoretical minimal sets of mutants, 2014. Al Blwi, Ayad, Khaireddine, Marsit, Mili: differentiator sets, 2022.
"""

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction

from acidtest.reports.kills import Kills


@dataclass(frozen=True, slots=True)
class MutantClass:
    """Mutants that the same marks notice; marks are tests, or calls of the bounded domain D."""

    mutants: tuple[str, ...]
    marks: frozenset[Hashable]


class Side(StrEnum):
    """Which of two subsumptions holds where the other does not."""

    TESTS = "tests"
    DOMAIN = "domain"


@dataclass(frozen=True, slots=True)
class Disagreement:
    """A pair that one subsumption orders and the other does not.

    Attributes:
        side: ``TESTS`` where every test that kills ``first`` kills ``second``, and yet some calls of D show ``first``
            alone: a test on such a call is missing. ``DOMAIN`` where D holds no such call, and yet a test kills
            ``first`` and not ``second``: it calls outside D, or asserts less than the answer.
        apart: how many calls of D, or tests, say otherwise. example: the first of those calls, by its place in D.
        together: whether the tests cannot tell the two apart at all: the same tests kill both.
    """

    first: str
    second: str
    side: Side
    apart: int
    example: int | None = None
    together: bool = False


def classes(marks: Mapping[str, frozenset[Hashable]]) -> tuple[MutantClass, ...]:
    """Return the mutants grouped by equal marks, those with none left out; the fewest marks first."""
    groups: dict[frozenset[Hashable], list[str]] = {}
    for mutant, kappa in marks.items():
        if kappa:
            groups.setdefault(kappa, []).append(mutant)
    found = [MutantClass(tuple(mutants), kappa) for kappa, mutants in groups.items()]
    return tuple(sorted(found, key=lambda group: (len(group.marks), group.mutants)))


def dominators(marks: Mapping[str, frozenset[Hashable]]) -> tuple[MutantClass, ...]:
    """Return the classes before which no other stands: whoever notices these notices every mutant."""
    groups = classes(marks)
    return tuple(group for group in groups if not any(other.marks < group.marks for other in groups))


def graph(marks: Mapping[str, frozenset[Hashable]]) -> tuple[tuple[int, int], ...]:
    """Return the edges between the places in ``classes(marks)``, without those that follow from others."""
    import networkx  # a third of a second to load: only where it is used

    groups = classes(marks)
    order = networkx.DiGraph()
    order.add_nodes_from(range(len(groups)))
    order.add_edges_from(
        (a, b) for a, one in enumerate(groups) for b, other in enumerate(groups) if one.marks < other.marks
    )
    return tuple(sorted(networkx.transitive_reduction(order).edges))


def dominator_score(pool: Kills, suite: Iterable[str]) -> Fraction | None:
    """Return the share of the pool's dominator classes that ``suite`` kills; None where the pool has no mutant.

    Each mutant that no test of the pool kills counts as a class of its own. Kurtz et al., 2016.
    """
    chosen = frozenset(suite)
    found = dominators(pool.killers)
    total = len(found) + len(pool.survivors)
    return Fraction(sum(not chosen.isdisjoint(group.marks) for group in found), total) if total else None


def disagreements(kills: Kills, deltas: Mapping[str, frozenset[int]]) -> tuple[Disagreement, ...]:
    """Return the pairs of killed mutants that tests and domain order differently.

    Args:
        deltas: for each mutant the places in D at which it answers unlike the reference; one with none is left out.
    """
    mutants = [mutant for mutant in kills.killed if deltas.get(mutant)]
    calls = {mutant: _bits(deltas[mutant]) for mutant in mutants}
    found = []
    for first in mutants:
        for second in mutants:
            if first == second:
                continue
            missed = kills.killers[first] - kills.killers[second]
            shown = calls[first] & ~calls[second]
            if not missed and shown:
                together = kills.killers[first] == kills.killers[second]
                lowest = (shown & -shown).bit_length() - 1
                found.append(Disagreement(first, second, Side.TESTS, shown.bit_count(), lowest, together))
            elif missed and not shown:
                found.append(Disagreement(first, second, Side.DOMAIN, len(missed)))
    return tuple(found)


def _bits(places: frozenset[int]) -> int:
    whole = bytearray(max(places) // 8 + 1)
    for place in places:
        whole[place // 8] |= 1 << place % 8
    return int.from_bytes(whole, "little")
