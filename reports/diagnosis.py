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
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from acidtest.reports.evidence import SUPPORT, Battery, Case, calls_in, union
from acidtest.reports.readings import Composed, Reading, chosen
from acidtest.reports.symptoms import FormFault, form_of, symptom_of


class Verdict(StrEnum):
    """How far the catalog explains a submission's answers."""

    RIGHT = "answers like the reference"
    EXACT = "answers like the named entries on every call"
    EXPLAINED = "every wrong answer is explained"
    PARTLY = "some wrong answers are explained"
    UNEXPLAINED = "no entry explains it"
    UNFINISHED = "nothing wrong, but not finished"


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


def explain(answers: Sequence[str | None], battery: Battery, composed: Composed | None = None) -> Diagnosis:
    """Explain a submission's answers.

    Args:
        answers: one for each call of the battery; None where there was none (a crash, a timeout).
        composed: what pairs of entries do together in one file, as far as it is known; by their ids, the answers that
            differ from the reference's by more than form, by call.
    """
    case = Case(answers, battery)
    return _diagnosis(case, chosen(case, composed or {}))


def promising(answers: Sequence[str | None], battery: Battery, limit: int) -> list[tuple[str, str]]:
    """Return pairs of entries that may be in a submission together, the most likely first.

    Where the one or the other answers a call wrongly, the submission should, and nowhere else. That it answers a call
    rightly which one of the two does not counts a quarter, since one mistake may hide the other.
    """
    case = Case(answers, battery)
    ranked = []
    for one, other in itertools.combinations(case.traces.values(), 2):
        if (one.hits | other.hits).bit_count() >= SUPPORT:
            fit = case.wrong & (one.hits | other.hits | one.changed & other.changed)
            unlike = case.wrong & ~(one.changed | other.changed)
            absent = (one.changed ^ other.changed) & ~case.wrong
            misfit = 4 * (unlike.bit_count() - fit.bit_count()) + absent.bit_count()
            ranked.append((misfit, one.members + other.members))
    return [(members[0], members[1]) for _, members in sorted(ranked)[:limit]]


def _diagnosis(case: Case, reading: Reading) -> Diagnosis:
    left = case.wrong & ~reading.explained & ~reading.compound
    counts = Counter(
        (case.battery.functions[call], symptom_of(case.answers[call] or "", case.battery.reference[call]))
        for call in calls_in(left)
    )
    return Diagnosis(
        verdict=_verdict(case, reading, left),
        matches=tuple(sorted(_matches(reading), key=lambda match: -match.hits)),
        asked=len(case.answers),
        answered=sum(answer is not None for answer in case.answers),
        wrong=tuple(calls_in(case.wrong)),
        explained=reading.explained.bit_count(),
        compound=reading.compound.bit_count(),
        unexplained=tuple(calls_in(left)),
        symptoms=tuple((function, words, count) for (function, words), count in counts.most_common()),
        unfinished=case.unfinished,
        broken=tuple(case.broken()),
        forms=form_of([(case.battery.functions[call], mine, right) for call, mine, right in case.formal]),
        resembles=_resembling(case, left) if left else (),
    )


def _matches(reading: Reading) -> Iterator[Match]:
    for trace, functions in zip(reading.traces, reading.places, strict=True):
        others = union(other.hits for other in reading.traces if other is not trace)
        for name in trace.members:
            yield Match(name, functions, trace.hits.bit_count(), (trace.hits & ~others).bit_count())


def _verdict(case: Case, reading: Reading, left: int) -> Verdict:
    if not case.wrong:
        return Verdict.UNFINISHED if case.silent else Verdict.RIGHT
    if not reading.traces:
        return Verdict.UNEXPLAINED
    if left:
        return Verdict.PARTLY
    (first, *more) = reading.traces
    exact = not more and not first.nearly and first.changed == first.hits == case.wrong
    return Verdict.EXACT if exact else Verdict.EXPLAINED


def _resembling(case: Case, left: int) -> tuple[tuple[str, float], ...]:
    shares = []
    for name, trace in case.traces.items():
        common = (trace.hits & left).bit_count()
        if common >= SUPPORT:
            shares.append((name, common / (trace.changed | left).bit_count()))
    return tuple(sorted(shares, key=lambda share: -share[1])[:3])
