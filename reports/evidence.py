"""A stranger's answers beside the battery: which are wrong, and which of those are an entry's. Calls are bits."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, reduce
from operator import or_

from acidtest.reports.likeness import DIVIDED_BY_ZERO, alike, loose
from acidtest.reports.symptoms import EMPTY, UNWRITTEN

SUPPORT = 5
SHARE = 0.9
RICH_SHARE = 0.75
REST = 0.1
RICH_REST = 0.25
ABROAD = 2 * SUPPORT
"""How much an entry must have in common with a submission to be named; ``diagnosis`` says why each."""

Changes = Mapping[int, str]


@dataclass(frozen=True)
class Battery:
    """The fixed calls, and what is known of them.

    Attributes:
        functions: the function of each call. reference: its answers.
        mutants: for each entry the answers in which it differs from the reference by more than form, by call.
        homes: the function that each entry is a mistake in.
    """

    functions: tuple[str, ...]
    reference: tuple[str, ...]
    mutants: Mapping[str, Changes] = field(repr=False)
    homes: Mapping[str, str] = field(repr=False)

    @cached_property
    def calls_of(self) -> Mapping[str, int]:
        """Return the calls of each function, as a mask."""
        return {
            function: mask_of(call for call, name in enumerate(self.functions) if name == function)
            for function in dict.fromkeys(self.functions)
        }


def changes_of(answers: Sequence[str], reference: Sequence[str]) -> dict[int, str]:
    """Return the answers that differ from the reference's by more than form, by call."""
    pairs = enumerate(zip(answers, reference, strict=True))
    return {call: mine for call, (mine, right) in pairs if mine != right and loose(mine) != loose(right)}


@dataclass(frozen=True, slots=True)
class Traces:
    """What an entry, or two in one file, would have done to the calls, beside what the submission did; as masks.

    Attributes:
        members: the entries. homes: their functions.
        changed: calls that it answers wrongly. hits: the submission answers so too. nearly: but for the last bits.
        divided: one of the two divides by zero, and both are wrong: explained, but no evidence.
    """

    members: tuple[str, ...]
    homes: frozenset[str]
    changed: int
    hits: int
    nearly: int
    divided: int


class Case:
    """A submission's answers beside the battery."""

    def __init__(self, answers: Sequence[str | None], battery: Battery) -> None:
        if len(answers) != len(battery.reference):
            raise ValueError(f"{len(answers)} answers to {len(battery.reference)} calls; ask the whole battery")
        self.answers, self.battery = answers, battery
        self.unfinished = tuple(self._always(EMPTY))
        self.silent = mask_of(call for call, mine in enumerate(answers) if mine is None)
        self.silent |= union(battery.calls_of[function] for function in self.unfinished)
        if self.unfinished:  # others may use what is not written
            self.silent |= mask_of(call for call in range(len(answers)) if self._head(call) in UNWRITTEN)
        differing = [
            (call, mine, right)
            for call, (mine, right) in enumerate(zip(answers, battery.reference, strict=True))
            if mine is not None and mine != right and not self.silent >> call & 1
        ]
        self.wrong = mask_of(call for call, mine, right in differing if loose(mine) != loose(right))
        self.formal = [(call, mine, right) for call, mine, right in differing if not self.wrong >> call & 1]
        self.traces = {name: self.traced((name,), changes) for name, changes in battery.mutants.items()}

    def traced(self, members: tuple[str, ...], changes: Changes) -> Traces:
        """Compare what the submission answers with what these entries would."""
        changed = mask_of(changes) & ~self.silent
        hits = nearly = divided = 0
        for call in calls_in(changed & self.wrong):
            mine, theirs = self.answers[call] or "", changes[call]
            if alike(mine, theirs, self.battery.reference[call]):
                hits |= 1 << call
                nearly |= (loose(mine) != loose(theirs)) << call
            elif {mine, theirs} & DIVIDED_BY_ZERO:
                divided |= 1 << call
        return Traces(members, frozenset(self.battery.homes[name] for name in members), changed, hits, nearly, divided)

    def shows(self, trace: Traces, against: int, own: int) -> tuple[str, ...]:
        """Return the functions in which the submission answers as these entries do; none where a home says otherwise.

        Args:
            against: the calls that count as evidence. own: those that no other mistake explains.
        """
        found = []
        for function, calls in self.battery.calls_of.items():
            due, mine = trace.changed & against & calls, own & calls
            share = RICH_SHARE if self.is_rich(trace, calls) else SHARE
            if mine.bit_count() >= SUPPORT and (due & trace.hits).bit_count() >= share * due.bit_count():
                found.append(function)
        for home in trace.homes.difference(found):
            due = self.battery.calls_of.get(home, 0) & trace.changed & against
            if (due & self.wrong).bit_count() > (1.0 - SHARE) * due.bit_count():
                return ()
        if trace.homes & set(found):
            return tuple(found)
        return tuple(function for function in found if self._values(own & self.battery.calls_of[function]) >= ABROAD)

    def _values(self, calls: int) -> int:
        return sum(not (self.answers[call] or "raises ").startswith("raises ") for call in calls_in(calls))

    def is_rich(self, trace: Traces, calls: int) -> bool:
        """Return whether the submission's answers that are an entry's are of ``SUPPORT`` kinds at least.

        What two entries do together is made up for the submission, so no leniency is due to it.
        """
        return len(trace.members) == 1 and len({self.answers[call] for call in calls_in(trace.hits & calls)}) >= SUPPORT

    def mostly(self, function: str, explained: int, rest: float) -> bool:
        """Return whether at most a ``rest`` of the function's wrong answers is left unexplained."""
        wrong = self.wrong & self.battery.calls_of[function]
        return (wrong & ~explained).bit_count() <= rest * wrong.bit_count()

    def _always(self, texts: frozenset[str]) -> Iterator[str]:
        """Yield the functions that answer one of ``texts`` wherever the reference answers with a value."""
        for function in self.battery.calls_of:
            good = self._good(function)
            if good and all(self._head(call) in texts for call in good):
                yield function

    def _head(self, call: int) -> str:
        """Return an answer without what else could be seen of the call."""
        return (self.answers[call] or "").partition("; ")[0]

    def broken(self) -> Iterator[tuple[str, str]]:
        """Yield the functions that raise one error wherever the reference answers with a value, and the error."""
        for function in self.battery.calls_of:
            heads = {self._head(call) for call in self._good(function)}
            if function not in self.unfinished and len(heads) == 1 and (head := heads.pop()).startswith("raises "):
                yield function, head.removeprefix("raises ")

    def _good(self, function: str) -> list[int]:
        calls = calls_in(self.battery.calls_of[function])
        return [call for call in calls if not self.battery.reference[call].startswith("raises ")]


def union(masks: Iterable[int]) -> int:
    """Return the calls that are in any of the masks."""
    return reduce(or_, masks, 0)


def mask_of(calls: Iterable[int]) -> int:
    """Return the mask of these calls."""
    mask = 0
    for call in calls:
        mask |= 1 << call
    return mask


def calls_in(mask: int) -> Iterator[int]:
    """Yield the calls of a mask, in ascending order."""
    bits = f"{mask:b}"[::-1]
    call = bits.find("1")
    while call >= 0:
        yield call
        call = bits.find("1", call + 1)
