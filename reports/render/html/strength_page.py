"""The page of a suite's strength: what it comes to first, then every measure with the evidence for it."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from acidtest.mutants.model import Status
from acidtest.reports.conjectures import Conjecture
from acidtest.reports.render.html.document import document, of
from acidtest.reports.render.html.strength_parts import graph_data, strength_values
from acidtest.reports.render.verdict import Alert, spoiled
from acidtest.reports.strength import Strength
from acidtest.reports.strength_report import StrengthReport
from acidtest.reports.subsumption import Disagreement, Side

STYLE = ("base.css", "run.css", "strength.css")
SCRIPTS = ("page.js", "graph.js")
SHOWN = 40
"""How many pairs and conjectures are listed; the JSON document has them all."""


@dataclass(frozen=True, slots=True)
class Size:
    """The scores of random sub-suites of one size, in percent for a picture, and what stands beside them."""

    size: int
    low: Fraction
    lower: Fraction
    median: Fraction
    upper: Fraction
    high: Fraction
    beside: tuple[str, ...]


def strength_html(report: StrengthReport) -> str:
    """Return the whole page, self-contained."""
    found = report.strength
    domain = found.domain
    return document(
        "strength_page.html.j2",
        STYLE,
        SCRIPTS,
        {"graph": graph_data(found)},
        title=f"{_headline(report)} (strength)",
        headline=_headline(report),
        tone=_tone(report),
        alerts=_alerts(report),
        report=report,
        run=report.run,
        sizes=_sizes(found),
        missing=_pairs(found, Side.TESTS),
        beyond=_pairs(found, Side.DOMAIN),
        together=sum(pair.together for pair in domain.pairs) if domain is not None else 0,
        conjectures=found.conjectures[:SHOWN],
        more=len(found.conjectures) - SHOWN,
        said=_said,
        pairs_shown=SHOWN,
        **strength_values(found, report.run.matrix),
    )


def _headline(report: StrengthReport) -> str:
    kills = report.strength.kills
    why = spoiled(report.run)
    if why:
        return f"No verdict: {why}"
    if not kills.killers:
        return "No verdict: no mutant met every test"
    if kills.survivors:
        return f"{len(kills.survivors)} of {of(len(kills.killers), 'mutant')} survived"
    spare = len(report.strength.redundant) + len(report.strength.idle)
    return f"Every mutant killed, {of(spare, 'test')} without a kill of its own" if spare else "Every mutant killed"


def _tone(report: StrengthReport) -> str:
    kills = report.strength.kills
    if spoiled(report.run) or kills.survivors or not kills.killers:
        return "bad"
    return "open" if _unjudged(report.strength) else "good"


def _alerts(report: StrengthReport) -> list[Alert]:
    """Return what has to be known before the measures, the worst first."""
    found, strength = [], report.strength
    if report.run.problems:
        found.append(Alert("The run gives no verdict.", report.run.problems[:8]))
    alive = strength.kills.survivors
    if alive:
        title = f"{of(len(alive), 'mutant')} survived every test. A test to paste for each: acidtest gaps"
        found.append(Alert(title, alive[:8], more=max(0, len(alive) - 8)))
    confidence = strength.confidence
    noisy = [row for row in confidence.alarms if row.failures] if confidence is not None else []
    if noisy:
        lines = tuple(f"{strength.name(row.test)}: under {row.failures} of {row.seeds} seeds" for row in noisy[:8])
        found.append(Alert("These tests fail on the unchanged code: their kills prove nothing.", lines))
    lucky = [row for row in confidence.mutants if 0 < row.kills < row.seeds] if confidence is not None else []
    if lucky:
        lines = tuple(f"{row.mutant}: under {row.kills} of {row.seeds} seeds" for row in lucky[:8])
        title = f"{of(len(lucky), 'mutant')} killed under some seeds only: luck decides."
        found.append(Alert(title, lines, more=max(0, len(lucky) - 8)))
    others = _unjudged(strength)
    if others:
        lines = tuple(f"{name}: {status.replace('_', ' ')}" for name, status in list(others.items())[:8])
        title = f"{of(len(others), 'mutant')} without a verdict: in no measure."
        found.append(Alert(title, lines, more=max(0, len(others) - 8)))
    return found


def _unjudged(strength: Strength) -> dict[str, Status]:
    """Return the mutants that were tried to the end and are neither killed nor alive."""
    settled = (Status.PENDING, Status.UNVIABLE)
    return {name: status for name, status in strength.kills.unjudged.items() if status not in settled}


def _sizes(strength: Strength) -> list[Size]:
    """Return the sizes at which something stands beside random sub-suites, and some between for the shape."""
    spreads = {spread.size: spread for spread in strength.spreads}
    best = strength.cover.size
    wanted = {1, 2, 5, 10, 20, 40, 80, best, len(spreads), *(part.size for part in strength.parts)}
    found = []
    for size in sorted(wanted & set(spreads)):
        beside = [
            f"{part.name} ({_percent(part.score)}, above {_percent(part.beats)} of them)"
            for part in strength.parts
            if part.size == size
        ]
        if size == best:
            beside.insert(0, f"a smallest suite ({_percent(strength.score)})")
        one = spreads[size]
        found.append(Size(size, one.low, one.lower, one.median, one.upper, one.high, tuple(beside)))
    return found


def _percent(share: Fraction) -> str:
    return f"{float(100 * share):.1f}%"


def _pairs(strength: Strength, side: Side) -> list[Disagreement]:
    domain = strength.domain
    return [pair for pair in domain.pairs if pair.side is side] if domain is not None else []


def _said(strength: Strength, conjecture: Conjecture) -> dict[str, Any]:
    """Return a conjecture's sides as names of tests."""
    return {
        "stronger": [strength.name(test) for test in conjecture.stronger],
        "weaker": [strength.name(test) for test in conjecture.weaker],
    }
