"""One way to read a stranger's answers: which mistakes together, where they show, and what they leave; and the best."""

import itertools
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from acidtest.reports.evidence import REST, RICH_REST, SUPPORT, Case, Changes, Traces, union

MEMBERS = 3
"""So many mistakes are told apart at most; a file with more is past explaining by parts."""

Composed = Mapping[tuple[str, str], Changes]


@dataclass(frozen=True, slots=True)
class Reading:
    """One way to read a submission: these mistakes together, and what they leave."""

    traces: tuple[Traces, ...] = ()
    places: tuple[tuple[str, ...], ...] = ()
    explained: int = 0
    compound: int = 0

    @property
    def members(self) -> tuple[str, ...]:
        """Return the ids of the entries."""
        return tuple(dict.fromkeys(name for trace in self.traces for name in trace.members))

    @property
    def worth(self) -> tuple[int, int]:
        """Return twice the answers it explains, once those that are compound, less what each mistake must bring."""
        explained = 2 * self.explained.bit_count() + self.compound.bit_count()
        return explained - (2 * SUPPORT - 1) * len(self.members), -len(self.traces)


def chosen(case: Case, composed: Composed) -> Reading:
    """Return the reading that is worth most, unless one mistake, or two together, answer alike on every call.

    Where several pairs do, only what they have in common is named.
    """
    single = [trace for trace in case.traces.values() if trace.hits.bit_count() >= SUPPORT]
    double = [case.traced(members, changes) for members, changes in composed.items()]
    for traces in (single, double):
        exact = [trace for trace in traces if trace.hits == trace.changed == case.wrong and not trace.nearly]
        common = [name for name in case.traces if exact and all(name in trace.members for trace in exact)]
        if common and case.wrong:
            alone = len(common) == len(exact[0].members)  # else what is named does not by itself answer alike
            return _exactly(case, replace(exact[0], members=tuple(common), nearly=0 if alone else case.wrong))
        if exact:
            double = []  # pairs that are not alike explain everything: neither can be told to be it
    readings = [Reading(), *(_read(case, (trace,)) for trace in (*single, *double))]
    readings += [_read(case, couple) for couple in itertools.combinations(single, 2)]
    best = _best(readings)
    while 1 < len(best.traces) < MEMBERS:
        wider = _best([best, *(_read(case, (*best.traces, trace)) for trace in single if trace not in best.traces)])
        if wider is best:
            break
        best = wider
    return best


def _best(readings: Iterable[Reading | None]) -> Reading:
    return max((reading for reading in readings if reading is not None), key=lambda reading: reading.worth)


def _exactly(case: Case, trace: Traces) -> Reading:
    """Return the reading of what answers alike on every call."""
    shown = tuple(name for name, calls in case.battery.calls_of.items() if calls & case.wrong)
    return Reading((trace,), (shown,), case.wrong, 0)


def _read(case: Case, traces: tuple[Traces, ...]) -> Reading | None:
    """Read the submission as these mistakes together; None where one of them cannot be named."""
    hits = union(trace.hits | trace.divided for trace in traces)
    compound = 0
    places = []
    for trace in traces:
        others = [other for other in traces if other is not trace]
        elsewhere = union(other.changed for other in others if not other.homes & trace.homes)
        excused = elsewhere | trace.divided | union(other.hits for other in others) & ~trace.hits
        shown = case.shows(trace, ~excused, trace.hits & ~union(other.hits for other in others))
        if not shown:
            return None
        places.append(shown)
        beyond = union(calls for function, calls in case.battery.calls_of.items() if function not in shown)
        compound |= trace.changed & (elsewhere | beyond)
    compound &= case.wrong & ~hits
    clear = []
    for trace, shown in zip(traces, places, strict=True):
        abroad = not trace.homes & set(shown)
        alone = [name for name in shown if not (abroad and sum(name in others for others in places) > 1)]
        clear.append(tuple(name for name in alone if _is_clear(case, trace, name, hits | compound, abroad)))
    return Reading(traces, tuple(clear), hits, compound) if all(clear) else None


def _is_clear(case: Case, trace: Traces, function: str, explained: int, abroad: bool) -> bool:
    rich = not abroad and case.is_rich(trace, case.battery.calls_of[function])
    return case.mostly(function, explained, RICH_REST if rich else REST)
