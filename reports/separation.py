"""Whether the calls of the diagnosis can tell: how far apart any two entries, and each entry and the reference, are."""

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from acidtest.reports.likeness import loose

PROMISED = 10
"""On so many calls two entries, or an entry and the reference, answer differently in more than form."""

REFERENCE = "the reference"


@dataclass(frozen=True, slots=True)
class Close:
    """Two sides that too few calls tell apart, and how many do."""

    one: str
    other: str
    apart: int


def too_close(sides: Mapping[str, Sequence[str]], promised: int = PROMISED) -> Iterator[Close]:
    """Yield every two sides that fewer than ``promised`` calls tell apart.

    Args:
        sides: by name, the answers to the same calls.
    """
    plain = {name: [loose(answer) for answer in answers] for name, answers in sides.items()}
    for one, other in itertools.combinations(plain, 2):
        apart = sum(mine != theirs for mine, theirs in zip(plain[one], plain[other], strict=True))
        if apart < promised:
            yield Close(one, other, apart)


def disagreeing(reference: Sequence[str], right: Mapping[str, Sequence[str]]) -> Iterator[tuple[str, int]]:
    """Yield the right implementations that answer a call otherwise than the reference, and the first such call."""
    for name, answers in right.items():
        for call, (mine, theirs) in enumerate(zip(answers, reference, strict=True)):
            if mine != theirs:
                yield name, call
                break
