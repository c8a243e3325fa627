"""What a terminal shows of the catalog and the tests: pages as strings for a given width."""

from collections.abc import Iterable, Mapping, Sequence

from rich.console import RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from acidtest.mutants.model import Mutant, Test, Trial
from acidtest.reports.judge import bears
from acidtest.reports.render.terminal import facts_of, table_of, to_text, witness_of


def list_page(mutants: Sequence[Mutant], width: int, colour: bool) -> str:
    """Return the catalog as a table."""
    table = table_of("mutant", "wrong behaviour", "in", "named killers")
    table.columns[3].overflow = "fold"
    for mutant in mutants:
        table.add_row(mutant.id, Text(mutant.title), Text(mutant.function), Text("\n".join(mutant.killers)))
    return to_text([table], width, colour)


def tests_page(tests: Sequence[Test], mutants: Sequence[Mutant], width: int, colour: bool) -> str:
    """Return each test with its kind, what it checks, why that matters, and the mutants that name it."""
    parts: list[RenderableType] = []
    for chapter, title in ((True, "the chapter's tests"), (False, "tests that close its gaps")):
        chosen = [test for test in _first_of_each(tests) if test.chapter is chapter]
        if not chosen:
            continue
        if any(test.chapter for test in tests):
            parts.append(Text(f"{title} ({len(chosen)})", style="bold"))
        table = table_of("test", "kind", "mutants")
        for test in chosen:
            cell = Text(test.id.split("[", 1)[0].rsplit("::", 1)[-1])
            if test.checks:
                cell.append(f"\n  {test.checks}", style="dim")
            if test.matters:
                cell.append(f"\n  matters: {test.matters}", style="dim")
            named = [mutant.id for mutant in mutants if any(bears(test, name) for name in mutant.killers)]
            table.add_row(cell, test.kind, Text(" ".join(named)))
        parts.append(table)
    return to_text(parts, width, colour)


def show_page(
    mutant: Mutant, diff: str, kills: Sequence[Trial], examples: Mapping[str, str], told: str, width: int, colour: bool
) -> str:
    """Return one entry in full.

    Args:
        kills: the failed trials of the latest run. examples: shrunk failing example, by test id.
        told: which run they come from, or why there are none.
    """
    facts = [("in", f"{mutant.module}.{mutant.function}")]
    facts += [("pitfall", str(mutant.pitfall))] if mutant.pitfall is not None else []
    facts += [("origin", mutant.origin)] if mutant.origin else []
    parts: list[RenderableType] = [
        Text.assemble((mutant.id, "bold"), "  ", (mutant.title, "bold")),
        facts_of(facts),
        Padding(_diff(diff), (1, 2)),
        Text(" ".join(mutant.rationale.split())),
        Text(""),
        witness_of(mutant),
        facts_of([("killers  ", "\n".join(mutant.killers) or "none named")]),
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
    return to_text(parts, width, colour)


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
    return to_text([table], width, colour)


def _diff(diff: str) -> Text:
    styles = {"+": "green", "-": "red", "@": "cyan"}
    return Text("\n").join(Text(line, style=styles.get(line[:1], "")) for line in diff.splitlines())


def _shortened(text: str, room: int = 160) -> str:
    return text if len(text) <= room else text[: room - 1] + "…"


def _first_of_each(tests: Sequence[Test]) -> list[Test]:
    """Return one test of each name: parameters of one test are one row."""
    return list({test.id.split("[", 1)[0]: test for test in reversed(tests)}.values())[::-1]
