"""The page of a class: how it did, which tests and mistakes stand out, which go together, and who needs a person."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from acidtest.reports.class_summary import BINS, ClassSummary, Concern, FailureRate, Row
from acidtest.reports.exits import ExitCode
from acidtest.reports.grading import Standing
from acidtest.reports.render.class_csv import note_of
from acidtest.reports.render.fields import cut
from acidtest.reports.render.grade_text import TIERS
from acidtest.reports.render.html.document import document, of
from acidtest.reports.render.shares import percent

STYLE = ("base.css", "run.css", "class.css")
SCRIPTS = ("page.js", "class.js")
PAIRED = 10
"""So many mistakes are put beside one another at most."""
LONGEST = 400
"""Characters of a text that somebody else has chosen, in one cell of a table."""


@dataclass(frozen=True, slots=True)
class Line:
    """A learner's line in the table of all.

    Attributes:
        anchor: of its row. named: ids of the mistakes.
    """

    anchor: str
    id: str
    name: str
    place: str
    standing: str
    score: str
    passed: str
    named: tuple[str, ...]
    note: str


@dataclass(frozen=True, slots=True)
class Cell:
    """How many learners made both of two mistakes; one mistake with itself: how many made it.

    Attributes:
        shade: 0 to 5, by the share of those who made the rarer of the two. words: the same in a sentence.
    """

    count: int
    shade: int
    words: str


def class_html(summary: ClassSummary) -> str:
    """Return the whole page, self-contained; it is for the staff.

    It is the same for the same class, however often its grading was interrupted.
    """
    meta = summary.meta
    scores = sorted(row.score for row in summary.rows if row.score is not None)
    lines = [_line(number, row) for number, row in enumerate(summary.rows)]
    return document(
        "class.html.j2",
        STYLE,
        SCRIPTS,
        {},
        title=f"{cut(meta.title, LONGEST)}: {_headline(summary, scores)}",
        summary=summary,
        meta=meta,
        name=cut(meta.title, LONGEST),
        tone=_tone(summary),
        headline=_headline(summary, scores),
        alerts=_alerts(summary),
        mean=sum(scores, Fraction(0)) / len(scores) if scores else None,
        median=_median(scores),
        full=sum(score == 1 for score in scores),
        standings=[(standing, count) for standing, count in summary.standings.items() if count],
        bars=_bars(summary),
        rates=sorted(summary.rates, key=_pressing),
        paired=_paired(summary),
        matrix=_matrix(summary),
        alike=[cluster for cluster in summary.clusters if len(cluster.learners) > 1],
        alone=[cluster for cluster in summary.clusters if len(cluster.learners) == 1],
        lines=lines,
        anchors={row.id: line.anchor for row, line in zip(summary.rows, lines, strict=True)},
        mistaken={mistake.mutant: f"mistake-{number}" for number, mistake in enumerate(summary.mistakes)},
        sandbox=TIERS.get(meta.tier, "none was needed"),
        longest=LONGEST,
        cut=cut,
    )


def _headline(summary: ClassSummary, scores: Sequence[Fraction]) -> str:
    if not any(row.assessment for row in summary.rows):
        return "nobody has handed in anything"
    if not scores:
        return "no submission has a verdict"
    return f"{of(len(scores), 'submission')} graded, half of them at {percent(_median(scores))} or more"


def _tone(summary: ClassSummary) -> str:
    if summary.code is not ExitCode.KEPT:
        return "bad"
    return "open" if summary.needs_human else "good"


def _alerts(summary: ClassSummary) -> list[tuple[str, str]]:
    """Return what has to be known first: a sentence, and the part of the page that says more."""
    found = []
    failed = sum(need.concern is Concern.INTERNAL for need in summary.needs_human)
    if failed:
        found.append((f"The grader failed on {of(failed, 'submission')}: give the same command again.", "people"))
    if summary.code is ExitCode.NO_VERDICT:
        found.append(("There is no submission in this class.", ""))
    if summary.moves:
        found.append((f"{of(len(summary.moves), 'score')} moved since the grading before.", "moves"))
    return found


def _median(scores: Sequence[Fraction]) -> Fraction | None:
    middle = len(scores) // 2
    if not scores:
        return None
    return scores[middle] if len(scores) % 2 else (scores[middle - 1] + scores[middle]) / 2


def _bars(summary: ClassSummary) -> list[tuple[str, int, float]]:
    """Return the histogram: what a bar stands for, how many, and how wide it is in percent of the widest."""
    most = max(summary.histogram) or 1
    rows = []
    for number, count in enumerate(summary.histogram):
        low, high = 100 * number // BINS, 100 * (number + 1) // BINS
        rows.append(("100%" if number == BINS else f"{low}% to {high}%", count, 100 * count / most))
    return rows[::-1]


def _pressing(rate: FailureRate) -> tuple[Fraction, int, str]:
    return -rate.rate, -rate.stopped, rate.test.name


def _paired(summary: ClassSummary) -> list[str]:
    """Return the mistakes that go together with another, the commonest first."""
    together = {name for pair in summary.together for name in (pair.one, pair.other)}
    return [mistake.mutant for mistake in summary.mistakes if mistake.mutant in together][:PAIRED]


def _matrix(summary: ClassSummary) -> list[tuple[str, list[Cell]]]:
    names = _paired(summary)
    counts = {mistake.mutant: mistake.count for mistake in summary.mistakes}
    pairs = {frozenset((pair.one, pair.other)): pair for pair in summary.together}
    rows = []
    for one in names:
        cells = []
        for other in names:
            pair = pairs.get(frozenset((one, other)))
            if one == other:
                cells.append(Cell(counts[one], 0, f"{of(counts[one], 'learner')} made {one}"))
            elif pair is None:
                cells.append(Cell(0, 0, f"nobody made both {one} and {other}"))
            else:
                share = Fraction(pair.count, min(counts[one], counts[other]))
                words = f"{of(pair.count, 'learner')} made both {one} and {other}, {_times(pair.lift)}"
                cells.append(Cell(pair.count, 1 + int(share * Fraction(49, 10)), words))
        rows.append((one, cells))
    return rows


def _times(lift: Fraction) -> str:
    return f"{float(lift):.1f} times what chance would give"


def _line(number: int, row: Row) -> Line:
    assessment = row.assessment
    named: Iterable[str] = ()
    if assessment is not None and assessment.diagnosis is not None:
        named = assessment.diagnosis.named
    return Line(
        f"learner-{number}",
        cut(row.id, LONGEST),
        cut(row.name, LONGEST),
        cut(row.place, LONGEST),
        "missing" if assessment is None else str(Standing(assessment.standing)),
        "" if row.score is None else percent(row.score),
        f"{assessment.passed} of {len(assessment.trials)}" if assessment is not None and assessment.trials else "",
        tuple(named),
        cut(note_of(row), LONGEST),
    )
