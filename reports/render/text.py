"""What a terminal shows of a run: its header, the table of verdicts, what is wrong, and the conclusions."""

from collections.abc import Mapping, Sequence

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from acidtest.reports.exits import ExitCode
from acidtest.reports.judge import Grade, Scores, Verdict
from acidtest.reports.machine_made import MachineMade
from acidtest.reports.render.fields import cut
from acidtest.reports.render.grid_text import grid
from acidtest.reports.render.shares import percent
from acidtest.reports.render.survivor_text import NAME, TITLE, VALUE, blocks
from acidtest.reports.render.terminal import facts_of, table_of, to_text
from acidtest.reports.render.verdict import headline
from acidtest.reports.render.wording import conclusion
from acidtest.reports.summary import Summary

BESIDE = 60  # columns of a terminal for verdicts to stand beside titles
ROOM = 34  # columns for other killers' names that make a column of their own worth while
_STYLES = {
    Grade.EXACT: "green",
    Grade.SUPERSET: "green",
    Grade.KILLED: "green",
    Grade.PARTIAL: "yellow",
    Grade.UNJUDGED: "magenta",
}


def header(workload: str, suite: str, seed: int, mode: str, jobs: int, versions: Mapping[str, str], width: int) -> str:
    """Return what is about to run: everything that one needs to run it again."""
    rows = [
        ("workload", workload),
        ("tests", suite),
        ("seed", f"{seed}, {mode} mode, {jobs} {'job' if jobs == 1 else 'jobs'}"),
        ("versions", ", ".join(f"{name} {version}" for name, version in versions.items())),
    ]
    return to_text([facts_of(rows)], width, colour=False)


def run_page(summary: Summary, width: int, colour: bool) -> str:
    """Return what is wrong in a line, the matrix, the table of verdicts, what is wrong in detail, the conclusions."""
    room = width - _taken(summary)
    table = _wide(summary, room) if room >= ROOM else _narrow(summary, width)
    first = [*_verdict(summary), *grid(summary, width)]
    parts = [*([Text("")] if first else []), *first, *([table] if summary.verdicts else []), *_wrong(summary)]
    return to_text([*parts, _conclusions(summary)], width, colour)


def conclusions(summary: Summary, width: int, colour: bool) -> str:
    """Return the same without the matrix and the table."""
    return to_text([*_verdict(summary), *_wrong(summary), _conclusions(summary)], width, colour)


def _verdict(summary: Summary) -> list[RenderableType]:
    """Return the verdict, where it is not that all is well."""
    if summary.code is ExitCode.KEPT:
        return []
    return [Text(cut(headline(summary), VALUE), style="bold red"), Text("")]


def _narrow(summary: Summary, width: int) -> Table:
    """Return the table with killers below titles; where that is still too wide, verdicts stand above them."""
    beside = width >= BESIDE
    columns = ("wrong behaviour, and who killed it", "verdict") if beside else ("verdict, and who killed it",)
    table = table_of("mutant", *columns)
    table.columns[1].ratio = 1
    table.expand = True
    room = width - 9 - 2 - (16 if beside else 0)  # the mutant's column, the plus sign, the verdict's column
    for verdict in summary.verdicts:
        title = Text(cut(verdict.mutant.title, TITLE))
        cell = title if beside else Text("\n").join([_grade(verdict), title])
        for line in _named(summary, verdict):
            cell.append("\n")
            cell.append_text(line)
        others = _others(summary, verdict)
        if others:
            cell.append(f"\n+ {_some(others, room)}", style="dim")
        table.add_row(cut(verdict.mutant.id, NAME), cell, *([_grade(verdict)] if beside else []))
    return table


def _taken(summary: Summary) -> int:
    """Return how many columns the wide table takes without its column of other killers."""
    titles = max((len(verdict.mutant.title) for verdict in summary.verdicts), default=0)
    names = max((len(line) for verdict in summary.verdicts for line in _named(summary, verdict)), default=0)
    grades = max((len(_grade(verdict)) for verdict in summary.verdicts), default=0)
    return len(" mutant") + titles + names + grades + 4 * 3 + 1


def _wide(summary: Summary, room: int) -> Table:
    headings = ("named killers", "also killed by") if summary.contract else ("killed first by", "also by")
    table = table_of("mutant", "wrong behaviour", *headings, "verdict")
    for verdict in summary.verdicts:
        cell = Text("\n").join(_named(summary, verdict))
        others = Text(_some(_others(summary, verdict), room), style="dim")
        table.add_row(
            cut(verdict.mutant.id, NAME), Text(cut(verdict.mutant.title, TITLE)), cell, others, _grade(verdict)
        )
    return table


def _named(summary: Summary, verdict: Verdict) -> list[Text]:
    """Return the named killers, marked by whether they killed; without contract the first test that did."""
    if not summary.contract:
        return [Text.assemble(("✓", "green"), f" {cut(name, TITLE)}") for name in verdict.killers[:1]]
    marks = {True: ("✗", "red"), False: ("✓", "green")}
    return [Text.assemble(marks[name in verdict.silent], f" {cut(name, TITLE)}") for name in verdict.mutant.killers]


def _others(summary: Summary, verdict: Verdict) -> list[str]:
    if not summary.contract:
        return list(verdict.killers[1:])
    named = {name.rsplit("::", 1)[-1] for name in verdict.mutant.killers}
    return [name for name in verdict.killers if name not in named]


def _some(names: Sequence[str], room: int) -> str:
    """Return as many names as fit into ``room`` columns, and how many more there are."""
    for shown in range(len(names), 0, -1):
        more = len(names) - shown
        line = ", ".join(names[:shown]) + (f" and {more} more" if more else "")
        if len(line) <= room:
            return line
    return f"{len(names)} {'other' if len(names) == 1 else 'others'}" if names else ""


def _grade(verdict: Verdict) -> Text:
    if verdict.grade is Grade.UNJUDGED:
        return Text(verdict.status.replace("_", " "), style="magenta")
    if verdict.mutant.expect == "survived" and verdict.kept:
        return Text("survived, as expected", style="green")
    label = "no coverage" if verdict.status == "no_coverage" else verdict.grade.replace("_", " ")
    return Text(label, style=_STYLES.get(verdict.grade, "red"))


def _wrong(summary: Summary) -> list[RenderableType]:
    """Return what has to be looked at, mutant by mutant, and what spoils the verdict as a whole."""
    run = summary.run
    spoiled = [f"the unchanged code fails {t.test}: {t.reason} {t.detail}".rstrip() for t in run.baseline.failures]
    spoiled += run.problems or [f"{control.id}: {control.problem}" for control in run.controls if control.problem]
    parts: list[RenderableType] = [Text(cut(f"no verdict: {what}", VALUE), style="red") for what in spoiled]
    return [*blocks(summary), *parts, *([Text("")] if parts else [])]


def _counts(counted: Scores) -> str:
    counts = ", ".join(f"{number} {status.replace('_', ' ')}" for status, number in counted.counts.items())
    return counts or "none"


def _score(counted: Scores) -> str:
    if counted.reason:
        return f"none: {cut(counted.reason, VALUE)}"
    strict = f"{percent(counted.strict)} strict ({counted.killed} of {counted.valid} killed)"
    return f"{strict}, {percent(counted.stryker)} as Stryker counts"


def _certified(made: MachineMade) -> list[tuple[str, str]]:
    """Return what is said of the generated mutants that were left out, and of certificates that could not be used."""
    rows: list[tuple[str, str]] = []
    if made.certified:
        words = f", of which {made.messages} only in the words of an error" if made.messages else ""
        rows.append(("left out", f"{len(made.certified)} generated, certified equal on D{words}"))
        without = f", {percent(made.without_messages)} without those words" if made.messages else ""
        if made.raw is not None:
            rows.append(("raw score", f"{percent(made.raw)} if they count as survivors{without}"))
    if made.stale:
        one = made.stale == 1
        told = "certificate is" if one else "certificates are"
        rows.append(("stale", f"{made.stale} {told} for another D than today's, and not used"))
    return rows


def _conclusions(summary: Summary) -> Table:
    run, counted = summary.run, summary.scores
    rows: list[tuple[str, str]] = []
    if summary.contract and summary.verdicts:
        rows.append(("promises", f"{summary.kept} of {len(summary.verdicts)} kept"))
    made = summary.generated
    if summary.verdicts or made is None:
        rows += [("mutants", _counts(counted)), ("score", _score(counted))]
    if made is not None:
        rows += [("generated", _counts(made.scores)), ("score", _score(made.scores)), *_certified(made)]
    if summary.fail_under is not None:
        rows.append(("asked for", f"{float(summary.fail_under):g}% strict (--fail-under)"))
    bad = [control.id for control in run.controls if control.problem]
    behaved = f"{len(run.controls) - len(bad)} of {len(run.controls)} behaved"
    rows.append(("controls", behaved + (f"; not {', '.join(bad)}" if bad else "")))
    bodies = sum(test.seconds for test in run.baseline.tests)
    rows.append(("baseline", f"{len(run.baseline.tests)} tests, their bodies {bodies:.1f} s"))
    kept = f"; {run.resumed} trials kept from an interrupted run" if run.resumed else ""
    parts = f"the mutants {run.lab_seconds:.1f} s, of which the tests' own bodies {run.test_seconds:.1f} s"
    rows.append(("time", f"{run.seconds:.1f} s: {parts}{kept}"))
    rows.append(("exit code", cut(f"{int(summary.code)}: {conclusion(summary)}", VALUE)))
    return facts_of(rows, "bold green" if summary.code is ExitCode.KEPT else "bold red")
