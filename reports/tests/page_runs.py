"""Runs for the tests of pages: one with everything that a page can show, a large one, and some that went wrong."""

import random
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

from acidtest.mutants.law_pictures import Laws
from acidtest.mutants.model import (
    Control,
    Finding,
    KillMatrix,
    Mutant,
    Outcome,
    Run,
    Status,
    Test,
    Trial,
    Variant,
    Witness,
)
from acidtest.mutants.witness import Judgement
from acidtest.properties.call import Call
from acidtest.properties.law_pictures import pictures
from acidtest.properties.laws import float_residual, inverse_cdf
from acidtest.properties.vectors import HAND, SECOND_HAND
from acidtest.reports.confidence import Seeding
from acidtest.reports.emit import Emitted
from acidtest.reports.gaps import Gap, Gaps
from acidtest.reports.kills import kills_in
from acidtest.reports.machine_made import machine_made
from acidtest.reports.nearest import Miss, Nearest
from acidtest.reports.power import Sampled, ledger
from acidtest.reports.run_report import RunReport
from acidtest.reports.strength import Evidence, Strength, strength
from acidtest.reports.summary import summarize
from acidtest.reports.tests.hand_made import matrix, mutant, run_of
from acidtest.reports.triggers import trigger

Step = Callable[[Any, Any, int, float, float], tuple[int, bool]]

ROWS = {
    "s01": "K.....",
    "s02": "KK....",
    "s03": "..KK..",
    "s04": ".K.KK.",
    "s05": "......",
    "s06": "--.T..",
    "s07": "KKKK..",
    "demo.accept.1": "K     ",
    "demo.accept.2": "......",
}
NAMED = {"s01": ("test_a",), "s02": ("test_a",), "s03": ("test_c",), "s04": ("test_a",), "s07": ("test_a", "test_b")}


SMALL = {("s01", "tests/test_gate.py::test_a"): "Failing test case: test_a(\n    u=0.25,\n)"}


def variant_of(entry: Mutant | str, kind: str = "catalog") -> Variant:
    """Return a variant with a diff, of an entry or a name."""
    name = entry if isinstance(entry, str) else entry.id
    title = f"u < r → u <= r in {name}" if isinstance(entry, str) else entry.title
    diff = "--- gate.py\n+++ gate.py\n@@ -1,2 +1,2 @@\n def accept(u, r):\n-    return u < r\n+    return u <= r\n"
    return Variant(name, title, "demo.gate", f"# {name}\n", ("accept",), None, diff, kind, (2, 2))


@cache
def everything() -> RunReport:
    """Return a run with kills, survivors, a timeout, broken promises, laws, gaps, and every measure."""
    found = with_inputs(matrix("abcdef", **ROWS))
    mutants = [mutant(name, NAMED.get(name, ("test_f",))) for name in ROWS if "." not in name]
    made = [variant_of(name, "generated") for name in ROWS if "." in name]
    return report_of(run_of(found), mutants, made, strength=measured(found), laws=laws(), gaps=gaps(), examples=SMALL)


def report_of(run: Run, mutants: Sequence[Mutant], made: Sequence[Variant] = (), **more: Any) -> RunReport:
    """Return the report of a run whose suite is the catalog's own."""
    machine = machine_made(run, made, {}) if made else None
    summary = summarize(run, mutants, "/home/me/demo", "tests", True, None, machine)
    variants = {entry.id: variant_of(entry) for entry in mutants} | {one.id: one for one in made}
    return RunReport(summary, 7, "2026-01-02T03:04:05+00:00", variants, **more)


def with_inputs(found: KillMatrix) -> KillMatrix:
    """Return the matrix with numbers of drawn inputs in the kills of one test."""
    trials = tuple(
        replace(trial, examples=3 + 10 * place)
        if trial.test.endswith("_a") and trial.outcome is Outcome.FAILED
        else trial
        for place, trial in enumerate(found.trials)
    )
    return replace(found, trials=trials)


def measured(found: KillMatrix) -> Strength:
    """Return every measure of a matrix, with evidence of every kind."""
    kills = kills_in(found)
    lucky = replace(
        found, trials=tuple(replace(t, outcome=Outcome.PASSED) if t.variant == "s01" else t for t in found.trials)
    )
    rates = [("s01", "eighths", 40), ("s01", "wide", 0), ("s02", "eighths", 3), ("s02", "wide", 1)]
    test = found.tests[1].id
    evidence = Evidence(
        seedings=[Seeding(0, found), Seeding(1, lucky), Seeding(2, None, frozenset({found.tests[4].id}))],
        triggers=tuple(
            trigger(family, "accept", name, ["1"] * 40, ["2"] * hits + ["1"] * (40 - hits))
            for name, family, hits in rates
        ),
        ledgers=(
            ledger(
                Sampled(test, 20000, 0.001, (0.5, 0.5)),
                {"s01": (0.9, 0.1), "s02": (0.505, 0.495), "s03": (0.5, 0.5), "s04": "ValueError: no law"},
                {"s01": (20, 20), "s02": (3, 20)},
                (0, 20),
                1e-24,
            ),
        ),
    )
    return strength(found, kills, kills, evidence, ["something was not measured"])


def right_step(p: Any, q: Any, x: int, u: float, v: float) -> tuple[int, bool]:
    """Take one step as it should be."""
    return _step(p, q, x, u, v, float_residual(p, q))


def from_p(p: Any, q: Any, x: int, u: float, v: float) -> tuple[int, bool]:
    """Resample from p, which keeps too much of what q proposes."""
    return _step(p, q, x, u, v, list(p))


def raising(p: Any, q: Any, x: int, u: float, v: float) -> tuple[int, bool]:
    """Raise where a draft is rejected."""
    kept = _step(p, q, x, u, v, list(p))
    if not kept[1]:
        raise ArithmeticError("no residual")
    return kept


def _step(p: Any, q: Any, x: int, u: float, v: float, other: Sequence[float]) -> tuple[int, bool]:
    return (x, True) if u < p[x] / q[x] else (inverse_cdf(other, v), False)


@cache
def laws() -> tuple[Laws, ...]:
    """Return the laws of two wrong steps, measured; of one that is right; and one that could not be found out."""
    shown = tuple(
        Laws(name, pictures(lambda _: right_step, lambda _, step=step: step, "speculative_step", PLACES, 20.0))  # type: ignore[misc]
        for name, step in (("s02", from_p), ("s07", raising), ("s03", right_step))
    )
    return (*shown, Laws("s04", None), Laws("s05", None, "no end within 60 s"))


PLACES = [
    (Call("speculative_step", {"p": list(p), "q": list(q), "x": 1, "u_accept": 0.9, "u_resample": 0.5}), "a", "b")
    for p, q in (HAND, SECOND_HAND, ((0.0, 1.0), (1.0, 0.0)), ((0.3, 0.7), (0.7, 0.3)))
]
"""Places as if D showed a difference there; the last is no pair of eighths."""


def gaps() -> Gaps:
    """Return one gap with a test to paste, one without, and a survivor that is equal on D."""
    witness = Witness("accept", {"u": 0.1, "r": 0.1}, "False", "True")
    finding = Finding("distinct", witness, 5, "0123", 0.1)
    told = Judgement("math-wrong", "math-wrong: the share kept is off by 1/8", "accept: strictly below.")
    near = Nearest(Miss.DID_NOT_LOOK, "tests/test_gate.py::test_a")
    text = (
        'def test_s05_is_noticed() -> None:\n    """accept: strictly below."""\n    assert accept(0.1, 0.1) == False\n'
    )
    first = Gap(
        variant_of(mutant("s05")), finding, witness, told, near, Emitted("test_s05_is_noticed", "demo.gate", text)
    )
    equal = Finding("equal on D", None, 5, "0123", 0.1)
    return Gaps((first,), ((variant_of("demo.accept.2", "generated"), equal),), (), (("s06", Status.TIMED_OUT),), 3)


@cache
def large(mutants: int = 1000, tests: int = 60) -> RunReport:
    """Return a matrix with a third of its cells filled, each kill with words of its own."""
    rng = random.Random(5)
    suite = tuple(
        Test(
            f"tests/test_part_{n % 9}.py::test_number_{n}_says_what_is_right_of_every_input", f"test_number_{n}", "unit"
        )
        for n in range(tests)
    )
    ids = [f"part.function_{n % 40}.{n}" for n in range(mutants)]
    trials = []
    for name in ids:
        for test in suite:
            draw = rng.random()
            if draw < 0.33:
                reason = rng.choice(["assertion", "ValueError", "ZeroDivisionError", "IndexError"])
                detail = (
                    f"{name} gave {rng.random()} and {rng.random()} in {test.name} where nothing of that was due " * 3
                )
                trials.append(
                    Trial(name, test.id, Outcome.FAILED, reason, detail, rng.random() / 50, rng.randrange(1, 99))
                )
            else:
                reason = "unreached" if draw < 0.6 else ""
                trials.append(Trial(name, test.id, Outcome.PASSED, reason, "", 0.0 if reason else rng.random() / 50))
    found = KillMatrix(suite, tuple(ids), tuple(trials))
    made = [replace(variant_of(name, "generated"), diff=variant_of(name).diff * 3) for name in ids]
    return report_of(
        run_of(found), (), made, strength=strength(found, kills_in(found), sizes=False) if tests < 20 else None
    )


def failed_baseline() -> RunReport:
    """Return a run whose tests failed on the unchanged code afterwards."""
    run = run_of(matrix("ab", s01="K."))
    failure = Trial("", run.matrix.tests[1].id, Outcome.FAILED, "assertion", "1 != 2", 0.1)
    problems = ("the tests fail on the unchanged code after the run: test_b",)
    return report_of(
        replace(run, baseline=replace(run.baseline, failures=(failure,)), problems=problems), [mutant("s01")]
    )


def survived() -> RunReport:
    """Return a run of two mutants, of which one survived and one is reached by no test."""
    return report_of(
        run_of(matrix("ab", s01="K.", s02="..", s03="--")), [mutant(name) for name in ("s01", "s02", "s03")]
    )


def timed_out() -> RunReport:
    """Return a run with a mutant that only timed out."""
    return report_of(run_of(matrix("ab", s01="K.", s02="T.")), [mutant("s01"), mutant("s02")])


def misbehaved() -> RunReport:
    """Return a run with a control that was killed."""
    run = run_of(matrix("ab", s01="K."), controls=(Control("same", "survives", "was killed by test_a"),))
    return report_of(run, [mutant("s01")])


def no_mutants() -> RunReport:
    """Return a run that tried nothing."""
    return report_of(run_of(matrix("ab")), [])


def no_tests() -> RunReport:
    """Return a run without a test."""
    return report_of(run_of(matrix("", s01="")), [mutant("s01")])


def green() -> RunReport:
    """Return a run in which everything was killed as promised."""
    return report_of(run_of(matrix("ab", s01="K.", s02="KK")), [mutant("s01"), mutant("s02")])


HOSTILE = (
    "<b>x</b></script><img src=x onerror=alert(1)>\x1b[31mred\x07\u202egnp.exe\u2066\u2028\u2029&amp;'\"`${7}\x00"
    + "long" * 300
)
"""Markup, the end of a script, ANSI, a bell, reversed text, line separators, quotes, a template, NUL, and length."""


def hostile() -> RunReport:
    """Return a report with hostile text in every field of every value that holds free text."""
    bad = HOSTILE
    suite = (Test(f"tests/{bad}.py::{bad}", bad, bad, True, bad, bad), Test(f"{bad}[{bad}]", bad, bad))
    names = (f"s01{bad}", f"s02{bad}")
    trials = (
        Trial(names[0], suite[0].id, Outcome.FAILED, bad, bad, 0.1, 3),
        Trial(names[0], suite[1].id, Outcome.PASSED),
        Trial(names[1], suite[0].id, Outcome.PASSED, bad),
        Trial(names[1], suite[1].id, Outcome.PASSED),
    )
    found = KillMatrix(suite, names, trials)
    witness = Witness(bad, {"u": bad}, bad, bad)
    entries = [
        mutant(
            name,
            (bad,),
            title=bad,
            module=bad,
            function=bad,
            rationale=bad,
            origin=bad,
            witness=witness,
            path=Path("x"),
        )
        for name in names
    ]
    failure = Trial("", bad, Outcome.FAILED, bad, bad)
    run = run_of(found, problems=(bad,), versions={bad: bad}, controls=(Control(bad, bad, bad),))
    run = replace(run, baseline=replace(run.baseline, failures=(failure,)))
    variants = {name: replace(variant_of(name), title=bad, module=bad, diff=f"+{bad}\n-{bad}") for name in names}
    near = Nearest(Miss.DID_NOT_LOOK, bad)
    told = Judgement("math-wrong", bad, bad)
    gap = Gap(
        variants[names[1]], Finding("distinct", witness, 1, bad, 0.1), witness, told, near, Emitted(bad, bad, bad, bad)
    )
    picture = {"p": ["1"], "q": ["1"], "why": bad}
    shown = (
        Laws(names[0], {"function": bad, "hand": picture, "worst": None, "tried": 1, "places": 1}),
        Laws(bad, None, bad),
    )
    kills = kills_in(found)
    evidence = Evidence(triggers=(trigger(bad, bad, names[0], ["1"], ["2"]),))
    summary = summarize(run, entries, bad, bad, True)
    known = strength(found, kills, kills, evidence, [bad])
    small = {(names[0], suite[0].id): bad}
    return RunReport(summary, 1, bad, variants, known, Gaps((gap,)), shown, small, (bad,))
