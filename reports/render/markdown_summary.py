"""A judged run as a few lines of Markdown for a pull request: the verdict, the scores, what survived."""

from collections.abc import Iterable

from acidtest.reports.exits import ExitCode
from acidtest.reports.judge import Scores
from acidtest.reports.render.fields import cut
from acidtest.reports.render.html.survivor import Survivor, survivors_of
from acidtest.reports.render.markdown_text import code, fence, prose
from acidtest.reports.render.shares import percent
from acidtest.reports.render.verdict import alerts, headline, left_out, spoiled
from acidtest.reports.render.wording import complaint
from acidtest.reports.run_report import RunReport

ROWS, BLOCKS = 20, 10
"""How many survivors the table lists, and how many are shown with diff and test."""
CELL, NAME, LINES = 120, 80, 60
"""How many characters a cell and a name may have, and how many lines a block."""
ROOM = 60_000
"""How many characters the summary may have; a comment on GitHub has 65,536 at most."""
_MARKS = {ExitCode.KEPT: "✅", ExitCode.UNDECIDED: "⚠️"}


def summary_document(report: RunReport) -> str:
    """Return the summary, short enough for a comment.

    What a reader must know stands open, the rest is collapsed. No text from outside is taken for markup.
    """
    mark = _MARKS.get(report.summary.code, "❌")
    parts = [f"## {mark} {prose(cut(headline(report.summary), 300))}", *_alerts(report), _scores(report)]
    alive = [] if spoiled(report.summary.run) else [one for one in survivors_of(report) if not one.expected]
    if alive:
        parts.append(_table(alive))
        parts += [_collapsed(f"{prose(cut(one.id, NAME))}: how to notice it", _block(one)) for one in alive[:BLOCKS]]
    broken = [v for v in report.summary.verdicts if not v.kept and v.mutant.id not in {one.id for one in alive}]
    if broken and not spoiled(report.summary.run):
        lines = [f"- {code(cut(v.mutant.id, NAME))} {prose(cut(complaint(v), 300))}" for v in broken[:ROWS]]
        parts.append(_collapsed("Promises that are not kept", "\n".join([*lines, *_more(len(broken) - ROWS)])))
    aside = [f"- {prose(cut(line, 400))}" for line in left_out(report)]
    parts.append(_collapsed("What was not judged", "\n".join(aside) or "Nothing was left out."))
    parts.append(_collapsed("How it was run", _facts(report)))
    return "\n\n".join(_within(part for part in parts if part)) + "\n"


def _within(parts: Iterable[str]) -> list[str]:
    """Return the parts that there is room for, the first ones first, and say how many there is none for."""
    found: list[str] = []
    room, left = ROOM, 0
    for part in parts:
        if len(part) + 2 > room:
            left += 1
            continue
        found.append(part)
        room -= len(part) + 2
    return [*found, f"Not shown for want of room: {left} parts of this summary."] if left else found


def _alerts(report: RunReport) -> list[str]:
    """Return what a reader has to know first, a quoted paragraph each."""
    found = []
    for alert in alerts(report):
        lines = [f"> **{prose(alert.title)}**"]
        if alert.anchor != "survivors":  # those have a table of their own
            lines += [f"> - {code(cut(line, 300))}" for line in alert.lines]
            lines += [f"> {line}" for line in _more(alert.more)]
        found.append("\n".join(lines))
    return found


def _scores(report: RunReport) -> str:
    summary, made = report.summary, report.summary.generated
    lines = ["| | mutants killed | strict score | as Stryker counts |", "|---|---|---|---|"]
    if summary.verdicts or made is None:
        lines.append(_row("catalog", summary.scores))
    if made is not None:
        lines.append(_row("generated", made.scores))
    kept = f"Promises kept: {summary.kept} of {len(summary.verdicts)}." if summary.contract and summary.verdicts else ""
    return "\n".join(lines) + (f"\n\n{kept}" if kept and not spoiled(summary.run) else "")


def _row(name: str, counted: Scores) -> str:
    if counted.reason:
        return f"| {name} | no score | {prose(cut(counted.reason, CELL))} | |"
    killed = f"{counted.killed} of {counted.valid}"
    return f"| {name} | {killed} | {percent(counted.strict)} | {percent(counted.stryker)} |"


def _table(alive: list[Survivor]) -> str:
    lines = ["| survivor | where | what it does | a call that shows it |", "|---|---|---|---|"]
    for one in alive[:ROWS]:
        shown = one.call if one.call else one.state
        cells = [code(cut(one.id, NAME)), code(cut(one.place, CELL)), prose(cut(one.title, CELL))]
        lines.append(f"| {' | '.join(cells)} | {code(cut(shown, CELL))} |")
    return "\n".join([*lines, *(f"\n{line}" for line in _more(len(alive) - ROWS))])


def _block(one: Survivor) -> str:
    """Return a survivor's change, both answers, and a test to paste where there is one."""
    parts = [fence(_lines(one.diff), "diff")] if one.diff else []
    facts = [("the reference answers", one.reference), ("the mutant answers", one.mutant), ("severity", one.severity)]
    facts += [("nearest test", one.nearest), ("no test to paste", one.problem)]
    parts.append("\n".join(f"- {name}: {code(cut(value, 300))}" for name, value in facts if value))
    if one.test:
        parts.append(fence(_lines(one.test), "python"))
    return "\n\n".join(part for part in parts if part)


def _lines(text: str) -> str:
    """Return the first lines of a text, none of them longer than a screen is wide."""
    lines = [cut(line, 200) for line in text.split("\n")]
    return "\n".join([*lines[:LINES], *(["…"] if len(lines) > LINES else [])])


def _facts(report: RunReport) -> str:
    summary, run = report.summary, report.summary.run
    versions = ", ".join(f"{name} {version}" for name, version in run.versions.items())
    facts = [
        ("tests", summary.suite),
        ("number of tests", str(len(run.matrix.tests))),
        ("seed", str(run.seed)),
        ("mode", run.mode.value),
        ("time", f"{run.seconds:.1f} s"),
        ("versions", versions),
        ("exit code", str(int(summary.code))),
    ]
    return "\n".join(f"- {name}: {code(cut(value, 300))}" for name, value in facts)


def _collapsed(title: str, body: str) -> str:
    """Return a body that opens when its title, which is Markdown already, is clicked."""
    return f"<details>\n<summary>{title}</summary>\n\n{body}\n\n</details>"


def _more(count: int) -> list[str]:
    return [f"and {count} more"] if count > 0 else []
