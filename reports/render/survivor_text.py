"""What a terminal shows of each mutant that is not as it should be: one block a mutant, the first ones in full."""

from collections.abc import Sequence

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from acidtest.mutants.model import Mutant, Run, Status, Trial
from acidtest.reports.judge import Grade, Verdict
from acidtest.reports.machine_made import MachineMade, Tried
from acidtest.reports.render.fields import cut
from acidtest.reports.render.html.clean import clean
from acidtest.reports.render.wording import call_of, complaint, source_of
from acidtest.reports.summary import Summary

BLOCKS = 12
"""How many mutants of the catalog, and how many generated ones, have a block of their own."""
NAME, TITLE, VALUE = 120, 300, 2000
"""How many characters a name, a title and a value may have."""
_LINES = 4
_SENTENCES = {Status.SURVIVED: "survived every test", Status.NO_COVERAGE: "no test reaches the changed code"}


def blocks(summary: Summary) -> list[RenderableType]:
    """Return what has to be looked at, mutant by mutant."""
    broken = [verdict for verdict in summary.verdicts if not verdict.kept]
    parts: list[RenderableType] = []
    for verdict in broken[:BLOCKS]:
        parts += [_block(summary.run, verdict), Text("")]
    parts += _others([verdict.mutant.id for verdict in broken[BLOCKS:]], "acidtest show")
    made = summary.generated
    wrong = [*made.alive, *made.unjudged] if made is not None else []
    for one in wrong[:BLOCKS]:
        parts += [_generated(one), Text("")]
    parts += _others([one.variant.id for one in wrong[BLOCKS:]], "acidtest witness")
    if _alive(broken, made):
        parts += [Text("`acidtest gaps` writes a test for each survivor.", style="dim"), Text("")]
    return parts


def _alive(broken: Sequence[Verdict], made: MachineMade | None) -> bool:
    return bool(made and made.alive) or any(verdict.grade is Grade.SURVIVED for verdict in broken)


def _others(ids: Sequence[str], command: str) -> list[RenderableType]:
    """Return the mutants that have no block, by their ids."""
    if not ids:
        return []
    shown = [clean(cut(name, NAME)) for name in ids]
    return [Text(f"and {len(ids)} more (`{command} {shown[0]}`): {', '.join(shown)}"), Text("")]


def _block(run: Run, verdict: Verdict) -> RenderableType:
    mutant, facts = verdict.mutant, list[tuple[str, str | Text]]()
    if source_of(mutant):
        facts.append(("from", source_of(mutant)))
    if verdict.grade in (Grade.SURVIVED, Grade.UNJUDGED, Grade.UNVIABLE):
        witness = mutant.witness
        facts += [("in", f"{mutant.module}.{mutant.function}"), ("change", _change(mutant))]
        facts += [("witness", call_of(witness)), ("reference", witness.reference), ("mutant", witness.mutant)]
    odd = _odd(list(run.matrix.of_variant(mutant.id)))
    return _laid_out(mutant.id, mutant.title, complaint(verdict), facts, odd)


def _generated(one: Tried) -> RenderableType:
    variant = one.variant
    place = f"{variant.module.replace('.', '/')}.py" + (f":{variant.span[0]}" if variant.span else "")
    what = _SENTENCES.get(one.status, f"neither killed nor survived: {one.status.replace('_', ' ')}")
    return _laid_out(variant.id, variant.title, what, [("in", place)], _odd(one.odd))


def _laid_out(
    name: str, title: str, what: str, facts: Sequence[tuple[str, str | Text]], odd: Sequence[str]
) -> RenderableType:
    """Return a block: the mutant in a line, below it what became of it, what is known of it, what its tests said."""
    table = Table.grid(padding=(0, 2))
    table.add_column(style="dim", no_wrap=True)
    table.add_column(overflow="fold")
    for label, value in facts:
        table.add_row(label, _text(value) if isinstance(value, str) else value)
    below: list[RenderableType] = [_text(what, "red"), *([table] if facts else []), *map(_text, odd)]
    head = Text.assemble((clean(cut(name, NAME)), "bold"), "  ", clean(cut(title, TITLE)))
    return Group(head, *(Padding(part, (0, 0, 0, 4)) for part in below))


def _text(text: str, style: str = "") -> Text:
    return Text(clean(cut(text, VALUE)), style=style)


def _change(mutant: Mutant) -> Text:
    """Return the edits as removed and added lines, each cut after a few."""
    found = Text()
    for edit in mutant.edits:
        if edit.before is not None:
            _add(found, "-", edit.before, "red")
        _add(found, "+", edit.after, "green")
    return found


def _add(found: Text, sign: str, code: str, style: str) -> None:
    lines = clean(code).strip("\n").split("\n")
    shown = [*lines[:_LINES], *(["…"] if len(lines) > _LINES else [])]
    for line in shown:
        found.append("\n" if found else "")
        found.append(f"{sign} {cut(line, TITLE)}", style=style)


def _odd(trials: Sequence[Trial]) -> list[str]:
    """Return what the trials say that did neither pass nor kill, three at most."""
    odd = [trial for trial in trials if trial.outcome not in ("passed", "failed", "skipped")]
    told = [f"{t.test}: {t.outcome.replace('_', ' ')} {t.reason} {t.detail}".rstrip() for t in odd[:3]]
    return [*told, f"and {len(odd) - 3} more"] if len(odd) > 3 else told
