"""Choose the calls of the diagnosis: as few as tell every entry from every other, and strangers from entries.

    python -m acidtest.reports.choosing [FILE]

asks the lab for the answers of the reference, every right implementation, every entry and every generated mutant to
all candidates, which takes some minutes, and writes the choice to FILE (else ``properties/diagnostics.jsonl``). Calls
count as answered differently where the answers differ in more than form, see ``likeness.loose``.
"""

import itertools
import json
import math
import sys
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from acidtest.mutants import lab
from acidtest.mutants.generated import generated
from acidtest.mutants.load import load_catalog, variant_of
from acidtest.mutants.model import Variant
from acidtest.mutants.workload import Workload, embedded
from acidtest.reports.likeness import loose
from acidtest.reports.proving import wheats_of
from acidtest.reports.separation import PROMISED, REFERENCE

APART = 16
"""On so many calls any two entries, and each entry and the reference, answer differently; ``PROMISED`` are due."""
AT_HOME = 24
"""On so many calls of its own function an entry differs from the reference, where the candidates have them."""
STRANGER = 6
"""On so many a generated mutant must differ from the reference, and from each entry that it resembles somewhere."""
SPREAD = 16
"""So many calls of one function are looked at among those that separate the same entries."""

BELOW_ONE = math.nextafter(1.0, 0.0)
Row = Mapping[str, Hashable]
Question = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Demand:
    """Two sides that must answer ``need`` calls differently; only calls of ``function`` count where one is named."""

    one: str
    other: str
    need: int
    function: str = ""

    def met_by(self, function: str, row: Row) -> bool:
        """Return whether a call of ``function``, answered as ``row`` says, is one of those."""
        return self.function in ("", function) and row[self.one] != row[self.other]


@dataclass(frozen=True, slots=True)
class Choice:
    """The chosen calls by index, in ascending order, and how many separating calls each unmet demand lacks."""

    calls: tuple[int, ...]
    lacking: Mapping[Demand, int]


def choose(
    functions: Sequence[str],
    rows: Sequence[Row],
    kin: Sequence[Hashable],
    tidy: Sequence[bool],
    demands: Sequence[Demand],
) -> Choice:
    """Choose calls until every demand is met, or the calls are used up; then drop those that turned out superfluous.

    Each time the call that serves most unmet demands is taken, the first of several: so order the calls by how welcome
    they are. Of calls that serve the same demands the next one taken is of another kin. What tidy calls can do is not
    left to others.

    Args:
        functions, rows, kin, tidy: for each call its function, what each side answers, what makes it like another call
            (such as its pair of vectors), and whether its answer hangs on no rounding.
    """
    masks = [
        sum(1 << bit for bit, demand in enumerate(demands) if demand.met_by(function, row))
        for function, row in zip(functions, rows, strict=True)
    ]
    left = [demand.need for demand in demands]
    chosen: dict[int, int] = {}
    for wanted in (True, False):
        groups: dict[int, list[int]] = defaultdict(list)
        for call, mask in enumerate(masks):
            if mask and tidy[call] is wanted:
                groups[mask].append(call)
        waiting = {mask: _alternating(calls, kin) for mask, calls in groups.items()}
        _take(waiting, left, chosen)
    kept = _pruned(chosen, demands)
    lacking = {demand: need for demand, need in zip(demands, left, strict=True) if need > 0}
    return Choice(tuple(sorted(kept)), lacking)


def _take(waiting: dict[int, list[int]], left: list[int], chosen: dict[int, int]) -> None:
    """Take from the waiting calls, grouped by the demands that they serve, until they serve none that is unmet."""
    unmet = sum(1 << bit for bit, need in enumerate(left) if need > 0)
    while unmet:
        best = max(waiting, key=lambda mask: ((mask & unmet).bit_count(), -waiting[mask][0]), default=0)
        if not best & unmet:
            break
        chosen[waiting[best].pop(0)] = best
        if not waiting[best]:
            del waiting[best]
        for bit in _bits(best & unmet):
            left[bit] -= 1
            if left[bit] == 0:
                unmet &= ~(1 << bit)


def _alternating(calls: Sequence[int], kin: Sequence[Hashable]) -> list[int]:
    """Return the calls with one of each kin first, then a second of each, and so on."""
    seen: Counter[Hashable] = Counter()
    rounds = []
    for call in calls:
        rounds.append((seen[kin[call]], call))
        seen[kin[call]] += 1
    return [call for _, call in sorted(rounds)]


def _bits(mask: int) -> Iterable[int]:
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low


def _pruned(chosen: Mapping[int, int], demands: Sequence[Demand]) -> list[int]:
    """Return the chosen calls without those that every demand can do without, the last chosen looked at first."""
    counts = Counter(bit for mask in chosen.values() for bit in _bits(mask))
    kept = dict(chosen)
    for call in reversed(list(chosen)):
        bits = list(_bits(kept[call]))
        if all(counts[bit] > demands[bit].need for bit in bits):
            counts.subtract(bits)
            del kept[call]
    return list(kept)


def demands_of(entries: Mapping[str, str], strangers: Mapping[str, Iterable[str]]) -> list[Demand]:
    """Return what a choice must do.

    Args:
        entries: each entry's function by its id. strangers: by a stranger's name the entries that it resembles.
    """
    sides = [REFERENCE, *entries]
    demands = [Demand(one, other, APART) for one, other in itertools.combinations(sides, 2)]
    demands += [Demand(REFERENCE, entry, AT_HOME, function) for entry, function in entries.items()]
    for stranger, resembled in strangers.items():
        demands += [Demand(stranger, other, STRANGER) for other in (REFERENCE, *resembled)]
    return demands


# --- asking the lab ------------------------------------------------------------------------------------------------


def main(arguments: Sequence[str]) -> int:
    """Choose, write, and say what was chosen; 1 where two entries stay too close."""
    workload = embedded()
    file = Path(arguments[0]) if arguments else workload.root / "properties" / "diagnostics.jsonl"
    asked = [json.loads(text) for text in next(lab.answers(workload, [None], ["candidates"]))]  # type: ignore[union-attr]
    mutants = load_catalog(workload.catalog)
    variants = {mutant.id: variant_of(mutant, workload.read(mutant.module)) for mutant in mutants}
    entries = {mutant.id: mutant.function for mutant in mutants}
    print(f"{len(asked)} candidates", flush=True)
    table = _asked(workload, {REFERENCE: None, **variants}, asked)
    few = _few(asked, table)
    asked = [asked[call] for call in few]
    table = {side: [answers[call] for call in few] for side, answers in table.items()}
    print(f"{len(asked)} of them looked at closely", flush=True)
    right = _asked(workload, {wheat.id: wheat for wheat in wheats_of(workload)}, asked)
    agreed = [call for call, answer in enumerate(table[REFERENCE]) if all(w[call] == answer for w in right.values())]
    machine = {variant.id: variant for variant in generated(workload, workload.root / ".acidtest")}
    others = _asked(workload, machine, asked)
    choice, chosen = chosen_calls(asked, table, agreed, others, entries)
    lines = [json.dumps([call["function"], call["args"]]) for call in chosen]
    file.write_text("".join(f"{line}\n" for line in lines), "utf-8")
    counts = Counter(call["function"] for call in chosen)
    print(f"{len(lines)} calls in {file}: " + ", ".join(f"{count} {name}" for name, count in counts.items()))
    for demand, lack in choice.lacking.items():
        print(
            f"{demand.one} and {demand.other}: {demand.need - lack} calls where {demand.need} are due; add candidates"
        )
    return 1 if any(demand.need - lack < PROMISED for demand, lack in choice.lacking.items()) else 0


def chosen_calls(
    asked: Sequence[Question],
    table: Mapping[str, Sequence[str]],
    agreed: Sequence[int],
    others: Mapping[str, Sequence[str]],
    entries: Mapping[str, str],
) -> tuple[Choice, list[Question]]:
    """Return the choice among the calls on which all that is right agrees, and the calls themselves.

    Args:
        table: by side, the reference among them, the answers. agreed: calls that may be chosen.
        others: the answers of strangers. entries: each entry's function.
    """
    strangers = {name: _resembled(answers, table, entries) for name, answers in others.items()}
    known = {name: resembled for name, resembled in strangers.items() if resembled is not None}
    sides = {**table, **{name: others[name] for name in known}}
    rows = [{side: answers[call] for side, answers in sides.items()} for call in agreed]
    functions = [asked[call]["function"] for call in agreed]
    kin = [json.dumps([asked[call]["args"].get("p"), asked[call]["args"].get("q")]) for call in agreed]
    tidy = [all(_is_tidy(name, value) for name, value in asked[call]["args"].items()) for call in agreed]
    demands = _possible(demands_of(entries, known), rows, functions)
    choice = choose(functions, rows, kin, tidy, demands)
    return choice, [asked[agreed[call]] for call in choice.calls]


def _is_tidy(name: str, value: Any) -> bool:
    """Return whether an argument leaves nothing to rounding.

    Masses and sums of small dyadic numbers are exact. A residual of eighths has its steps at halves to sevenths, so a
    uniform of few digits lies on a step only where it is dyadic (which is exact again) or a multiple of a fifth.
    """
    if isinstance(value, list):
        return all(_is_tidy(name, number) for number in value)
    if not math.isfinite(value) or value == BELOW_ONE or value * 1024 == int(value * 1024):
        return True
    return name not in ("p", "q", "p_x", "q_x") and len(repr(value)) <= 4 and round(value * 100) % 20 != 0


def _asked(
    workload: Workload, subjects: Mapping[str, Variant | None], asked: Sequence[Question]
) -> dict[str, list[str]]:
    """Return each subject's answers apart from their form; a subject that cannot be imported has none."""
    calls = [{"module": "", **call} for call in asked]
    found = lab.answers(workload, list(subjects.values()), [calls] * len(subjects))
    known: dict[str, str] = {}
    table: dict[str, list[str]] = {}
    for name, answers in zip(subjects, found, strict=True):
        if not isinstance(answers, lab.LabError):
            table[name] = [known.setdefault(text, text) for text in map(loose, answers)]
    return table


def _few(asked: Sequence[Question], table: Mapping[str, Sequence[str]]) -> list[int]:
    """Return up to ``SPREAD`` calls of each group that separate the same entries, evenly spread, in order."""
    groups: dict[Hashable, list[int]] = defaultdict(list)
    for call, question in enumerate(asked):
        answers = [side[call] for side in table.values()]
        groups[question["function"], tuple(map(answers.index, answers))].append(call)
    few = []
    for calls in groups.values():
        count = min(SPREAD, len(calls))
        few += [calls[number * len(calls) // count] for number in range(count)]
    return sorted(few)


def _resembled(answers: Sequence[str], table: Mapping[str, Sequence[str]], entries: Iterable[str]) -> list[str] | None:
    """Return the entries that answer like a stranger somewhere where both are wrong, and unlike it elsewhere.

    None for a stranger that no candidate tells from the reference, or that is an entry by another name.
    """
    reference = table[REFERENCE]
    wrong = [call for call, answer in enumerate(answers) if answer != reference[call]]
    if not wrong or any(list(answers) == list(table[entry]) for entry in entries):
        return None
    return [entry for entry in entries if any(table[entry][call] == answers[call] for call in wrong)]


def _possible(demands: Iterable[Demand], rows: Sequence[Row], functions: Sequence[str]) -> list[Demand]:
    """Return the demands, a stranger's lowered to what the candidates can meet; those between entries as they are."""
    possible = []
    for demand in demands:
        if demand.need == STRANGER or demand.function:
            met = sum(demand.met_by(function, row) for function, row in zip(functions, rows, strict=True))
            demand = Demand(demand.one, demand.other, min(met, demand.need), demand.function)
        possible.append(demand)
    return possible


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
