"""What a terminal shows: every page as one string for a given width, with or without colour."""

import io
from collections.abc import Iterable, Mapping, Sequence

from rich import box
from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from acidtest.mutants.model import Mutant, Run, Test, Trial
from acidtest.reports.exits import ExitCode
from acidtest.reports.judge import Grade, Verdict, bears
from acidtest.reports.render.wording import call_of, complaint, conclusion, percent, source_of
from acidtest.reports.summary import Summary

WIDE = 120
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
    return _text([_facts(rows)], width, colour=False)


def run_page(summary: Summary, width: int, colour: bool) -> str:
    """Return the table of verdicts, what is wrong in detail, and the conclusions."""
    parts: list[RenderableType] = [_wide(summary) if width >= WIDE else _narrow(summary, width)]
    return _text([*parts, *_wrong(summary), _conclusions(summary)], width, colour)


def conclusions(summary: Summary, width: int, colour: bool) -> str:
    """Return the same without the table."""
    return _text([*_wrong(summary), _conclusions(summary)], width, colour)


def list_page(mutants: Sequence[Mutant], width: int, colour: bool) -> str:
    """Return the catalog as a table."""
    table = _table("mutant", "wrong behaviour", "in", "named killers")
    table.columns[3].overflow = "fold"
    for mutant in mutants:
        table.add_row(mutant.id, Text(mutant.title), Text(mutant.function), Text("\n".join(mutant.killers)))
    return _text([table], width, colour)


def tests_page(tests: Sequence[Test], mutants: Sequence[Mutant], width: int, colour: bool) -> str:
    """Return each test with its kind, what it checks, why that matters, and the mutants that name it."""
    parts: list[RenderableType] = []
    for chapter, title in ((True, "the chapter's tests"), (False, "tests that close its gaps")):
        chosen = [test for test in _first_of_each(tests) if test.chapter is chapter]
        if not chosen:
            continue
        if any(test.chapter for test in tests):
            parts.append(Text(f"{title} ({len(chosen)})", style="bold"))
        table = _table("test", "kind", "mutants")
        for test in chosen:
            cell = Text(test.id.split("[", 1)[0].rsplit("::", 1)[-1])
            if test.checks:
                cell.append(f"\n  {test.checks}", style="dim")
            if test.matters:
                cell.append(f"\n  matters: {test.matters}", style="dim")
            named = [mutant.id for mutant in mutants if any(bears(test, name) for name in mutant.killers)]
            table.add_row(cell, test.kind, Text(" ".join(named)))
        parts.append(table)
    return _text(parts, width, colour)


def show_page(
    mutant: Mutant, diff: str, kills: Sequence[Trial], examples: Mapping[str, str], told: str, width: int, colour: bool
) -> str:
    """Return one entry in full.

    Args:
        kills: the failed trials of the latest run. examples: shrunk failing example, by test id.
        told: which run they come from, or why there are none.
    """
    source = source_of(mutant)
    facts = [("in", f"{mutant.module}.{mutant.function}"), ("from", source)]
    parts: list[RenderableType] = [
        Text.assemble((mutant.id, "bold"), "  ", (mutant.title, "bold")),
        _facts(facts if source else facts[:1]),
        Padding(_diff(diff), (1, 2)),
        Text(" ".join(mutant.rationale.split())),
        Text(""),
        _witness(mutant),
        _facts([("killers  ", "\n".join(mutant.killers) or "none named")]),
        Text(""),
        Text(told),
    ]
    for trial in kills:
        file, _, name = trial.test.partition("::")
        line = Text.assemble("  ", (name, "bold"), (f"  {file.rsplit('/', 1)[-1]}", "dim"))
        parts.append(line)
        if trial.detail and (trial.test in examples or len(kills) < 4):
            parts.append(Padding(Text(_shortened(f"{trial.reason}: {trial.detail}"), style="dim"), (0, 0, 0, 6)))
        if trial.test in examples:
            parts.append(Padding(Text(examples[trial.test]), (0, 0, 0, 6)))
    return _text(parts, width, colour)


def _diff(diff: str) -> Text:
    styles = {"+": "green", "-": "red", "@": "cyan"}
    return Text("\n").join(Text(line, style=styles.get(line[:1], "")) for line in diff.splitlines())


def _shortened(text: str, room: int = 160) -> str:
    return text if len(text) <= room else text[: room - 1] + "…"


def claims_page(claims: Iterable[tuple[str, str, Sequence[str]]], width: int, colour: bool) -> str:
    """Return one line a kind of claim (what, how many hold, faults) and under it every fault."""
    table = Table.grid(padding=(0, 1))
    table.add_column()
    table.add_column(justify="right", min_width=8, no_wrap=True)
    table.add_column(overflow="fold")
    for what, count, faults in claims:
        mark = Text("✗", style="red") if faults else Text("✓", style="green")
        cell = Text("\n").join([Text(what), *(Text(f"- {fault}", style="red") for fault in faults)])
        table.add_row(mark, count, cell)
    return _text([table], width, colour)


def _narrow(summary: Summary, width: int) -> Table:
    table = _table("mutant", "wrong behaviour, and who killed it", "verdict")
    table.columns[1].ratio = 1
    table.expand = True
    room = width - 9 - 2 - 16  # the mutant's column, the plus sign, and the verdict's column with its padding
    for verdict in summary.verdicts:
        cell = Text(verdict.mutant.title)
        for line in _named(summary, verdict):
            cell.append("\n")
            cell.append_text(line)
        others = _others(summary, verdict)
        if others:
            cell.append(f"\n+ {_some(others, room)}", style="dim")
        table.add_row(verdict.mutant.id, cell, _grade(verdict))
    return table


def _wide(summary: Summary) -> Table:
    named = "named killers" if summary.contract else "killed by"
    table = _table("mutant", "wrong behaviour", named, "also killed by", "verdict")
    for verdict in summary.verdicts:
        cell = Text("\n").join(_named(summary, verdict))
        others = _some(_others(summary, verdict), 50)
        table.add_row(verdict.mutant.id, Text(verdict.mutant.title), cell, Text(others, style="dim"), _grade(verdict))
    if not summary.contract:
        table.columns[2].header, table.columns[3].header = "killed first by", "also by"
    return table


def _named(summary: Summary, verdict: Verdict) -> list[Text]:
    """Return the named killers, marked by whether they killed; without contract the first test that did."""
    if not summary.contract:
        return [Text.assemble(("✓", "green"), f" {name}") for name in verdict.killers[:1]]
    marks = {True: ("✗", "red"), False: ("✓", "green")}
    return [Text.assemble(marks[name in verdict.silent], f" {name}") for name in verdict.mutant.killers]


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
    parts: list[RenderableType] = []
    for verdict in summary.verdicts:
        if verdict.kept:
            continue
        mutant = verdict.mutant
        source = source_of(mutant)
        line = f" {mutant.title}: {complaint(verdict)}" + (f" ({source})" if source else "")
        parts.append(Text.assemble((mutant.id, "bold"), line))
        if verdict.grade in (Grade.SURVIVED, Grade.UNJUDGED):
            parts.append(Padding(_witness(mutant), (0, 0, 0, 4)))
        parts += [Padding(Text(told), (0, 0, 0, 4)) for told in _told(summary.run, verdict)]
    run = summary.run
    spoiled = [f"the unchanged code fails {t.test}: {t.reason} {t.detail}".rstrip() for t in run.baseline.failures]
    spoiled += run.problems or [f"{control.id}: {control.problem}" for control in run.controls if control.problem]
    parts += [Text(f"no verdict: {what}", style="red") for what in spoiled]
    return [*parts, Text("")] if parts else []


def _witness(mutant: Mutant) -> Table:
    witness = mutant.witness
    return _facts([("witness", call_of(witness)), ("reference", witness.reference), ("mutant", witness.mutant)])


def _told(run: Run, verdict: Verdict) -> list[str]:
    """Return what the trials say that did neither pass nor kill."""
    trials = run.matrix.of_variant(verdict.mutant.id)
    odd = [trial for trial in trials if trial.outcome not in ("passed", "failed", "skipped")]
    told = [
        f"{trial.test}: {trial.outcome.replace('_', ' ')} {trial.reason} {trial.detail}".rstrip() for trial in odd[:3]
    ]
    return [*told, f"and {len(odd) - 3} more"] if len(odd) > 3 else told


def _conclusions(summary: Summary) -> Table:
    run, counted = summary.run, summary.scores
    rows: list[tuple[str, str]] = []
    if summary.contract:
        rows.append(("promises", f"{summary.kept} of {len(summary.verdicts)} kept"))
    counts = ", ".join(f"{number} {status.replace('_', ' ')}" for status, number in counted.counts.items())
    rows.append(("mutants", counts or "none"))
    if counted.reason:
        rows.append(("score", f"none: {counted.reason}"))
    else:
        strict = f"{percent(counted.strict)} strict ({counted.killed} of {counted.valid} killed)"
        rows.append(("score", f"{strict}, {percent(counted.stryker)} as Stryker counts"))
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
    rows.append(("exit code", f"{int(summary.code)}: {conclusion(summary)}"))
    return _facts(rows, "bold green" if summary.code is ExitCode.KEPT else "bold red")


def _first_of_each(tests: Sequence[Test]) -> list[Test]:
    """Return one test of each name: parameters of one test are one row."""
    return list({test.id.split("[", 1)[0]: test for test in reversed(tests)}.values())[::-1]


def _facts(rows: Sequence[tuple[str, str]], last: str = "") -> Table:
    table = Table.grid(padding=(0, 2))
    table.add_column(style="dim", no_wrap=True)
    table.add_column(overflow="fold")
    for number, (name, value) in enumerate(rows):
        table.add_row(name, Text(value, style=last if number == len(rows) - 1 else ""))
    return table


def _table(*columns: str) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, header_style="bold")
    for column in columns:
        table.add_column(column, overflow="fold")
    table.columns[0].no_wrap = columns[0] == "mutant"
    return table


def _text(parts: Sequence[RenderableType], width: int, colour: bool) -> str:
    console = Console(
        file=io.StringIO(),
        width=width,
        force_terminal=colour,
        color_system="standard" if colour else None,
        no_color=not colour,
        highlight=False,
        markup=False,
        emoji=False,
        legacy_windows=False,
        _environ={},
    )
    with console.capture() as capture:
        console.print(Group(*parts))
    return "\n".join(line.rstrip() for line in capture.get().splitlines()) + "\n"
