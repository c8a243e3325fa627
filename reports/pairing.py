"""What two mistakes in one file answer: made, asked of the lab, and kept from one submission to the next."""

import json
from collections import deque
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from acidtest.mutants.model import Mutant, Variant
from acidtest.mutants.splice import SpliceError, splice
from acidtest.mutants.workload import Workload
from acidtest.reports.evidence import Battery, changes_of

Question = Mapping[str, Any]
Pair = tuple[str, str]

_AT_HAND = 128
"""So many pairs' changes are held in memory: a class may come to a thousand of them."""


@dataclass(frozen=True)
class Known:
    """The battery, ready to be put to a submission.

    Attributes:
        calls: ``{"module", "function", "args"}`` each, smallest first.
        battery: what the reference and every entry answer to them.
        mutants: the entries by id. place: the folder for what two of them do in one file.
    """

    calls: tuple[Question, ...]
    battery: Battery
    mutants: Mapping[str, Mutant] = field(repr=False)
    place: Path


class Pairs:
    """Asks what two mistakes do together; the lab's worker that answers stays until this goes.

    Args:
        known: the battery and the entries, of which pairs are made.
    """

    def __init__(self, workload: Workload, known: Known) -> None:
        self._workload = workload
        self._known = known
        self._made: dict[Pair, Variant | None] = {}
        self._kept: dict[Pair, tuple[set[int], dict[int, str]]] = {}
        self._due: deque[tuple[Variant, list[Question]]] = deque()
        self._answers: Iterator[Any] | None = None

    def composed(self, wanted: Mapping[Pair, Set[int]]) -> dict[Pair, dict[int, str]]:
        """Return, for the pairs that can be made, the answers that differ from the reference's by more than form.

        Args:
            wanted: for each pair the calls that it has to be asked; it may have been asked others before.

        Raises:
            LabError: a pair gives no answers.
        """
        changed = {pair: self._changes(pair, calls) for pair, calls in wanted.items()}
        return {pair: changes for pair, changes in changed.items() if changes is not None}

    def _variant(self, pair: Pair) -> Variant | None:
        if pair not in self._made:
            one, other = (self._known.mutants[name] for name in pair)
            self._made[pair] = both(self._workload, one, other)
        return self._made[pair]

    def _changes(self, pair: Pair, wanted: Set[int]) -> dict[int, str] | None:
        """Return what a pair changes; None where it cannot be made, which takes as long as to diagnose something."""
        file = self._known.place / f"{'+'.join(pair)}.json"
        if pair not in self._kept:
            if len(self._kept) == _AT_HAND:
                self._kept.clear()  # they are on disk
            self._kept[pair] = _read(file)
        asked, changes = self._kept[pair]
        missing = sorted(wanted - asked)
        if missing:
            variant = self._variant(pair)
            if variant is None:
                return None
            from acidtest.mutants.generated import keep  # seldom needed, and it imports much

            reference = [self._known.battery.reference[call] for call in missing]
            answers = self._ask(variant, [self._known.calls[call] for call in missing])
            changes |= {missing[place]: text for place, text in changes_of(answers, reference).items()}
            asked |= wanted
            keep(file, json.dumps({"asked": sorted(asked), "changes": changes}))
        return dict(changes)

    def _ask(self, variant: Variant, calls: list[Question]) -> list[str]:
        from acidtest.mutants import lab  # seldom needed: what it says is kept

        if self._answers is None:
            self._answers = lab.answers(self._workload, _Orders(self._due, 0), _Orders(self._due, 1))
        self._due.append((variant, calls))
        answers = next(self._answers)
        self._due.popleft()
        if isinstance(answers, lab.LabError):
            raise answers
        return [*answers]


class _Orders(Sequence[Any]):
    """One part of each order, read when its turn comes: the first that is due, for ever."""

    def __init__(self, due: deque[tuple[Variant, list[Question]]], part: int) -> None:
        self._due, self._part = due, part

    def __len__(self) -> int:
        return len(self._due)

    def __getitem__(self, index: Any) -> Any:
        return self._due[0][self._part]


def both(workload: Workload, one: Mutant, other: Mutant) -> Variant | None:
    """Return the module with two mistakes in it; None where they are in two modules or in each other's way."""
    if one.module != other.module:
        return None
    source = workload.read(one.module)
    for first, second in ((one, other), (other, one)):
        try:
            text = splice(splice(source, first.function, first.edits), second.function, second.edits)
        except SpliceError:
            continue
        return Variant(f"{one.id}+{other.id}", f"{one.title}; {other.title}", one.module, text, (), None, "")
    return None


def answers_of(workload: Workload, subjects: Sequence[Variant | None], calls: Sequence[Question]) -> list[list[str]]:
    """Return the answers of each subject (None: the reference) to the calls.

    Raises:
        LabError: a subject gives no answers.
    """
    from acidtest.mutants import lab

    found = []
    for answers in lab.answers(workload, subjects, [calls] * len(subjects)):
        if isinstance(answers, lab.LabError):
            raise answers
        found.append(answers)
    return found


def _read(file: Path) -> tuple[set[int], dict[int, str]]:
    """Return which calls a pair was asked before, and what it changed; nothing where nothing can be read."""
    try:
        data = json.loads(file.read_text("utf-8"))
        return set(map(int, data["asked"])), {int(call): str(text) for call, text in data["changes"].items()}
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return set(), {}
