"""Two implementations in one process, inside a worker: asked the same calls, smallest first, until they differ."""

import importlib
import os
import signal
import sys
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import FrameType, ModuleType
from typing import Any, NoReturn

from acidtest.mutants import install
from acidtest.mutants.calling import Speaker, load_calls
from acidtest.mutants.channel import Channel, Record
from acidtest.mutants.sight import seeing

BLOCK = 128
EXAMPLES = 100
"""How many calls of each function Hypothesis draws where D shows no difference."""


class Side:
    """One implementation of the target: its modules, put in place only while it answers.

    Args:
        tops: the first parts of the target's module names; all modules below them belong to the side.
        variant: ``{"module", "source"}`` in place of the module on disk; None for the reference.
    """

    def __init__(self, calls: ModuleType, tops: frozenset[str], files: Mapping[str, str], variant: Record | None):
        self._tops = tops
        self._modules: dict[str, ModuleType] = {}
        self._speaker = Speaker(calls)
        finders = list(sys.meta_path)
        with self.in_place(), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                if variant is not None:
                    install.install_cold(variant["module"], files[variant["module"]], variant["source"])
                for module in files:
                    importlib.import_module(module)
            finally:
                sys.meta_path[:] = finders

    def answers(self, asked: Sequence[Any], now: Callable[[Any], None] = lambda call: None) -> list[str]:
        """Return the answers to some calls; ``now`` is told each call before it is made."""
        found = []
        with self.in_place():
            for call in asked:
                now(call)
                found.append(self._speaker.say(call.function, call.args))
        return found

    def subject(self, function: str) -> Callable[..., object]:
        """Return the living function that a call of ``function`` calls."""
        with self.in_place():
            return self._speaker.subject(function)

    @contextmanager
    def in_place(self) -> Iterator[None]:
        """Let imports find this side's modules meanwhile."""
        before = _taken(self._tops)
        sys.modules.update(self._modules)
        try:
            yield
        finally:
            self._modules = _taken(self._tops)
            sys.modules.update(before)


@dataclass(frozen=True)
class _PlainCall:
    function: str
    args: Mapping[str, Any]


def _taken(tops: frozenset[str]) -> dict[str, ModuleType]:
    """Take the target's modules out of ``sys.modules`` and return them."""
    taken = {name: module for name, module in sys.modules.items() if name.partition(".")[0] in tops}
    for name in taken:
        del sys.modules[name]
    return taken


class Comparer:
    """The reference and D, held ready; each pair is compared in a child that is forked from here.

    Args:
        spec: ``calls``, ``files`` and ``seed`` as the worker is told them.
    """

    def __init__(self, spec: Record, channel: Channel) -> None:
        self._channel = channel
        self._files: dict[str, str] = spec["files"]
        self._seed: int = spec["seed"]
        self._tops = frozenset(module.partition(".")[0] for module in self._files)
        calls = load_calls(spec["calls"])
        if calls is None:
            raise ImportError("the workload has no calls module")
        self._calls = calls
        self._reference = Side(calls, self._tops, self._files, None)
        self._domain = tuple(calls.domain())
        self._known: dict[int, str] = {}
        self._looked: Counter[str] = Counter()
        self._searched = 0
        self._call: Any = None
        self._end = 0.0
        channel.send(kind="ready", domain=calls.domain_hash(), size=len(self._domain))

    def prepare(self, command: Record) -> None:
        """Answer, as the reference, what earlier children had to ask it: later ones inherit the answers."""
        ahead: Counter[str] = Counter(command.get("ahead", {}))
        wanted = []
        for index, call in enumerate(self._domain if any(ahead.values()) else ()):
            if ahead[call.function] > 0:
                ahead[call.function] -= 1
                if index not in self._known:
                    wanted.append(index)
        self._known.update(zip(wanted, self._reference.answers([self._domain[i] for i in wanted]), strict=True))

    def serve(self, command: Record) -> None:
        """Load the two sides of a pair and do what the command asks: one of ``compare`` to ``laws`` below.

        The child ends itself where it takes too long; whoever waits for it gets its last word first.
        """
        self._channel.send(kind="begun")
        self._begin(command["seconds"])
        sides: list[Side] = []
        for what in ("reference", "mutant"):
            variant = command[what]
            try:
                known = variant is None
                sides.append(self._reference if known else Side(self._calls, self._tops, self._files, variant))
            except BaseException as error:  # whatever an import raises, the reason is reported
                self._undecided(f"the {what} cannot be imported: {type(error).__name__}: {error}")
                return
        works = (self.compare, self.delta, self.judge, self.rates, self.laws)
        work = {method.__name__: method for method in works}
        reference, mutant = sides
        work[command["work"]](reference, mutant, self._seen(command["changed"]), command)

    def compare(self, reference: Side, mutant: Side, seen: Mapping[str, int], command: Record) -> None:
        """Find the smallest call on which the two differ."""
        if not (self._over_domain(reference, mutant, seen) or self._drawn(reference, mutant, seen)):
            self._say(verdict="equal on D")

    def delta(self, reference: Side, mutant: Side, seen: Mapping[str, int], command: Record) -> None:
        """Say on which calls of D, by their place in it, the two differ."""
        self._say(verdict="delta", places=[place for place, _, _, _ in self._differences(reference, mutant, seen)])

    def judge(self, reference: Side, mutant: Side, seen: Mapping[str, int], command: Record) -> None:
        """Say how bad the difference is, over D and on the call that the command brings, and which rule that breaks."""
        call = self._call_of(command["function"], command["args"])
        one, other = reference.answers([call])[0], mutant.answers([call])[0]
        rule = self._calls.rule(call, one, other) if hasattr(self._calls, "rule") else ""
        text = kind = ""
        if hasattr(self._calls, "severity"):
            found = [entry[1:] for entry in self._differences(reference, mutant, seen)]
            differences = found or [(call, one, other)]
            with mutant.in_place():
                worst = self._calls.severity(
                    reference.subject, mutant.subject, differences, self._end - time.monotonic() - 1.0
                )
            kind, text = worst.kind, worst.text
        self._say(verdict="judged", severity=kind, text=text, rule=rule)

    def rates(self, reference: Side, mutant: Side, seen: Mapping[str, int], command: Record) -> None:
        """Say, for each family of drawn calls of the nearest function, on how many of them the two differ."""
        function = next((name for name in seen if name == command["function"]), next(iter(seen), None))
        rates = {}
        for family in self._calls.families() if function is not None else ():
            drawn = list(self._calls.sample(function, family, command["count"], self._seed))
            answers = zip(reference.answers(drawn, self._now), mutant.answers(drawn, self._now), strict=True)
            rates[family] = [sum(one != other for one, other in answers), len(drawn)]
        self._say(verdict="rates", function=function or "", rates=rates)

    def laws(self, reference: Side, mutant: Side, seen: Mapping[str, int], command: Record) -> None:
        """Say what the laws of both look like, of the first function that has one and can see the change."""
        known = self._calls.law_functions() if hasattr(self._calls, "law_functions") else ()
        function = next((name for name in known if name in seen), None)
        if function is None:
            self._say(verdict="laws", laws=None)
            return
        differences = [entry[1:] for entry in self._differences(reference, mutant, {function: 0})]
        left = self._end - time.monotonic() - 1.0
        with mutant.in_place():
            laws = self._calls.law_pictures(reference.subject, mutant.subject, function, differences, left)
        self._say(verdict="laws", laws=laws)

    def _call_of(self, function: str, args: Mapping[str, Any]) -> Any:
        kind: Any = getattr(self._calls, "Call", _PlainCall)
        return kind(function, args)

    def _begin(self, seconds: float) -> None:
        self._searched, self._looked, self._call = 0, Counter(), None
        self._end = time.monotonic() + seconds

        def over(signal_number: int, frame: FrameType | None) -> NoReturn:
            call = f"; the last call was {self._call.function}({self._call.args})" if self._call is not None else ""
            self._undecided(f"no end within {seconds:g} s{call}")
            os._exit(0)

        if hasattr(signal, "setitimer"):  # elsewhere only the lab's clock ends a search, without naming the call
            signal.signal(signal.SIGALRM, over)
            signal.setitimer(signal.ITIMER_REAL, max(seconds, 1e-3))

    def _seen(self, changed: Sequence[str]) -> dict[str, int]:
        """Return the functions whose calls can show a difference, nearest to the change first, each with its distance.

        ``calls.subject`` may go through the class of a method, so whatever changed in that class counts.
        """
        texts = {module: Path(path).read_text("utf-8") for module, path in self._files.items()}
        found = seeing(texts, changed)
        functions = list(self._calls.FUNCTIONS)
        if found is None:
            return dict.fromkeys(functions, 0)
        near: dict[str, int] = {}
        for name, distance in found.items():
            for part in name.split("."):
                near[part] = min(near.get(part, distance), distance)
        seen = {
            function: found.get(function, min(near[part] for part in parts))
            for function in functions
            if (parts := near.keys() & set(function.split(".")))
        }
        return dict(sorted(seen.items(), key=lambda item: item[1]))

    def _over_domain(self, reference: Side, mutant: Side, seen: Mapping[str, int]) -> bool:
        for _, call, one, other in self._differences(reference, mutant, seen):
            self._distinct(reference, mutant, call, one, other)
            return True
        return False

    def _differences(
        self, reference: Side, mutant: Side, seen: Mapping[str, int]
    ) -> Iterator[tuple[int, Any, str, str]]:
        """Yield place, call and both answers wherever the two differ on D: nearest function first, then D's order."""
        asked = [place for place, call in enumerate(self._domain) if call.function in seen]
        asked.sort(key=lambda place: seen[self._domain[place].function])
        for start in range(0, len(asked), BLOCK):
            block = asked[start : start + BLOCK]
            calls = [self._domain[place] for place in block]
            if reference is self._reference and all(place in self._known for place in block):
                expected = [self._known[place] for place in block]
            else:
                expected = reference.answers(calls, self._now)
            got = mutant.answers(calls, self._now)
            self._looked.update(call.function for call in calls)
            self._searched += len(calls)
            for place, call, one, other in zip(block, calls, expected, got, strict=True):
                if one != other:
                    yield place, call, one, other

    def _drawn(self, reference: Side, mutant: Side, seen: Mapping[str, int]) -> bool:
        """Look for a difference among drawn calls of each function, and make the one that is found small."""
        if not hasattr(self._calls, "strategy"):
            return False
        from acidtest.mutants.drawn import smallest

        for function in seen:

            def differ(call: Any) -> bool:
                self._searched += 1
                return reference.answers([call], self._now) != mutant.answers([call], self._now)

            call = smallest(self._calls.strategy(function), differ, EXAMPLES, self._seed)
            if call is not None:
                self._distinct(reference, mutant, call, *reference.answers([call]), *mutant.answers([call]))
                return True
        return False

    def _now(self, call: Any) -> None:
        self._call = call

    def _distinct(self, reference: Side, mutant: Side, call: Any, one: str, other: str) -> None:
        """Report a difference, once it has shown a second time."""
        if reference.answers([call]) != [one] or mutant.answers([call]) != [other]:
            self._undecided(f"the answer to {call.function}({call.args}) is not the same each time")
            return
        self._say(verdict="distinct", function=call.function, args=dict(call.args), reference=one, mutant=other)

    def _undecided(self, why: str) -> None:
        self._say(verdict="undecided", why=why)

    def _say(self, **found: Any) -> None:
        self._channel.send(
            kind="found", searched=self._searched, looked=dict(self._looked), at=time.monotonic(), **found
        )
