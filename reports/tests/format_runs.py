"""Runs for the tests of formats that others read: mutants in their places in a text, and runs that went wrong."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from fractions import Fraction

from acidtest.mutants.certificates import Certificate
from acidtest.mutants.model import Mutant, Variant
from acidtest.reports.machine_made import machine_made
from acidtest.reports.run_files import RunFiles, SourceFile
from acidtest.reports.run_report import RunReport
from acidtest.reports.summary import summarize
from acidtest.reports.tests import page_runs
from acidtest.reports.tests.hand_made import matrix, mutant, run_of

GATE = """\
\"\"\"A gate. \U0001d54c is a letter of two UTF-16 units.\"\"\"

LIMIT = 1


def accept(u, r):
    sign = "\U0001f6aa"; low = 0.0
    return low <= u < r
"""
TESTS = """\
def test_a():
    assert accept(0, 1)


class TestGate:
    def test_b(self): ...
    def test_c(self): ...
"""
EDITS: Mapping[str, tuple[tuple[str, str], ...]] = {
    "s01": (("u < r", "u <= r"),),
    "s02": (("low = 0.0", "low = 0.5"),),
    "s03": (("LIMIT = 1", "LIMIT = 2"),),
    "s04": (("low = 0.0", "low = 1.0"), ("u < r", "u > r")),
    "s05": (("    return low <= u < r\n", ""),),
    "gate.accept.1": (("return low", "return not low"),),
    "gate.accept.2": (("u < r", "u != r"),),
    "gate.accept.3": (("low = 0.0", "low = 0"),),
}
ROWS = {
    "s01": "K..",
    "s02": ".KK",
    "s03": "---",
    "s04": "-T.",
    "s05": "...",
    "gate.accept.1": "K  ",
    "gate.accept.2": "...",
}
CERTIFICATE = Certificate("demo.gate", "accept", "c" * 16, "-low = 0.0\n+low = 0", "0 and 0.0 compare alike.", "d0d0")
FILES = {"demo.gate": SourceFile("demo/gate.py", GATE)}


def edited(name: str) -> Variant:
    """Return a variant that makes its changes in the text of the gate."""
    source = GATE
    for before, after in EDITS[name]:
        assert source.count(before) == 1
        source = source.replace(before, after)
    kind = "generated" if "." in name else "catalog"
    inside = name != "s03"
    return Variant(
        id=name,
        title=" and ".join(f"{old.strip()} -> {new.strip() or 'nothing'}" for old, new in EDITS[name]),
        module="demo.gate",
        source=source,
        functions=("accept",) if inside else (),
        anchors=(frozenset({3}),) if inside else None,
        diff="".join(f"-{old}\n+{new}\n" for old, new in EDITS[name]),
        kind=kind,
        span=(8, 8) if inside and len(EDITS[name]) == 1 else None,
    )


def placed() -> tuple[RunReport, RunFiles]:
    """Return a run of entries and generated mutants, one of them certified, with the texts that it was about."""
    entries: list[Mutant] = [mutant(name, ("test_a",)) for name in ROWS if "." not in name]
    made = [edited(name) for name in ROWS if "." in name]
    held = edited("gate.accept.3")
    run = run_of(matrix("abc", **ROWS))
    summary = summarize(
        run, entries, "/home/me/demo", "tests", True, None, machine_made(run, made, {held.id: CERTIFICATE})
    )
    variants = {name: edited(name) for name in ROWS}
    report = RunReport(summary, 3, "2026-01-02T03:04:05+00:00", variants)
    return report, RunFiles(FILES, {"tests/test_gate.py": TESTS}, {held.id: held})


def asked(percent: int) -> RunReport:
    """Return a run with survivors that was asked for a score."""
    run = run_of(matrix("ab", s01="K.", s02=".."))
    summary = summarize(run, [mutant("s01"), mutant("s02")], "/home/me/demo", "tests", True, Fraction(percent))
    return replace(page_runs.survived(), summary=summary)


def unviable() -> RunReport:
    """Return a run with a mutant that cannot be imported."""
    return page_runs.report_of(run_of(matrix("ab", s01="K.", s02="X ")), [mutant("s01"), mutant("s02")])


REPORTS: dict[str, Callable[[], RunReport]] = {
    "everything": page_runs.everything,
    "placed": lambda: placed()[0],
    "survived": page_runs.survived,
    "timed out": page_runs.timed_out,
    "failed baseline": page_runs.failed_baseline,
    "misbehaved": page_runs.misbehaved,
    "no mutants": page_runs.no_mutants,
    "no tests": page_runs.no_tests,
    "green": page_runs.green,
    "unviable": unviable,
    "asked for too much": lambda: asked(60),
    "asked for enough": lambda: asked(50),
    "hostile": page_runs.hostile,
}
"""A run of each kind, by name."""
