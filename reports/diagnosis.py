"""Which mistake is it? A stranger's answers to the battery, explained by entries of the catalog that answer the same.

Functions are looked at apart, since a second hand need not call one function from another as the reference does. An
entry *shows* in a function where the stranger answers as it does. Three demands, and it is named only where it meets
them all:

- at least ``SUPPORT`` wrong answers there are the entry's and no other named entry's. The battery holds ten calls or
  more between any two entries, so a real match has about twice that;
- of the function's calls that the entry answers wrongly, the stranger answers ``SHARE`` as the entry does. The rest is
  for rounding at the edges, where another order of evaluation may draw another id. Where the two agree on ``SUPPORT``
  different answers, which flags and small ids do not, ``RICH_SHARE`` is enough: no chance brings that about;
- of the function's calls that the stranger answers wrongly, at most ``REST`` stay unexplained, or ``RICH_REST`` in the
  same case: an entry that explains a part of a larger ruin is not its name.

In the entry's own function, its *home*, a stranger has to answer as the entry does, or else rightly: the mistake may
sit in a second place where the same thing is computed again. Then it takes ``ABROAD`` values there, since errors say
little of why; all but a tenth of what is wrong there must be explained, and by no other entry.

Two mistakes in one file work on each other's answers. Where they have different homes, what both change may be answered
as either or in a third way; a third way is explained as *compound*. Where they have one home, nothing is granted: what
they do together has to be known, see ``composed``. All other wrong answers stay *unexplained*, and are said to be.
"""

import itertools
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cached_property, reduce
from operator import or_

from acidtest.reports.likeness import DIVIDED_BY_ZERO, alike, loose
from acidtest.reports.symptoms import EMPTY, UNFINISHED, FormFault, form_of, symptom_of

SUPPORT = 5
SHARE = 0.9
RICH_SHARE = 0.75
REST = 0.1
RICH_REST = 0.25
ABROAD = 2 * SUPPORT
MEMBERS = 3
"""So many mistakes are told apart at most; a file with more is past explaining by parts."""

Changes = Mapping[int, str]
Composed = Mapping[tuple[str, str], Changes]


class Verdict(StrEnum):
    """How far the catalog explains a submission's answers."""

    RIGHT = "answers like the reference"
    EXACT = "answers like the named entries on every call"
    EXPLAINED = "every wrong answer is explained"
    PARTLY = "some wrong answers are explained"
    UNEXPLAINED = "no entry explains it"
    UNFINISHED = "nothing wrong, but not finished"


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
            function: _mask(call for call, name in enumerate(self.functions) if name == function)
            for function in dict.fromkeys(self.functions)
        }


@dataclass(frozen=True, slots=True)
class Match:
    """One entry that is named.

    Attributes:
        functions: where it shows. hits: wrong answers that are the entry's. own: those that are no other's.
    """

    mutant: str
    functions: tuple[str, ...]
    hits: int
    own: int


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """What the answers say.

    Attributes:
        matches: the named entries, the one that explains most first.
        asked, answered, wrong: how many calls; wrong ones differ from the reference by more than form.
        explained: wrong answers that equal a named entry's. compound: those that named entries bring about together,
            or in a function that uses theirs.
        unexplained: the other wrong answers, by call. symptoms: what they have in common, as (function, words, count).
        first_wrong: the calls that are answered wrongly, in the battery's order.
        unfinished: functions that answer nothing yet. broken: (function, error) where every answer is one error.
        forms: answers right in all but their form.
        resembles: where something is unexplained, entries that share some of it, with the share; no claim.
    """

    verdict: Verdict
    matches: tuple[Match, ...]
    asked: int
    answered: int
    wrong: tuple[int, ...]
    explained: int
    compound: int
    unexplained: tuple[int, ...]
    symptoms: tuple[tuple[str, str, int], ...] = ()
    unfinished: tuple[str, ...] = ()
    broken: tuple[tuple[str, str], ...] = ()
    forms: tuple[FormFault, ...] = ()
    resembles: tuple[tuple[str, float], ...] = ()

    @property
    def named(self) -> tuple[str, ...]:
        """Return the ids of the named entries."""
        return tuple(match.mutant for match in self.matches)

    @property
    def confidence(self) -> float:
        """Return the share of the wrong answers that equal a named entry's, in [0, 1]; 1 where nothing is wrong."""
        return self.explained / len(self.wrong) if self.wrong else 1.0


def changes_of(answers: Sequence[str], reference: Sequence[str]) -> dict[int, str]:
    """Return the answers that differ from the reference's by more than form, by call."""
    pairs = enumerate(zip(answers, reference, strict=True))
    return {call: mine for call, (mine, right) in pairs if mine != right and loose(mine) != loose(right)}


def explain(answers: Sequence[str | None], battery: Battery, composed: Composed | None = None) -> Diagnosis:
    """Explain a submission's answers.

    Args:
        answers: one for each call of the battery; None where there was none (a crash, a timeout).
        composed: what pairs of entries do together in one file, as far as it is known; by their ids, the answers that
            differ from the reference's by more than form, by call.
    """
    case = _Case(answers, battery)
    return _diagnosis(case, _chosen(case, composed or {}))


def promising(answers: Sequence[str | None], battery: Battery, limit: int) -> list[tuple[str, str]]:
    """Return pairs of entries that may be in a submission together, the most likely first.

    Where the one or the other answers a call wrongly, the submission should, and nowhere else.
    """
    case = _Case(answers, battery)
    ranked = []
    for one, other in itertools.combinations(case.traces.values(), 2):
        if (one.hits | other.hits).bit_count() >= SUPPORT:
            fit = case.wrong & (one.hits | other.hits | one.changed & other.changed)
            misfit = case.wrong & ~(one.changed | other.changed) | (one.changed ^ other.changed) & ~case.wrong
            ranked.append((misfit.bit_count() - fit.bit_count(), one.members + other.members))
    return [(members[0], members[1]) for _, members in sorted(ranked)[:limit]]


@dataclass(frozen=True, slots=True)
class _Traces:
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


class _Case:
    """A submission's answers beside the battery."""

    def __init__(self, answers: Sequence[str | None], battery: Battery) -> None:
        if len(answers) != len(battery.reference):
            raise ValueError(f"{len(answers)} answers to {len(battery.reference)} calls; ask the whole battery")
        self.answers, self.battery = answers, battery
        self.unfinished = tuple(self._always(EMPTY))
        self.silent = _mask(call for call, mine in enumerate(answers) if mine is None or mine in UNFINISHED)
        self.silent |= _any(battery.calls_of[function] for function in self.unfinished)
        differing = [
            (call, mine, right)
            for call, (mine, right) in enumerate(zip(answers, battery.reference, strict=True))
            if mine is not None and mine != right and not self.silent >> call & 1
        ]
        self.wrong = _mask(call for call, mine, right in differing if loose(mine) != loose(right))
        self.formal = [(call, mine, right) for call, mine, right in differing if not self.wrong >> call & 1]
        self.traces = {name: self.traced((name,), changes) for name, changes in battery.mutants.items()}

    def traced(self, members: tuple[str, ...], changes: Changes) -> _Traces:
        """Compare what the submission answers with what these entries would."""
        changed = _mask(changes) & ~self.silent
        hits = nearly = divided = 0
        for call in _calls(changed & self.wrong):
            mine, theirs = self.answers[call] or "", changes[call]
            if alike(mine, theirs, self.battery.reference[call]):
                hits |= 1 << call
                nearly |= (loose(mine) != loose(theirs)) << call
            elif {mine, theirs} & DIVIDED_BY_ZERO:
                divided |= 1 << call
        return _Traces(members, frozenset(self.battery.homes[name] for name in members), changed, hits, nearly, divided)

    def shows(self, trace: _Traces, against: int, own: int) -> tuple[str, ...]:
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
        return sum(not (self.answers[call] or "raises ").startswith("raises ") for call in _calls(calls))

    def is_rich(self, trace: _Traces, calls: int) -> bool:
        """Return whether the submission's answers that are an entry's are of ``SUPPORT`` kinds at least.

        What two entries do together is made up for the submission, so no leniency is due to it.
        """
        return len(trace.members) == 1 and len({self.answers[call] for call in _calls(trace.hits & calls)}) >= SUPPORT

    def mostly(self, function: str, explained: int, rest: float) -> bool:
        """Return whether at most a ``rest`` of the function's wrong answers is left unexplained."""
        wrong = self.wrong & self.battery.calls_of[function]
        return (wrong & ~explained).bit_count() <= rest * wrong.bit_count()

    def _always(self, texts: frozenset[str]) -> Iterator[str]:
        """Yield the functions that answer one of ``texts`` wherever the reference answers with a value."""
        for function in self.battery.calls_of:
            good = self._good(function)
            if good and all(self.answers[call] in texts for call in good):
                yield function

    def broken(self) -> Iterator[tuple[str, str]]:
        """Yield the functions that raise one error wherever the reference answers with a value, and the error."""
        for function in self.battery.calls_of:
            heads = {(self.answers[call] or "").partition(";")[0] for call in self._good(function)}
            if function not in self.unfinished and len(heads) == 1 and (head := heads.pop()).startswith("raises "):
                yield function, head.removeprefix("raises ")

    def _good(self, function: str) -> list[int]:
        calls = _calls(self.battery.calls_of[function])
        return [call for call in calls if not self.battery.reference[call].startswith("raises ")]


@dataclass(frozen=True, slots=True)
class _Reading:
    """One way to read a submission: these mistakes together, and what they leave."""

    traces: tuple[_Traces, ...] = ()
    places: tuple[tuple[str, ...], ...] = ()
    explained: int = 0
    compound: int = 0

    @property
    def members(self) -> tuple[str, ...]:
        """Return the ids of the entries."""
        return tuple(dict.fromkeys(name for trace in self.traces for name in trace.members))

    @property
    def worth(self) -> tuple[int, int]:
        """Return how many wrong answers it explains, a compound one half, less ``SUPPORT`` for each mistake."""
        explained = self.explained.bit_count() + self.compound.bit_count() / 2
        return int(2 * (explained - SUPPORT * len(self.members))), -len(self.traces)


def _chosen(case: _Case, composed: Composed) -> _Reading:
    """Return the reading that is worth most, unless one mistake, or two together, answer alike on every call."""
    single = [trace for trace in case.traces.values() if trace.hits.bit_count() >= SUPPORT]
    double = [case.traced(members, changes) for members, changes in composed.items()]
    for traces in (single, double):
        exact = [trace for trace in traces if trace.hits == trace.changed == case.wrong and not trace.nearly]
        if exact:
            return _exactly(case, exact)
    readings = [_Reading(), *(_read(case, (trace,)) for trace in (*single, *double))]
    readings += [_read(case, couple) for couple in itertools.combinations(single, 2)]
    best = _best(readings)
    while 1 < len(best.traces) < MEMBERS:
        wider = _best([best, *(_read(case, (*best.traces, trace)) for trace in single if trace not in best.traces)])
        if wider is best:
            break
        best = wider
    return best


def _best(readings: Iterable[_Reading | None]) -> _Reading:
    return max((reading for reading in readings if reading is not None), key=lambda reading: reading.worth)


def _exactly(case: _Case, exact: Sequence[_Traces]) -> _Reading:
    """Return the reading of what answers alike on every call; of several pairs that do, what they have in common."""
    common = [name for name in exact[0].members if all(name in trace.members for trace in exact)]
    members = tuple(common) or exact[0].members
    shown = tuple(name for name, calls in case.battery.calls_of.items() if calls & case.wrong)
    return _Reading((replace(exact[0], members=members),), (shown,), case.wrong, 0)


def _read(case: _Case, traces: tuple[_Traces, ...]) -> _Reading | None:
    """Read the submission as these mistakes together; None where one of them cannot be named."""
    hits = _any(trace.hits | trace.divided for trace in traces)
    compound = 0
    places = []
    for trace in traces:
        others = [other for other in traces if other is not trace]
        elsewhere = _any(other.changed for other in others if not other.homes & trace.homes)
        excused = elsewhere | trace.divided | _any(other.hits for other in others) & ~trace.hits
        shown = case.shows(trace, ~excused, trace.hits & ~_any(other.hits for other in others))
        if not shown:
            return None
        places.append(shown)
        beyond = _any(calls for function, calls in case.battery.calls_of.items() if function not in shown)
        compound |= trace.changed & (elsewhere | beyond)
    compound &= case.wrong & ~hits
    clear = []
    for trace, shown in zip(traces, places, strict=True):
        abroad = not trace.homes & set(shown)
        alone = [name for name in shown if not (abroad and sum(name in others for others in places) > 1)]
        clear.append(tuple(name for name in alone if _is_clear(case, trace, name, hits | compound, abroad)))
    return _Reading(traces, tuple(clear), hits, compound) if all(clear) else None


def _is_clear(case: _Case, trace: _Traces, function: str, explained: int, abroad: bool) -> bool:
    rich = not abroad and case.is_rich(trace, case.battery.calls_of[function])
    return case.mostly(function, explained, RICH_REST if rich else REST)


def _diagnosis(case: _Case, reading: _Reading) -> Diagnosis:
    left = case.wrong & ~reading.explained & ~reading.compound
    counts = Counter(
        (case.battery.functions[call], symptom_of(case.answers[call] or "", case.battery.reference[call]))
        for call in _calls(left)
    )
    return Diagnosis(
        verdict=_verdict(case, reading, left),
        matches=tuple(sorted(_matches(reading), key=lambda match: -match.hits)),
        asked=len(case.answers),
        answered=sum(answer is not None for answer in case.answers),
        wrong=tuple(_calls(case.wrong)),
        explained=reading.explained.bit_count(),
        compound=reading.compound.bit_count(),
        unexplained=tuple(_calls(left)),
        symptoms=tuple((function, words, count) for (function, words), count in counts.most_common()),
        unfinished=case.unfinished,
        broken=tuple(case.broken()),
        forms=form_of([(case.battery.functions[call], mine, right) for call, mine, right in case.formal]),
        resembles=_resembling(case, left) if left else (),
    )


def _matches(reading: _Reading) -> Iterator[Match]:
    for trace, functions in zip(reading.traces, reading.places, strict=True):
        others = _any(other.hits for other in reading.traces if other is not trace)
        for name in trace.members:
            yield Match(name, functions, trace.hits.bit_count(), (trace.hits & ~others).bit_count())


def _verdict(case: _Case, reading: _Reading, left: int) -> Verdict:
    if not case.wrong:
        return Verdict.UNFINISHED if case.silent else Verdict.RIGHT
    if not reading.traces:
        return Verdict.UNEXPLAINED
    if left:
        return Verdict.PARTLY
    (first, *more) = reading.traces
    exact = not more and not first.nearly and first.changed == first.hits == case.wrong
    return Verdict.EXACT if exact else Verdict.EXPLAINED


def _resembling(case: _Case, left: int) -> tuple[tuple[str, float], ...]:
    shares = []
    for name, trace in case.traces.items():
        common = (trace.hits & left).bit_count()
        if common >= SUPPORT:
            shares.append((name, common / (trace.changed | left).bit_count()))
    return tuple(sorted(shares, key=lambda share: -share[1])[:3])


def _any(masks: Iterable[int]) -> int:
    return reduce(or_, masks, 0)


def _mask(calls: Iterable[int]) -> int:
    mask = 0
    for call in calls:
        mask |= 1 << call
    return mask


def _calls(mask: int) -> Iterator[int]:
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low
