"""What to do about a suite, in plain words, as a pure function of its measures."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from acidtest.reports.covers import Redundant
from acidtest.reports.strength import Strength


@dataclass(frozen=True, slots=True)
class Advice:
    """One thing to do, and what it is about, one line each."""

    what: str
    lines: tuple[str, ...] = ()


def advice(strength: Strength) -> tuple[Advice, ...]:
    """Return what to do, the most urgent first; nothing where there is nothing to do."""
    return tuple(item for part in _PARTS for item in part(strength))


def _survivors(strength: Strength) -> Iterator[Advice]:
    alive = strength.kills.survivors
    if alive:
        yield Advice(
            f"{count_of(alive, 'mutant survives', 'mutants survive')} every test; `acidtest gaps` writes those missing",
            (", ".join(alive),),
        )


def _alarms(strength: Strength) -> Iterator[Advice]:
    noisy = [row for row in strength.confidence.alarms if row.failures] if strength.confidence else []
    if noisy:
        yield Advice(
            "These tests fail on right code under some seeds: mend them first, their kills prove nothing",
            tuple(f"{strength.name(row.test)}: {row.failures} of {row.seeds} seeds" for row in noisy),
        )


def _luck(strength: Strength) -> Iterator[Advice]:
    if strength.confidence is None:
        return
    lucky = [row for row in strength.confidence.mutants if not row.steady and row.kills]
    if lucky:
        yield Advice(
            f"{count_of(lucky, 'mutant has', 'mutants have')} no test that kills under every seed: add a fixed example "
            "to one that does sometimes",
            tuple(f"{row.mutant}: killed under {row.kills} of {row.seeds} seeds" for row in lucky),
        )


def _alone(strength: Strength) -> Iterator[Advice]:
    sole = strength.sole
    if sole:
        count = sum(map(len, sole.values()))
        yield Advice(
            f"{count_of(range(count), 'mutant hangs', 'mutants hang')} on a single test: keep it, or add a second",
            tuple(f"{strength.name(test)}: {', '.join(mutants)}" for test, mutants in sole.items()),
        )


def _nothing(strength: Strength) -> Iterator[Advice]:
    if strength.idle:
        yield Advice(
            f"{count_of(strength.idle, 'test kills', 'tests kill')} no mutant: either what is looked for is not among "
            "the mutants, or nothing is looked at",
            tuple(strength.name(test) for test in strength.idle),
        )
    if strength.redundant:
        total, need = len(strength.kills.tests), strength.cover.size
        slow = sorted(strength.redundant, key=lambda row: (-strength.tests[row.test].seconds, row.test))
        yield Advice(
            f"{count_of(slow, 'test adds', 'tests add')} no kill to the others'. Each could go alone, never all "
            f"together; {need} of {total} tests are enough for these mutants. Keep one that documents, or that looks "
            "for a mistake which is not among them. The slowest first",
            tuple(_carried(strength, row) for row in slow),
        )
        yield Advice("A smallest suite with the same kills", (_names(strength, strength.cover.suite),))


def _carried(strength: Strength, row: Redundant) -> str:
    head = f"{strength.name(row.test)} ({1000 * strength.tests[row.test].seconds:.0f} ms)"
    if not row.kills:
        return f"{head}: kills under some seeds only"
    return f"{head}: {count_of(range(row.kills), 'kill', 'kills')}, all by {_names(strength, row.carriers)} too"


def _twins(strength: Strength) -> Iterator[Advice]:
    domain = strength.domain
    if domain is None:
        return
    apart = {(pair.first, pair.second): pair.apart for pair in domain.pairs if pair.together}
    pairs = dict.fromkeys(tuple(sorted(pair)) for pair in apart)
    if pairs:
        yield Advice(
            f"{count_of(pairs, 'pair of mutants dies', 'pairs of mutants die')} by the very same tests, though calls "
            "of D tell them apart: a test on such a call would say which mistake it is",
            tuple(
                f"{one} and {other}: {apart.get((one, other), 0)} calls show only the first, "
                f"{apart.get((other, one), 0)} only the second"
                for one, other in pairs
            ),
        )


def _blind(strength: Strength) -> Iterator[Advice]:
    rows = strength.triggers or ()
    if not rows:
        return
    mutants = list(dict.fromkeys(row.mutant for row in rows))
    reaching = {mutant: [row.family for row in rows if row.mutant == mutant and row.rate.hits] for mutant in mutants}
    never = [mutant for mutant in mutants if not reaching[mutant]]
    if never:
        tries = max(row.rate.tries for row in rows)
        high = max(row.rate.high for row in rows if row.mutant in never)
        yield Advice(
            f"No family of examples reaches {count_of(never, 'mutant', 'mutants')} in {tries} examples each (so at "
            f"most {100 * high:.1f}% of them do): fixed cases have to stay, or a strategy has to draw the edge",
            (", ".join(never),),
        )
    single: dict[str, list[str]] = {}
    for mutant, families in reaching.items():
        if len(families) == 1 and len({row.family for row in rows if row.mutant == mutant}) > 1:
            single.setdefault(families[0], []).append(mutant)
    if single:
        yield Advice(
            "One family alone reaches these mutants: a property that draws another family cannot see them",
            tuple(f"{family}: {', '.join(found)}" for family, found in single.items()),
        )
    useless = [
        family
        for family in dict.fromkeys(row.family for row in rows)
        if not any(row.rate.hits for row in rows if row.family == family)
    ]
    if useless:
        yield Advice("These families reach no mutant at all", (", ".join(useless),))


def _power(strength: Strength) -> Iterator[Advice]:
    for ledger in strength.ledgers or ():
        weak = [line for line in ledger.lines if line.power < 0.99]
        if weak:
            yield Advice(
                f"{strength.name(ledger.sampled.test)} is not sure to see "
                f"{count_of(weak, 'law that differs', 'laws that differ')}: "
                "leave them to an exact enumeration",
                tuple(f"{line.mutant}: power {100 * line.power:.1f}%" for line in weak),
            )


def _names(strength: Strength, tests: Iterable[str]) -> str:
    return ", ".join(strength.name(test) for test in tests)


def count_of(items: Iterable[object], one: str, many: str) -> str:
    """Return how many there are, with the word that goes with that number."""
    number = len(list(items))
    return f"{number} {one if number == 1 else many}"


_PARTS = (_survivors, _alarms, _luck, _alone, _nothing, _twins, _blind, _power)
