"""A trend of scores as a picture: where each run's point lies, which of them are joined, and the same as a table."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from acidtest.reports.digest import Count, Digest
from acidtest.reports.render.shares import percent

POINTS = 60
"""So many runs at most are drawn, the latest."""
LABELS = 6
KINDS = (("catalog", "mutants of the catalog"), ("made", "generated mutants"))


@dataclass(frozen=True, slots=True)
class Point:
    """One run's score. ``x`` from the left and ``y`` from the top, in percent of the plot; ``told``: in words."""

    x: float
    y: float
    told: str
    run: int


@dataclass(frozen=True, slots=True)
class Line:
    """The scores of one kind of mutants: ``segments`` join the points of runs that follow one another."""

    kind: str
    name: str
    points: tuple[Point, ...]
    segments: tuple[tuple[Point, Point], ...]


@dataclass(frozen=True, slots=True)
class Chart:
    """The scores of one suite over its runs.

    Attributes:
        low: where the axis begins, in percent. ticks: labels of the axis with their places, in percent from the top.
        labels: numbers of runs with their places, in percent from the left.
        missing: runs without a score. digests: the runs that are drawn, the oldest first.
    """

    suite: str
    workload: str
    low: int
    ticks: tuple[tuple[str, float], ...]
    lines: tuple[Line, ...]
    labels: tuple[tuple[int, float], ...]
    missing: tuple[Point, ...]
    digests: tuple[Digest, ...]


def charts(digests: Sequence[Digest]) -> list[Chart]:
    """Return a chart for each suite with two scores or more, that of the latest run first.

    A run of a part of the catalog is left out: its score is of other mutants.
    """
    groups: dict[tuple[str, str], list[Digest]] = {}
    for digest in reversed(digests):
        if digest.whole:
            groups.setdefault((digest.workload, digest.suite), []).insert(0, digest)
    found = [_chart(members[-POINTS:]) for members in groups.values()]
    return [chart for chart in found if any(line.segments for line in chart.lines)]


def before(digests: Sequence[Digest], digest: Digest) -> Digest | None:
    """Return the run of the same suite before ``digest`` that has a score of the catalog's mutants."""
    earlier = list(digests[: list(digests).index(digest)])
    same = [one for one in earlier if one.whole and (one.workload, one.suite) == (digest.workload, digest.suite)]
    return next((one for one in reversed(same) if one.catalog and one.catalog.score is not None), None)


def _chart(digests: Sequence[Digest]) -> Chart:
    known = [count.score for one in digests for count in (one.catalog, one.made) if count and count.score is not None]
    low = _floor(min(known, default=Fraction(1)))
    places = {digest.id: _across(place, len(digests)) for place, digest in enumerate(digests)}
    lines = tuple(_line(digests, places, low, kind, name) for kind, name in KINDS)
    missing = tuple(
        Point(places[one.id], 100.0, f"run {one.id}, {_day(one)}: no score, {_why(one)}", one.id)
        for one in digests
        if all(count is None or count.score is None for count in (one.catalog, one.made))
    )
    step = -(-len(digests) // LABELS)
    labels = tuple((one.id, places[one.id]) for one in digests[::-1][::step])
    marks = [100, *range(90, low, -10 if low >= 50 else -25), low]
    ticks = tuple((f"{mark}%", _down(Fraction(mark, 100), low)) for mark in dict.fromkeys(marks))
    first = digests[-1]
    drawn = tuple(line for line in lines if line.points)
    return Chart(first.suite, first.workload, low, ticks, drawn, labels, missing, tuple(digests))


def _line(digests: Sequence[Digest], places: dict[int, float], low: int, kind: str, name: str) -> Line:
    points: list[Point] = []
    segments = []
    joined = False
    for digest in digests:
        count: Count | None = getattr(digest, kind)
        if count is None:  # not tried: the line goes on over it
            continue
        if count.score is None:
            joined = False
            continue
        told = f"run {digest.id}, {_day(digest)}: {count.killed} of {count.valid} {name} killed, {percent(count.score)}"
        point = Point(places[digest.id], _down(count.score, low), told, digest.id)
        if joined:
            segments.append((points[-1], point))
        points.append(point)
        joined = True
    return Line(kind, name, tuple(points), tuple(segments))


def _floor(lowest: Fraction) -> int:
    """Return where the axis begins: a multiple of ten below the lowest score, so that small changes are seen."""
    return max(0, min(90, (int(lowest * 100) - 1) // 10 * 10))


def _across(place: int, number: int) -> float:
    return 50.0 if number == 1 else round(100 * place / (number - 1), 3)


def _down(score: Fraction, low: int) -> float:
    return round(float(100 * (1 - (score * 100 - low) / (100 - low))), 3)


def _day(digest: Digest) -> str:
    return digest.started[:16].replace("T", " ")


def _why(digest: Digest) -> str:
    reasons = [count.reason for count in (digest.catalog, digest.made) if count and count.reason]
    return reasons[0] if reasons else digest.headline
