"""The page of one run: the verdict first, then the kill matrix, the laws, the survivors, the suite's strength."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from acidtest.mutants.law_pictures import Laws
from acidtest.mutants.model import Status
from acidtest.reports.exits import ExitCode
from acidtest.reports.judge import Grade, Verdict
from acidtest.reports.render.html.document import document
from acidtest.reports.render.html.matrix_data import matrix_data
from acidtest.reports.render.html.strength_parts import graph_data, strength_values
from acidtest.reports.render.html.survivor import Survivor, survivors_of
from acidtest.reports.render.verdict import alerts, headline, left_out
from acidtest.reports.render.wording import complaint, source_of
from acidtest.reports.run_report import RunReport

STYLE = ("base.css", "run.css")
SCRIPTS = ("page.js", "rational.js", "cells.js", "matrix.js", "laws.js", "graph.js", "lab.js")
_TONES = {ExitCode.KEPT: "good", ExitCode.UNDECIDED: "open"}


def run_page(report: RunReport) -> str:
    """Return the whole page, self-contained."""
    summary, strength = report.summary, report.strength
    laws = _laws(report.laws)
    survivors = survivors_of(report)
    return document(
        "run.html.j2",
        STYLE,
        SCRIPTS,
        {"matrix": matrix_data(report), "laws": laws, "graph": graph_data(strength)},
        report=report,
        summary=summary,
        run=summary.run,
        title=_title(report),
        tone=_TONES.get(summary.code, "bad"),
        headline=headline(report.summary),
        alerts=alerts(report),
        left_out=left_out(report),
        survivors=survivors,
        searched=report.gaps is not None,
        complaints={verdict.mutant.id: complaint(verdict) for verdict in summary.verdicts if not verdict.kept},
        sources={verdict.mutant.id: source_of(verdict.mutant) for verdict in summary.verdicts},
        grades={verdict.mutant.id: _grade(verdict) for verdict in summary.verdicts},
        laws=laws,
        Status=Status,
        ExitCode=ExitCode,
        **strength_values(strength, summary.run.matrix),
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
    return f"{headline(report.summary)} ({number})"


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


__all__ = ["Survivor", "alerts", "failed_page", "run_page"]
