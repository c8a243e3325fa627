"""Questions about mutants that a matrix does not answer: put to workers, and the answers kept for the next time."""

import base64
import hashlib
import json
import re
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from acidtest.mutants import lab
from acidtest.mutants.certificates import domain_today
from acidtest.mutants.model import Test, Variant
from acidtest.mutants.workload import Workload
from acidtest.reports.judge import plain_name
from acidtest.reports.key import texts_of
from acidtest.reports.power import Ledger, Sampled, ledger
from acidtest.reports.triggers import Trigger, trigger

SAMPLES = 200
"""Calls drawn from each family; a fault that none of them meets is met by at most 1.8% of all, 95%."""
ROUNDING = 1e-24
"""A chi-square distance that float64 rounding explains: a few times (2**-50)**2 over the smallest mass."""

ANSWERS = Path(lab.__file__).with_name("answers.py")
"""What an answer is; kept ones are worth nothing once it says otherwise."""

Question = Sequence[Mapping[str, Any]] | str
Answers = list[str] | lab.LabError


class NotKeptError(Exception):
    """An answer is not kept, and nobody may be asked for it."""


@dataclass(frozen=True)
class Inquiry:
    """A workload's mutants, ready to be asked.

    Attributes:
        entries: for each mutant the function that a call of it enters by.
        folder: where answers are kept.
        kept_only: ask nobody; ``triggers`` and ``ledgers`` raise ``NotKeptError`` where an answer is not kept.
    """

    workload: Workload
    variants: tuple[Variant, ...]
    entries: Mapping[str, str]
    folder: Path
    jobs: int
    fork: bool
    say: Callable[[str], None]
    kept_only: bool = False

    def deltas(self, ask: bool) -> tuple[Mapping[str, frozenset[int]], int, str] | None:
        """Return for each mutant the places in D at which it answers unlike the reference; D's size and hash.

        Args:
            ask: enumerate D where its answers are not kept; else None is returned where some are missing.
                A mutant that gives no answers is left out.
        """
        if self.workload.calls is None:
            return None
        today = domain_today(self.workload, self.folder, self.fork)
        texts = [today, ANSWERS.read_text("utf-8"), *map(self.workload.read, self.workload.modules)]
        keys = {variant.id: _hash(texts, variant.source) for variant in self.variants}
        missing = [variant for variant in self.variants if not self._file("domain", keys[variant.id]).is_file()]
        if missing and not ask:
            return None
        if missing:
            self.say(f"all calls of D on {len(missing)} mutants; the answers are kept")
            (reference,) = self._asked(self.workload, [None], ["domain"])
            if isinstance(reference, lab.LabError):
                raise reference

            def keep(place: int, found: Answers) -> None:
                if not isinstance(found, lab.LabError):
                    places = [i for i, (one, other) in enumerate(zip(reference, found, strict=True)) if one != other]
                    self._keep("domain", keys[missing[place].id], [len(reference), places])

            self._asked(self.workload, missing, ["domain"] * len(missing), keep)
        known = [name for name, key in keys.items() if self._file("domain", key).is_file()]
        kept = {name: self._kept("domain", keys[name]) for name in known}
        deltas = {name: frozenset(places) for name, (_, places) in kept.items()}
        return deltas, max((calls for calls, _ in kept.values()), default=0), today

    def triggers(self, seed: int = 0) -> tuple[Trigger, ...]:
        """Return for each family and mutant how many of the family's calls it answers unlike the reference."""
        if self.workload.calls is None:
            return ()
        functions = sorted(set(self.entries.values()))
        asked = self._text("drawn", calls=self.workload.calls, functions=functions, count=SAMPLES, seed=seed)
        calls = _decoded(self._answer("drawn", None, asked))
        questions = {
            function: [
                {"module": "", "function": function, "args": args}
                for (name, _), drawn in calls.items()
                if name == function
                for args in drawn
            ]
            for function in {function for function, _ in calls}
        }
        asked_of = [variant for variant in self.variants if self.entries.get(variant.id) in questions]
        entries = [self.entries[variant.id] for variant in asked_of]
        pairs: list[tuple[Variant | None, Question]] = [(None, question) for question in questions.values()]
        pairs += [(variant, questions[entry]) for variant, entry in zip(asked_of, entries, strict=True)]
        answers = self._lists("triggers", self.workload, pairs)
        known = dict(zip(questions, answers, strict=False))
        found: list[Trigger] = []
        for variant, entry, said in zip(asked_of, entries, answers[len(questions) :], strict=True):
            start = 0
            for (function, family), drawn in calls.items():
                if function == entry and len(said) == len(known[entry]):
                    end = start + len(drawn)
                    if drawn:
                        found.append(trigger(family, function, variant.id, known[entry][start:end], said[start:end]))
                    start = end
        return tuple(found)

    def ledgers(self, tests: Iterable[Test], runs: int) -> tuple[Ledger, ...]:
        """Return the ledger of each sampled test that the workload states the numbers of.

        Args:
            runs: how often to run each test anew, with other draws; 0 leaves the measured rate out.
        """
        home = (self.workload.calls or "").rpartition(".")
        if not home[0] or home[2] == "py":
            return ()
        module = f"{home[0]}.ledger"
        text = self._answer("ledger", None, [{"module": module, "function": "promises", "args": {}}])
        stated: dict[str, list[Any]] = json.loads(text) if text.startswith("{") else {}
        return tuple(
            self._ledger(module, test, Sampled(test.id, stated[name][0], stated[name][1], tuple(stated[name][2])), runs)
            for test in tests
            if (name := plain_name(test)) in stated
        )

    def _ledger(self, module: str, test: Test, sampled: Sampled, runs: int) -> Ledger:
        name = plain_name(test)
        asked = [{"module": module, "function": "law", "args": {"test": name}}]
        laws: dict[str, Sequence[float] | str] = {
            mutant: json.loads(text) if text.startswith("[") else text
            for mutant, text in self._answers("laws", {variant.id: asked for variant in self.variants}).items()
        }
        stochastic = [m for m, law in laws.items() if not isinstance(law, str) and tuple(law) != sampled.expected]
        counts: dict[str, tuple[int, int]] = {}
        unchanged: tuple[int, int] | None = None
        file = self.workload.root / test.id.split("::", 1)[0]
        if runs and file.is_file():
            asked = self._text("outcomes", "reseed", file=str(file), test=name, first=1, runs=runs)
            first = self._answer("reseeded", None, asked)
            unchanged = (runs - first.count("."), runs) if len(first) == runs else None
            bare = ledger(sampled, {mutant: laws[mutant] for mutant in stochastic}, {}, None, ROUNDING)
            for mutant, letters in self._answers("reseeded", {line.mutant: asked for line in bare.lines}).items():
                if len(letters) == runs:
                    counts[mutant] = (runs - letters.count("."), runs)
        return ledger(sampled, laws, counts, unchanged, ROUNDING)

    def _text(self, function: str, module: str = "sampling", **args: Any) -> list[dict[str, Any]]:
        return [{"module": f"acidtest.mutants.{module}", "function": function, "args": args}]

    def _answer(self, what: str, variant: Variant | None, question: Question) -> str:
        return self._texts(what, [(variant, question)])[0]

    def _answers(self, what: str, questions: Mapping[str, Question]) -> Mapping[str, str]:
        chosen = [(variant, questions[variant.id]) for variant in self.variants if variant.id in questions]
        texts = self._texts(what, chosen)
        return {variant.id: text for (variant, _), text in zip(chosen, texts, strict=True)}

    def _texts(self, what: str, asked: Sequence[tuple[Variant | None, Question]]) -> list[str]:
        """Return the texts that questions with one answer are answered by."""
        return [_said(answers[0]) for answers in self._lists(what, replace(self.workload, calls=None), asked)]

    def _lists(
        self, what: str, workload: Workload, asked: Sequence[tuple[Variant | None, Question]]
    ) -> list[list[str]]:
        """Return the answers to questions, kept ones first; in place of answers there may be one error's words."""
        if self.kept_only and not (self.folder / "answers" / what).is_dir():
            raise NotKeptError(what)
        base = [what, json.dumps(sorted(texts_of(self.workload).items())), json.dumps(lab.versions(), sort_keys=True)]
        keys = [_hash(base, json.dumps([v.source if v else "", v.module if v else "", q])) for v, q in asked]
        missing = [place for place, key in enumerate(keys) if not self._file(what, key).is_file()]
        if missing and self.kept_only:
            raise NotKeptError(what)
        if len(missing) > 1:
            self.say(f"{what}: {len(missing)} mutants to ask")
        found = self._asked(workload, [asked[place][0] for place in missing], [asked[place][1] for place in missing])
        failed: dict[int, list[str]] = {}
        for place, answer in zip(missing, found, strict=True):
            if isinstance(answer, lab.LabError):
                failed[place] = [str(answer)]  # not kept: next time there may be an answer
            else:
                self._keep(what, keys[place], answer)
        return [failed.get(place) or list(self._kept(what, key)) for place, key in enumerate(keys)]

    def _asked(
        self,
        workload: Workload,
        variants: Sequence[Variant | None],
        questions: Sequence[Question],
        keep: Callable[[int, Answers], None] = lambda place, answers: None,
    ) -> list[Answers]:
        """Return the answers of all, asked on as many workers as there are jobs; ``keep`` is told of each at once."""
        found: list[Answers] = [lab.LabError("not asked")] * len(variants)
        limits = lab.Limits(startup=900.0)

        def work(first: int) -> None:
            places = range(first, len(variants), self.jobs)
            chosen, asked = [variants[i] for i in places], [questions[i] for i in places]
            for place, answer in zip(places, lab.answers(workload, chosen, asked, self.fork, limits), strict=True):
                found[place] = answer
                keep(place, answer)

        threads = [threading.Thread(target=work, args=(n,), daemon=True) for n in range(min(self.jobs, len(variants)))]
        for thread in threads:
            thread.start()
        for thread in threads:
            while thread.is_alive():
                thread.join(0.2)
        return found

    def _file(self, what: str, key: str) -> Path:
        return self.folder / "answers" / what / f"{key}.json"

    def _kept(self, what: str, key: str) -> Any:
        return json.loads(self._file(what, key).read_text("ascii"))

    def _keep(self, what: str, key: str, value: Any) -> None:
        path = self._file(what, key)
        path.parent.mkdir(parents=True, exist_ok=True)
        fresh = path.with_suffix(".part")
        fresh.write_text(json.dumps(value), "ascii")
        fresh.replace(path)


def _said(answer: str) -> str:
    """Return the text inside a described string, or the answer as it is."""
    quoted = re.match(r"'([^']*)'", answer)
    return quoted[1] if quoted else answer


def _decoded(text: str) -> dict[tuple[str, str], list[Mapping[str, Any]]]:
    """Return the drawn calls by function and family; none where nothing could be drawn."""
    try:
        found = json.loads(base64.b64decode(text, validate=True))
    except ValueError:
        return {}
    return {(function, family): drawn for function, family, drawn in found}


def _hash(base: Iterable[str], text: str) -> str:
    return hashlib.sha256("\0".join([*base, text]).encode("utf-8", "surrogatepass")).hexdigest()[:24]
