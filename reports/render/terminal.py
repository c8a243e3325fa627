"""What every page on a terminal is made of: facts, tables, and their way into a string of a given width."""

import io
from collections.abc import Sequence

from rich import box
from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.segment import Segment
from rich.table import Table
from rich.text import Text

from acidtest.mutants.model import Mutant
from acidtest.reports.render.html.clean import clean
from acidtest.reports.render.wording import call_of


def facts_of(rows: Sequence[tuple[str, str]], last: str = "") -> Table:
    """Return names and values in two columns; ``last`` is the style of the last value."""
    facts = Table.grid(padding=(0, 2))
    facts.add_column(style="dim", no_wrap=True)
    facts.add_column(overflow="fold")
    for number, (name, value) in enumerate(rows):
        facts.add_row(name, Text(value, style=last if number == len(rows) - 1 else ""))
    return facts


def table_of(*columns: str) -> Table:
    """Return an empty table with these headings."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, header_style="bold")
    for column in columns:
        table.add_column(column, overflow="fold")
    table.columns[0].no_wrap = columns[0] == "mutant"
    return table


def witness_of(mutant: Mutant) -> Table:
    """Return the call that shows the mistake, and both answers."""
    witness = mutant.witness
    return facts_of([("witness", call_of(witness)), ("reference", witness.reference), ("mutant", witness.mutant)])


class _Harmless:
    """Something to show, in which no text from outside steers the terminal."""

    def __init__(self, shown: RenderableType) -> None:
        self._shown = shown

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        for segment in console.render(self._shown, options):
            yield Segment(clean(segment.text), segment.style, segment.control)


def to_text(parts: Sequence[RenderableType], width: int, colour: bool) -> str:
    """Return the parts below one another as text, without blanks at the ends of lines.

    What would steer a terminal is written out, such as ``[U+001B]``: whoever wrote a title or a test's name cannot
    move the cursor, or hide what follows.
    """
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
        console.print(_Harmless(Group(*parts)))
    return "\n".join(line.rstrip() for line in capture.get().splitlines()) + "\n"
