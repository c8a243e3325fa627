"""What a terminal shows of a suite's gaps: each survivor's call, what it means, who came near, and a test to paste."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rich.console import RenderableType
from rich.padding import Padding
from rich.text import Text

from acidtest.mutants.model import Finding, Variant, Witness
from acidtest.mutants.repetition import argument_text
from acidtest.reports.context import shown
from acidtest.reports.differences import differences, exact_numbers
from acidtest.reports.emit import paste_text
from acidtest.reports.gaps import Gap, Gaps
from acidtest.reports.nearest import Miss, Nearest
from acidtest.reports.render.terminal import facts_of, to_text

MEANING = (
    "nearest: a test that makes a call which is answered differently and passes; else, among the tests that execute "
    "the changed code, the one whose call differs least from the witness: by the number of arguments, then by the "
    "sum of their absolute differences"
)


def gaps_page(gaps: Gaps, suite: str, told: str, root: Path, width: int, colour: bool) -> str:
    """Return the whole page.

    Args:
        told: which run the survivors come from. root: what paths are shown relative to.
    """
    opening = to_text([facts_of([("tests", suite), ("run", told)]), Text("")], width, colour)
    texts = [opening]
    for gap in gaps.gaps:
        texts.append(to_text(_gap(gap, gaps.wheats, root), width, colour))
        texts.append(_to_copy(gap, root))
    parts = _others("equal on D", gaps.equal) + _others("undecided", gaps.undecided)
    if gaps.listed:
        parts += [Text("without a verdict", style="bold")]
        parts += [Text(f"  {name}: {status.replace('_', ' ')}") for name, status in gaps.listed]
        parts.append(Text(""))
    parts.append(facts_of(_conclusions(gaps)))
    return "".join([*texts, to_text(parts, width, colour)])


def _gap(gap: Gap, wheats: int, root: Path) -> list[RenderableType]:
    witness = gap.witness
    facts = [
        ("in", f"{gap.variant.module}" + (f", line {gap.variant.span[0]}" if gap.variant.span else "")),
        ("call", call_text(witness.function, witness.args)),
        ("reference", exact_numbers(witness.reference)),
        ("mutant", exact_numbers(witness.mutant)),
        ("differs in", "; ".join(differences(witness.reference, witness.mutant)) or "the answer"),
    ]
    facts += [("rule", gap.told.rule)] if gap.told.rule else []
    facts += [("severity", gap.told.severity)] if gap.told.severity else []
    facts.append(("nearest", _near(gap.nearest, witness, root)))
    head = Text.assemble((gap.variant.id, "bold"), "  ", (_shortened(gap.variant.title), "bold"))
    parts: list[RenderableType] = [head, Padding(facts_of(facts), (0, 0, 0, 2)), Text("")]
    if gap.test is None:
        return [*parts, Text(f"  no test to paste: {gap.problem}", style="red"), Text("")]
    ran = (
        f"the reference and on {wheats} other right implementations" if wheats else "the reference, the only right code"
    )
    return [
        *parts,
        Text(f"  test to paste; passes on {ran}; fails on {gap.variant.id}:", style="dim"),
        Text(""),
    ]


def _to_copy(gap: Gap, root: Path) -> str:
    """Return what is there to be copied, unindented and whatever the width: the test, and the property's example."""
    if gap.test is None:
        return ""
    text = f"{paste_text(gap.test)}\n\n"
    if gap.example is not None:
        place = f"{gap.example.property} in {shown(gap.example.path, root)}"
        lines = "".join(f"{line}\n" for line in (*gap.example.imports, gap.example.line))
        text += f"  or one more example, right above {place}, which then fails on it too:\n\n{lines}\n\n"
    return text


def call_text(function: str, args: Mapping[str, Any]) -> str:
    """Return a call as a person would write it, with exact numbers."""
    return exact_numbers(f"{function}({', '.join(f'{name}={argument_text(value)}' for name, value in args.items())})")


def _near(near: Nearest, witness: Witness, root: Path) -> str:
    if near.args is None:
        return f"{near.test}: {near.miss}" if near.test else str(near.miss)
    name = near.test.rpartition("/")[2]
    call = call_text(witness.function, near.args)
    if near.miss is Miss.DID_NOT_LOOK:
        what = "; ".join(differences(near.reference, near.mutant)) or "the answer"
        return f"{name} calls {call}, where the mutant differs ({what}), and passes: it does not look at that"
    apart = f"it differs from the witness in {', '.join(near.differs)}" if near.differs else "it is the witness itself"
    calls, tests = near.compared
    among = f"of {calls} different calls of {tests} tests that were compared"
    if near.miss is Miss.NOT_REACHED:
        return f"{name} calls {call}, but no test executes the changed code; {apart} (the nearest {among})"
    answer = f", where both answer {exact_numbers(near.reference)}" if near.reference else ""
    return f"{name} calls {call}{answer}; {apart} (the nearest {among})"


def _others(title: str, found: Sequence[tuple[Variant, Finding]]) -> list[RenderableType]:
    if not found:
        return []
    domains = ", ".join(dict.fromkeys(finding.domain for _, finding in found))
    parts: list[RenderableType] = [Text(f"{title} ({len(found)}), D is {domains}", style="bold")]
    for variant, finding in found:
        what = finding.why or f"{finding.searched} calls compared in {finding.seconds:.1f} s"
        parts.append(Text(f"  {variant.id}  {_shortened(variant.title)}"))
        parts.append(Text(f"      {_shortened(what)}", style="dim"))
    return [*parts, Text("")]


def _shortened(text: str, room: int = 160) -> str:
    return text if len(text) <= room else text[: room - 1] + "…"


def _conclusions(gaps: Gaps) -> list[tuple[str, str]]:
    survivors = len(gaps.gaps) + len(gaps.equal) + len(gaps.undecided)
    rows = [
        ("survivors", f"{survivors}: {len(gaps.gaps)} distinct, {len(gaps.equal)} equal on D, "
                      f"{len(gaps.undecided)} undecided"),
        ("to paste", f"{len(gaps.tests)} tests for {len(gaps.gaps)} gaps, each run before it is shown"),
    ]  # fmt: skip
    with_example = [gap for gap in gaps.gaps if gap.example is not None]
    if gaps.gaps:
        rows.append(("examples", f"{len(with_example)} gaps closed by one more example of a property"))
        rows.append(("words", MEANING))
    return rows
