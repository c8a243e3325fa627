"""What a terminal shows of a class: how it did, which tests and mistakes stand out, and who needs a person."""

from collections.abc import Sequence
from fractions import Fraction

from rich.console import RenderableType
from rich.padding import Padding
from rich.text import Text

from acidtest.reports.class_summary import BINS, ClassSummary, NeedsHuman, Row
from acidtest.reports.exits import ExitCode
from acidtest.reports.grading import Standing
from acidtest.reports.render.grade_text import TIERS
from acidtest.reports.render.shares import percent
from acidtest.reports.render.terminal import facts_of, table_of, to_text

_SHOWN = 12
_LISTED = 40
_BAR = 40


def class_page(summary: ClassSummary, left_out: Sequence[str], width: int, colour: bool) -> str:
    """Return the page; the last line says whether everything that was handed in has a verdict.

    Args:
        left_out: names of files that are no submission.
    """
    graded = [row for row in summary.rows if row.score is not None]
    parts: list[RenderableType] = [Text(summary.meta.title, "bold"), Text()]
    parts += [Padding(facts_of(_facts(summary, graded, left_out)), (0, 0, 0, 2)), Text()]
    if graded:
        parts += [Text(f"scores, {summary.meta.scheme}", "bold"), *_histogram(summary.histogram), Text()]
    for heading, lines in (
        ("tests that fail", _rates(summary)),
        ("commonest mistakes", _mistakes(summary)),
        ("mistakes that go together", _together(summary)),
        ("wrong in a way that no entry explains", _clusters(summary)),
        ("scores that moved", _moves(summary)),
        ("needs a person", _concerns(summary.needs_human)),
    ):
        if lines:
            parts += [Text(heading, "bold"), *lines, Text()]
    return to_text([*parts, *_verdict(summary)], width, colour)


def _facts(summary: ClassSummary, graded: Sequence[Row], left_out: Sequence[str]) -> list[tuple[str, str]]:
    meta = summary.meta
    counts = ", ".join(f"{count} {standing}" for standing, count in summary.standings.items() if count)
    scores = sorted(row.score for row in graded if row.score is not None)
    facts = [("learners", str(len(summary.rows))), ("handed in", counts or "nothing")]
    if scores:
        mean = sum(scores, Fraction(0)) / len(scores)
        facts.append(("scores", f"mean {percent(mean)}, median {percent(_median(scores))}"))
    facts += [("tests", str(len(summary.tests))), ("sandbox", TIERS.get(meta.tier, "none was needed"))]
    if meta.salt:
        facts.append(("salt", meta.salt))
    if left_out:
        facts.append(("left out", f"{_several(left_out)}: neither Python nor a zip"))
    if meta.judged:
        rate = meta.judged / meta.seconds if meta.seconds else 0.0
        desks = f"{meta.jobs} desk{'s' if meta.jobs > 1 else ''}"
        pace = f"{rate / meta.jobs:.2f} a second each" if meta.jobs > 1 else f"{rate:.2f} a second"
        facts.append(("time", f"{meta.judged} judged in {meta.seconds:.1f} s on {desks}: {pace}"))
    if meta.kept:
        facts.append(("kept", f"{meta.kept} had a result already"))
    return facts


def _histogram(counts: Sequence[int]) -> list[RenderableType]:
    most = max(counts) or 1
    rows = []
    for number, count in enumerate(counts):
        low = f"{100 * number // BINS:>3}%"
        label = f"{low}   " if number == BINS else f"{low} up"
        rows.append((label, f"{'█' * max(round(_BAR * count / most), bool(count))} {count or ''}".strip()))
    return [Padding(facts_of(rows), (0, 0, 0, 2))]


def _rates(summary: ClassSummary) -> list[RenderableType]:
    table = table_of("test", "failed", "share", "no verdict")
    rates = [rate for rate in summary.rates if rate.failed or rate.stopped]
    for rate in sorted(rates, key=lambda rate: -rate.rate):
        table.add_row(rate.test.name, f"{rate.failed} of {rate.judged}", percent(rate.rate), str(rate.stopped or ""))
    return [Padding(table, (0, 0, 0, 2))] if rates else []


def _mistakes(summary: ClassSummary) -> list[RenderableType]:
    table = table_of("mutant", "learners", "mistake", "who")
    for mistake in summary.mistakes[:_SHOWN]:
        table.add_row(mistake.mutant, str(mistake.count), mistake.title, _several(mistake.learners))
    more = len(summary.mistakes) - _SHOWN
    rest = [Padding(Text(f"and {more} more, each made by fewer"), (0, 0, 0, 2))] if more > 0 else []
    return [Padding(table, (0, 0, 0, 2)), *rest] if summary.mistakes else []


def _together(summary: ClassSummary) -> list[RenderableType]:
    rows = [
        (f"{pair.one} and {pair.other}", f"{pair.count} learners, {float(pair.lift):.1f} times what chance would give")
        for pair in summary.together
        if pair.count > 1
    ]
    return [Padding(facts_of(rows[:_SHOWN]), (0, 0, 0, 2))] if rows else []


def _clusters(summary: ClassSummary) -> list[RenderableType]:
    rows = []
    for cluster in summary.clusters[:_SHOWN]:
        words = "; ".join(f"{function}: {symptom}" for function, symptom, _ in cluster.symptoms[:2])
        who = f"{len(cluster.learners)} alike" if len(cluster.learners) > 1 else "alone"
        rows.append((cluster.representative, f"{who}, {cluster.calls} calls. {words}"))
    return [Padding(facts_of(rows), (0, 0, 0, 2))] if rows else []


def _moves(summary: ClassSummary) -> list[RenderableType]:
    rows = []
    for move in summary.moves[:_LISTED]:
        before, after = ("none" if score is None else percent(score) for score in (move.before, move.after))
        rows.append((move.id, f"{before} → {after}: {_several(move.why, 4, '; ')}"))
    if len(summary.moves) > _LISTED:
        rows.append(("", f"and {len(summary.moves) - _LISTED} more; the files name them all"))
    return [Padding(facts_of(rows), (0, 0, 0, 2))] if rows else []


def _concerns(needs: Sequence[NeedsHuman]) -> list[RenderableType]:
    rows = [(need.id, f"{need.concern}{f': {need.why}' if need.why else ''}") for need in needs[:_LISTED]]
    if len(needs) > _LISTED:
        rows.append(("", f"and {len(needs) - _LISTED} more; the files name them all"))
    return [Padding(facts_of(rows), (0, 0, 0, 2))] if rows else []


def _several(names: Sequence[str], shown: int = 3, between: str = ", ") -> str:
    more = f"{between}and {len(names) - shown} more" if len(names) > shown else ""
    return between.join(names[:shown]) + more


def _median(scores: Sequence[Fraction]) -> Fraction:
    middle = len(scores) // 2
    return scores[middle] if len(scores) % 2 else (scores[middle - 1] + scores[middle]) / 2


def _verdict(summary: ClassSummary) -> list[RenderableType]:
    handed_in = sum(row.assessment is not None for row in summary.rows)
    failed = sum(need.concern.name == "INTERNAL" for need in summary.needs_human)
    done = handed_in - summary.standings.get(Standing.INTERNAL, 0)
    head, colour = ("GRADED", "green") if summary.code is ExitCode.KEPT else ("NOT GRADED", "red")
    why = f"; the grader failed on {failed}, give the same command again" if failed else ""
    line = Text.assemble((head, f"bold {colour}"), f"  {done} of {handed_in} submissions have a verdict{why}")
    return [line]
