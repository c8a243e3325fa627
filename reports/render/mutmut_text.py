"""What a terminal shows of mutmut beside the lab: both counts, and every difference with its reason."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from rich.console import RenderableType
from rich.padding import Padding
from rich.text import Text

from acidtest.reports.exits import ExitCode
from acidtest.reports.render.terminal import facts_of, to_text

if TYPE_CHECKING:
    from acidtest.reports.mutmut_command import Comparison


def mutmut_page(comparison: Comparison, width: int, colour: bool) -> str:
    """Return the page."""
    titles = {variant.id: variant.title for variant in comparison.variants}
    parts: list[RenderableType] = []
    for one in comparison.differences:
        lab = one.lab.replace("_", " ")
        parts.append(Text.assemble((one.variant, "bold"), f": the lab says {lab}, mutmut says {one.mutmut}"))
        parts.append(Padding(Text(titles[one.variant]), (0, 0, 0, 4)))
        parts.append(Padding(Text(f"{one.kind}: {one.reason}"), (0, 0, 0, 4)))
    parts += [Text(line, style="red") for line in comparison.wrong]
    if parts:
        parts.append(Text(""))
    agreed = len(comparison.variants) - len(comparison.differences)
    kinds = Counter(one.kind for one in comparison.differences)
    told = ", ".join(f"{number} {kind}" for kind, number in kinds.items())
    ours = Counter(status.replace("_", " ") for status in comparison.lab.values())
    theirs = Counter(verdict.status for verdict in comparison.mutmut.values())
    rows = [
        ("mutants", f"{len(comparison.variants)}, by mutmut {comparison.version}"),
        ("mutmut", f"{_counts(theirs)} in {comparison.mutmut_seconds:.1f} s"),
        ("the lab", f"{_counts(ours)} in {comparison.lab_seconds:.1f} s (first kill)"),
        ("they agree", f"on {agreed} of {len(comparison.variants)}{'; else ' + told if told else ''}"),
        ("unexplained", str(comparison.unexplained)),
        ("its files", comparison.folder),
    ]
    parts.append(facts_of(rows, "bold green" if comparison.code is ExitCode.KEPT else "bold red"))
    return to_text(parts, width, colour)


def _counts(counter: Counter[str]) -> str:
    return ", ".join(f"{number} {what}" for what, number in counter.most_common())
