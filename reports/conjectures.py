"""What the mutants suggest about the tests themselves: P apparently implies Q where P fails wherever Q does.

Braquehais, Runciman: FitSpec, refining property sets for functional testing, 2016. A conjecture is as good as the
mutants it rests on, and is refuted by the next mutant that Q kills and P does not.
"""

from dataclasses import dataclass
from fractions import Fraction

from acidtest.reports.kills import Kills
from acidtest.reports.subsumption import classes, graph


@dataclass(frozen=True, slots=True)
class Conjecture:
    """``stronger`` apparently implies ``weaker``: every mutant that the second kills, the first kills.

    Several tests on one side kill the same mutants: each stands for the others. Nothing in ``weaker``: the tests of
    ``stronger`` apparently say the same.

    Attributes:
        killed: how many mutants speak for it: those that the weaker side kills.
        strength: their share of all mutants.
    """

    stronger: tuple[str, ...]
    weaker: tuple[str, ...]
    killed: int
    strength: Fraction


def conjectures(kills: Kills) -> tuple[Conjecture, ...]:
    """Return the conjectures that do not follow from others; the ones that most mutants speak for first."""
    groups = classes({test: frozenset(mutants) for test, mutants in kills.kills.items()})
    total = len(kills.killers)
    found = [
        Conjecture(group.mutants, (), len(group.marks), Fraction(len(group.marks), total))
        for group in groups
        if len(group.mutants) > 1
    ]
    for low, high in graph({test: frozenset(mutants) for test, mutants in kills.kills.items()}):
        weaker = groups[low]
        share = Fraction(len(weaker.marks), total)
        found.append(Conjecture(groups[high].mutants, weaker.mutants, len(weaker.marks), share))
    return tuple(sorted(found, key=lambda item: (-item.killed, item.stronger, item.weaker)))
