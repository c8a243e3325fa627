"""The index of the runs in a store: the latest verdict first, the scores over time, then every run in a line."""

from collections.abc import Sequence
from fractions import Fraction

from acidtest.reports.digest import Count, Digest
from acidtest.reports.render.fields import cut
from acidtest.reports.render.html.document import document, of
from acidtest.reports.render.html.trend import before, charts
from acidtest.reports.render.shares import percent
from acidtest.reports.run_index import Index, Unfinished

STYLE = ("base.css", "run.css", "index.css")
LONGEST = 400
"""Characters of a text from outside, in one cell of a table."""
LONGEST_TITLE = 160
_PAGES = {
    "run.html": "Kill matrix, laws, survivors and strength",
    "gaps.html": "Gaps: a test to paste for each survivor",
    "strength.html": "Strength of the tests, with all evidence",
}


def index_page(index: Index) -> str:
    """Return the whole page, self-contained but for links to the pages beside it."""
    latest = index.latest
    problems = [page.problem for page in index.pages if page.problem]
    title = "No verdict: the latest run came to no mutant" if problems else _headline(latest)
    return document(
        "index.html.j2",
        STYLE,
        ("page.js",),
        {},
        title=f"{title} (runs of acidtest)",
        headline=title,
        tone="bad" if problems else latest.tone if latest is not None else "open",
        index=index,
        latest=latest,
        alerts=_alerts(index, problems),
        pages=[(page, _PAGES[page.file]) for page in index.pages if page.file in _PAGES and not page.problem],
        linked={page.run for page in index.pages if page.file == "run.html" and page.run is not None},
        charts=charts(index.digests),
        change=_change(index, latest) if latest is not None else "",
        counted=counted,
        day=lambda text: text[:16].replace("T", " "),
        cut=lambda text: cut(text, LONGEST),
    )


def counted(count: Count | None) -> str:
    """Return a score with the numbers that it comes from."""
    if count is None:
        return "none tried"
    score = percent(count.score) if count.score is not None else "no score"
    return f"{count.killed} of {count.valid}, {score}"


def _headline(latest: Digest | None) -> str:
    if latest is None:
        return "No finished run is kept"
    return f"Run {latest.id}: {cut(latest.headline[:1].lower() + latest.headline[1:], LONGEST_TITLE)}"


def _alerts(index: Index, problems: Sequence[str]) -> list[tuple[str, tuple[str, ...]]]:
    """Return what has to be known first: a sentence, and the lines under it."""
    found = []
    if problems:
        told = (
            "No mutant was tried." if index.latest is None else f"What follows is of run {index.latest.id}, before it."
        )
        found.append((told, tuple(cut(text, LONGEST) for text in problems)))
    latest = index.latest
    if latest is not None and latest.problems:
        found.append((f"Run {latest.id} gives no verdict.", tuple(cut(text, LONGEST) for text in latest.problems[:8])))
    if latest is not None:
        later = [one for one in index.unfinished if one.started > latest.finished and one.trials]
        found += [(_interrupted(one), ()) for one in later]
    return found


def _interrupted(one: Unfinished) -> str:
    return f"Run {one.id} did not finish: {of(one.trials, 'trial')} kept. The same command goes on from there."


def _change(index: Index, latest: Digest) -> str:
    """Return how the latest score of the catalog's mutants differs from the one before, of the same tests."""
    earlier = before(index.digests, latest)
    now = latest.catalog.score if latest.catalog else None
    if now is None:
        return latest.catalog.reason if latest.catalog else ""
    if not latest.whole:
        return "of a part of the catalog"
    if earlier is None or earlier.catalog is None or earlier.catalog.score is None:
        return "no earlier score of these tests"
    apart = (now - earlier.catalog.score) * 100
    if not apart:
        return f"as in run {earlier.id}"
    size = f"{float(abs(apart)):.1f}" if abs(apart) >= Fraction(1, 10) else "less than 0.1"
    return f"{size} points {'more' if apart > 0 else 'less'} than in run {earlier.id}"
