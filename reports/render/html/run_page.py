"""The page of one run: the verdict first, then the kill matrix, the laws, the survivors, the suite's strength."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from acidtest.mutants.law_pictures import Laws
from acidtest.mutants.model import Mode, Outcome, Status
from acidtest.reports.advice import advice
from acidtest.reports.exits import ExitCode
from acidtest.reports.judge import Grade, Verdict
from acidtest.reports.machine_made import Tried
from acidtest.reports.render.html.document import document
from acidtest.reports.render.html.matrix_data import buckets, matrix_data
from acidtest.reports.render.html.survivor import Survivor, survivors_of
from acidtest.reports.render.wording import complaint, conclusion, percent, source_of
from acidtest.reports.run_report import RunReport
from acidtest.reports.strength import Strength

STYLE = ("base.css", "run.css")
SCRIPTS = ("page.js", "rational.js", "cells.js", "matrix.js", "laws.js", "graph.js", "lab.js")
_TONES = {ExitCode.KEPT: "good", ExitCode.UNDECIDED: "open"}


@dataclass(frozen=True, slots=True)
class Alert:
    """One thing that a reader has to know first: a sentence, what belongs to it, and where to read on."""

    title: str
    lines: tuple[str, ...] = ()
    anchor: str = ""
    more: int = 0


def run_page(report: RunReport) -> str:
    """Return the whole page, self-contained."""
    summary, strength = report.summary, report.strength
    laws = _laws(report.laws)
    survivors = survivors_of(report)
    return document(
        "run.html.j2",
        STYLE,
        SCRIPTS,
        {"matrix": matrix_data(report), "laws": laws, "graph": _graph(strength)},
        report=report,
        summary=summary,
        run=summary.run,
        title=_title(report),
        tone=_TONES.get(summary.code, "bad"),
        headline=_headline(report),
        alerts=alerts(report),
        left_out=_left_out(report),
        survivors=survivors,
        searched=report.gaps is not None,
        complaints={verdict.mutant.id: complaint(verdict) for verdict in summary.verdicts if not verdict.kept},
        sources={verdict.mutant.id: source_of(verdict.mutant) for verdict in summary.verdicts},
        grades={verdict.mutant.id: _grade(verdict) for verdict in summary.verdicts},
        laws=laws,
        strength=strength,
        advice=list(advice(strength)) if strength is not None else [],
        heat=_heat(strength),
        buckets=_buckets(report),
        unsteady=list(strength.confidence.unsteady) if strength is not None and strength.confidence else [],
        Status=Status,
        ExitCode=ExitCode,
    )


def failed_page(workload: str, suite: str, seed: int, problem: str, versions: Mapping[str, str]) -> str:
    """Return the page of a run that never came to a mutant, because of ``problem``."""
    return document(
        "failed.html.j2",
        STYLE,
        ("page.js",),
        {},
        title="No verdict",
        workload=workload,
        suite=suite,
        seed=seed,
        problem=problem,
        versions=versions,
    )


def _title(report: RunReport) -> str:
    number = f"run {report.number}" if report.number is not None else "a run"
    return f"{_headline(report)} ({number})"


def _headline(report: RunReport) -> str:
    """Return the verdict in a few words; what spoils it comes before what it would have been."""
    run = report.summary.run
    if run.baseline.failures:
        return "No verdict: the tests fail on the unchanged code"
    if not run.matrix.tests:
        return "No verdict: there is no test"
    if not run.matrix.variants:
        return "No verdict: no mutant was tried"
    if any(control.problem for control in run.controls):
        return "No verdict: a control misbehaved"
    text = conclusion(report.summary)
    return text[:1].upper() + text[1:]


def alerts(report: RunReport) -> list[Alert]:
    """Return what a reader has to know before anything else, the worst first."""
    summary = report.summary
    run, made = summary.run, summary.generated
    found = []
    if run.baseline.failures:
        lines = [
            f"{t.test}: {t.outcome.replace('_', ' ')} {t.reason} {t.detail}".rstrip() for t in run.baseline.failures
        ]
        found.append(_alert("The tests fail on the unchanged code, so that no failure proves anything.", lines))
    misbehaved = [f"{control.id}: {control.problem}" for control in run.controls if control.problem]
    if misbehaved:
        found.append(_alert("A control misbehaved: an edit with a known verdict got another one.", misbehaved))
    if run.problems:
        found.append(_alert("The run gives no verdict.", run.problems))
    if not run.matrix.tests:
        found.append(_alert("There is no test, so that nothing was judged.", ()))
    if not run.matrix.variants:
        found.append(_alert("No mutant was tried, so that nothing is known about the tests.", ()))
    statuses = _statuses(report)
    for status, words in _WORDS.items():
        ids = [name for name, one in statuses.items() if one is status]
        if ids:
            one = "mutant" if len(ids) == 1 else "mutants"
            anchor = "survivors" if status in (Status.SURVIVED, Status.NO_COVERAGE) else "matrix"
            found.append(_alert(f"{len(ids)} {one} {words}", ids, anchor))
    broken = [f"{v.mutant.id}: {complaint(v)}" for v in summary.verdicts if v.broken and v.status is Status.KILLED]
    if broken:
        found.append(_alert("Promises that are broken although the mutant is killed:", broken, "promises"))
    if made is not None and made.stale:
        found.append(_alert(f"{made.stale} certificates are for another domain and were not used.", ()))
    return found


_WORDS = {
    Status.SURVIVED: "survived: no test noticed.",
    Status.NO_COVERAGE: "not even reached by any test.",
    Status.TIMED_OUT: "only timed out: neither killed nor survived.",
    Status.CRASHED: "only crashed: neither killed nor survived.",
    Status.UNDECIDED: "left undecided: Hypothesis gave up.",
    Status.PENDING: "without a verdict: not every test was run.",
}
SHOWN, LONGEST = 8, 600
"""How many lines an alert shows, and how many characters of each."""


def _alert(title: str, lines: Sequence[str], anchor: str = "") -> Alert:
    shown = tuple(line if len(line) <= LONGEST else line[: LONGEST - 1] + "…" for line in lines[:SHOWN])
    return Alert(title, shown, anchor, max(0, len(lines) - SHOWN))


def _statuses(report: RunReport) -> dict[str, Status]:
    """Return what became of each mutant that ought to be killed."""
    summary = report.summary
    found = {v.mutant.id: v.status for v in summary.verdicts if v.mutant.expect != "survived"}
    return found | {one.variant.id: one.status for one in (summary.generated.tried if summary.generated else ())}


def _left_out(report: RunReport) -> list[str]:
    """Return what this run did not judge, a sentence each."""
    summary, made = report.summary, report.summary.generated
    found = list(report.notes)
    if summary.run.mode is Mode.FIRST_KILL:
        found.append("Tests stopped at a mutant's first kill, so that named killers were not compared.")
    elif not summary.contract:
        found.append("Named killers were not compared: the tests are not those that the catalog names.")
    unviable = [name for name, status in _statuses(report).items() if status is Status.UNVIABLE]
    if unviable:
        found.append(f"Cannot be imported, hence no valid mutants: {', '.join(unviable)}.")
    if made is None:
        found.append("No generated mutants were tried.")
    elif made.certified:
        found.append(
            f"{len(made.certified)} generated mutants are certified equal on the bounded domain D and left out, "
            f"{made.messages} of them because only the words of an error change. Counted as survivors they would make "
            f"the score {percent(made.raw)}, without those words {percent(made.without_messages)}."
        )
    if made is not None and any(_one_killer(one) for one in made.tried) and _stopped(report):
        found.append("Generated mutants were tried up to their first kill: for them the matrix shows no further cells.")
    expected = [test.name for test in summary.run.matrix.tests if test.expected_to_fail]
    if expected:
        found.append(f"Tests that are expected to fail: {', '.join(expected)}.")
    return found


def _one_killer(one: Tried) -> bool:
    return one.status is Status.KILLED and len(one.killers) == 1


def _stopped(report: RunReport) -> bool:
    """Return whether some killed generated mutant was not tried by every test."""
    matrix = report.summary.run.matrix
    made = report.summary.generated
    names = {one.variant.id for one in made.tried if one.status is Status.KILLED} if made else set()
    counts = dict.fromkeys(names, 0)
    for trial in matrix.trials:
        if trial.variant in counts:
            counts[trial.variant] += 1
    return any(count < len(matrix.tests) for count in counts.values())


def _grade(verdict: Verdict) -> str:
    if verdict.grade is Grade.UNJUDGED:
        return verdict.status.replace("_", " ")
    if verdict.mutant.expect == "survived" and verdict.kept:
        return "survived, as expected"
    return "no coverage" if verdict.status is Status.NO_COVERAGE else verdict.grade.replace("_", " ")


def _laws(laws: Sequence[Laws] | None) -> dict[str, Any] | None:
    """Return the laws for the script: those that are off first, by their distance; the right ones by name only."""
    if laws is None:
        return None
    shown = [law for law in laws if law.data is not None]
    off = [law for law in shown if _distance(law)]
    return {
        "off": [{"mutant": law.mutant, **dict(law.data or {})} for law in sorted(off, key=lambda law: -_distance(law))],
        "right": [law.mutant for law in shown if not _distance(law)],
        "none": [law.mutant for law in laws if law.data is None and not law.why],
        "unknown": [[law.mutant, law.why] for law in laws if law.data is None and law.why],
    }


def _distance(law: Laws) -> Fraction:
    """Return the largest distance that is known of a mutant's laws; one that rounding explains counts as none."""
    parts = [(law.data or {}).get(name) or {} for name in ("hand", "worst")]
    found = [(Fraction(part["distance"]), Fraction(part["rounding"])) for part in parts if "distance" in part]
    return max((distance for distance, rounding in found if distance > rounding), default=Fraction(0))


def _graph(strength: Strength | None) -> dict[str, Any] | None:
    if strength is None or not strength.classes:
        return None
    first = {group.mutants for group in strength.dominators}
    return {
        "classes": [
            {
                "mutants": list(group.mutants),
                "tests": sorted(strength.name(str(test)) for test in group.marks),
                "dominates": group.mutants in first,
            }
            for group in strength.classes
        ],
        "edges": [list(edge) for edge in strength.edges],
    }


def _heat(strength: Strength | None) -> dict[str, Any] | None:
    """Return trigger rates as a table: families, and for each mutant its rates in the same order."""
    rows = strength.triggers if strength is not None else None
    if not rows:
        return None
    families = list(dict.fromkeys(row.family for row in rows))
    known = {(row.mutant, row.family): row for row in rows}
    mutants = list(dict.fromkeys(row.mutant for row in rows))
    return {
        "families": families,
        "rows": [(mutant, [known.get((mutant, family)) for family in families]) for mutant in mutants],
        "tries": max(row.rate.tries for row in rows),
    }


def _buckets(report: RunReport) -> list[tuple[str, int]] | None:
    """Return the kills of drawing tests by how many inputs they took; None where no test drew any."""
    trials = report.summary.run.matrix.trials
    counts = [t.examples for t in trials if t.outcome is Outcome.FAILED and t.examples is not None]
    return buckets(counts) if counts else None


__all__ = ["Survivor", "alerts", "failed_page", "run_page"]
