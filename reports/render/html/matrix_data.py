"""A kill matrix as compact JSON data: one character a cell, and every longer text once."""

from collections.abc import Mapping, Sequence
from typing import Any

from acidtest.mutants.generated import function_of
from acidtest.mutants.model import Outcome, Trial, Variant
from acidtest.reports.judge import Grade, Verdict, bears, plain_name, status_of
from acidtest.reports.render.wording import call_of
from acidtest.reports.run_report import RunReport

EMPTY = " "
"""The character of a cell without a trial."""

_CODES = (*range(0x23, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x180))
ALPHABET = [chr(code) for code in _CODES if chr(code) not in '"\\<>&']
"""The characters of cells: none that JSON or HTML would have to write in more than one."""

ROOM = 1_500_000
"""How many characters the details of all trials may take together."""
LONGEST, SHORTEST = 600, 60


def matrix_data(report: RunReport) -> dict[str, Any]:
    """Return the tests, the mutants, and every trial of a run.

    ``cells`` of a mutant is one character a test, a place in ``codes`` by the alphabet or a blank; ``times`` its tests'
    own times in units of 0.1 ms, comma-separated and empty for none; ``notes`` the rest by the number of the test:
    which detail, how many inputs were drawn, and which failing input made small.
    """
    matrix = report.summary.run.matrix
    verdicts = {verdict.mutant.id: verdict for verdict in report.summary.verdicts}
    trials = [list(matrix.of_variant(variant)) for variant in matrix.variants]
    texts = _Texts(sum(bool(trial.detail) for row in trials for trial in row))
    codes: dict[tuple[str, str], int] = {}
    place = {test.id: number for number, test in enumerate(matrix.tests)}
    classes, dominating = _classes(report)
    rows = []
    for variant, row in zip(matrix.variants, trials, strict=True):
        cells, times = [EMPTY] * len(place), [""] * len(place)
        notes: dict[str, list[int | None]] = {}
        for trial in row:
            number = place[trial.test]
            key = (trial.outcome.value, trial.reason)
            if key not in codes and len(codes) >= len(ALPHABET) - len(Outcome):
                key = (trial.outcome.value, "another reason")
            cells[number] = ALPHABET[codes.setdefault(key, len(codes))]
            times[number] = _tenths(trial)
            small = report.examples.get((variant, trial.test), "")
            if trial.detail or trial.examples is not None:
                notes[str(number)] = [texts.place(trial.detail), trial.examples, texts.place(small)]
        found = report.variants.get(variant)
        rows.append(
            {
                "id": variant,
                "status": status_of(matrix, variant).value,
                "cells": "".join(cells),
                "times": ",".join(times).rstrip(","),
                "notes": notes,
                **_about(found),
                **_entry(report, verdicts.get(variant), place),
                **({"class": classes[variant]} if variant in classes else {}),
                **({"dominates": True} if variant in dominating else {}),
            }
        )
    return {
        "tests": [
            {
                "id": test.id,
                "name": plain_name(test) + test.id.partition("[")[1] + test.id.partition("[")[2],
                "kind": test.kind,
                "chapter": test.chapter,
                "checks": test.checks,
                "matters": test.matters,
                "seconds": round(test.seconds, 5),
            }
            for test in matrix.tests
        ],
        "mutants": rows,
        "alphabet": "".join(ALPHABET[: len(codes)]),
        "codes": [list(code) for code in codes],
        "details": texts.all,
        "killed": Outcome.FAILED.value,
    }


class _Texts:
    """Each text once, cut so that all of them together keep within ``ROOM``."""

    def __init__(self, count: int) -> None:
        self.longest = max(SHORTEST, min(LONGEST, ROOM // max(1, count)))
        self._places: dict[str, int] = {}

    def place(self, text: str) -> int | None:
        """Return the place of a text among all; None for the empty one."""
        shown = text if len(text) <= self.longest else text[: self.longest - 1] + "…"
        return self._places.setdefault(shown, len(self._places)) if shown else None

    @property
    def all(self) -> list[str]:
        """The texts in the order of their places."""
        return list(self._places)


def _tenths(trial: Trial) -> str:
    """Return a time in units of 0.1 ms; the empty text for what was not run."""
    tenths = round(trial.seconds * 10_000)
    return str(max(tenths, 1)) if trial.seconds else ""


def _about(variant: Variant | None) -> dict[str, Any]:
    """Return what is known of a variant; nothing of one that today's code does not make."""
    if variant is None:
        return {}
    return {
        "title": variant.title,
        "kind": variant.kind,
        "module": variant.module,
        "function": function_of(variant) if variant.functions else "",
        "line": variant.span[0] if variant.span else None,
        "diff": variant.diff,
    }


def _entry(report: RunReport, verdict: Verdict | None, place: Mapping[str, int]) -> dict[str, Any]:
    """Return what the catalog says of a mutant and how its promise was kept."""
    if verdict is None:
        return {}
    mutant = verdict.mutant
    tests = report.summary.run.matrix.tests
    named = [place[test.id] for test in tests if any(bears(test, name) for name in mutant.killers)]
    return {
        "function": mutant.function,
        "pitfall": mutant.pitfall,
        "origin": mutant.origin,
        "why": mutant.rationale.strip(),
        "witness": {
            "call": call_of(mutant.witness),
            "reference": mutant.witness.reference,
            "mutant": mutant.witness.mutant,
        },
        "named": named if report.summary.contract else [],
        "grade": verdict.grade.value if report.summary.contract or verdict.grade is not Grade.KILLED else "killed",
    }


def _classes(report: RunReport) -> tuple[dict[str, int], frozenset[str]]:
    """Return for each mutant its class by equal killers, and which mutants are of a dominating class."""
    if report.strength is None:
        return {}, frozenset()
    classes = {mutant: number for number, group in enumerate(report.strength.classes) for mutant in group.mutants}
    return classes, frozenset(mutant for group in report.strength.dominators for mutant in group.mutants)


def buckets(counts: Sequence[int]) -> list[tuple[str, int]]:
    """Return how many of the counts of inputs lie in each bucket: 1, 2, 3 to 5, 6 to 10, and so on."""
    edges = (1, 2, 5, 10, 20, 50, 100)
    found, low = [], 1
    for edge in edges:
        label = str(edge) if edge == low else f"{low} to {edge}"
        found.append((label, sum(low <= count <= edge for count in counts)))
        low = edge + 1
    return [*found, (f"over {edges[-1]}", sum(count > edges[-1] for count in counts))]
