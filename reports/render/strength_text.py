"""What a terminal shows of a suite's strength: the numbers, where they come from, and last what to do."""

from collections.abc import Sequence
from fractions import Fraction

from rich.console import RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from acidtest.reports.advice import advice, count_of
from acidtest.reports.power import SURE, Ledger
from acidtest.reports.render.shares import percent
from acidtest.reports.render.terminal import facts_of, table_of, to_text
from acidtest.reports.strength import Strength
from acidtest.reports.subsumption import Side
from acidtest.reports.triggers import Trigger

SHOWN = 10
"""How many rows of a list are shown; the JSON document has them all."""


def strength_page(strength: Strength, workload: str, suite: str, seed: int, width: int, colour: bool) -> str:
    """Return the whole page."""
    head = facts_of([("workload", workload), ("tests", suite), ("seed", str(seed))])
    parts: list[RenderableType] = [head, Text(""), _numbers(strength)]
    sections: tuple[tuple[str, list[RenderableType]], ...] = (
        ("dominators: kill these and you kill all", _dominators(strength)),
        ("tests against domain", _domain(strength)),
        ("size control: is the suite good, or only big?", _sizes(strength)),
        ("conjectures over the mutants", _conjectures(strength)),
        ("kill confidence", _confidence(strength)),
        ("inputs to kill", _inputs(strength)),
        ("trigger rates: examples of each family that reach the fault, in percent", _triggers(strength.triggers or ())),
        *((f"power of {strength.name(row.sampled.test)}", _ledger(row)) for row in strength.ledgers or ()),
        ("not measured", [Text(f"- {note}") for note in strength.notes]),
        ("what to do", _advice(strength)),
    )
    for title, body in sections:
        if body:
            parts += [Text(""), Text(title, style="bold"), *(Padding(part, (0, 0, 0, 2)) for part in body)]
    return to_text(parts, width, colour)


def _numbers(strength: Strength) -> Table:
    kills, cover = strength.kills, strength.cover
    total = len(strength.dominators) + len(strength.pool.survivors)
    pool = " that these tests and the workload's own make" if len(strength.pool.tests) != len(kills.tests) else ""
    groups = count_of(strength.classes, "class", "classes")
    first = count_of(strength.dominators, "dominator", "dominators")
    optima = f"{cover.optima}" if cover.counted else f"at least {cover.optima}"
    seeds = strength.confidence.matrices if strength.confidence is not None else 1
    alone = [mutant for mutants in strength.sole.values() for mutant in mutants]
    rows = [
        ("strict score", f"{len(kills.killed)} of {len(kills.killers)} mutants killed, {percent(strength.score)}"),
        ("dominator score", f"{percent(strength.dominator_score)} of {total} classes{pool}"),
        ("subsumption", f"{groups} of mutants by their killers, {first}, {count_of(strength.edges, 'edge', 'edges')}"),
        *([("kills of", f"all {seeds} seeds in what follows, luck left out")] if seeds > 1 else []),
        ("smallest suite", f"{cover.size} of {len(kills.tests)} tests kill the same; {optima} such"),
        ("core", f"{count_of(cover.core, 'test is', 'tests are')} in every one of them"),
        ("sole killers", f"{count_of(alone, 'mutant is', 'mutants are')} killed by a single test"),
        ("redundant", f"{count_of(strength.redundant, 'test', 'tests')}; {len(strength.idle)} more kill nothing"),
    ]
    return facts_of(rows)


def _dominators(strength: Strength) -> list[RenderableType]:
    if not strength.dominators:
        return []
    table = table_of("mutants", "killed by")
    for group in strength.dominators[:SHOWN]:
        table.add_row(" ".join(group.mutants), Text(_some([strength.name(str(test)) for test in group.marks], 3)))
    return [table, *_more(len(strength.dominators))]


def _domain(strength: Strength) -> list[RenderableType]:
    domain = strength.domain
    if domain is None:
        return []
    tests = [pair for pair in domain.pairs if pair.side is Side.TESTS]
    others = [pair for pair in domain.pairs if pair.side is Side.DOMAIN]
    together = sum(pair.together for pair in tests)
    lines = [
        f"D has {domain.calls} calls ({domain.hash}). By the calls that show them the mutants fall into "
        f"{count_of(range(domain.classes), 'class', 'classes')}; dominators: {len(domain.dominators)}.",
        f"Ordered pairs that the tests subsume and D does not: {len(tests)}. Whatever kills the first kills the "
        f"second, yet calls show the first alone. Of these with equal killers: {together}.",
        f"Ordered pairs that D subsumes and the tests do not: {len(others)}. A test calls outside D, calls more "
        "than one function, or asserts less than the answer.",
    ]
    if domain.silent:
        lines.append(f"No call of D shows {', '.join(domain.silent)}.")
    return [Text(line) for line in lines]


def _sizes(strength: Strength) -> list[RenderableType]:
    table = table_of("tests", "random sub-suites: lowest", "median", "highest", "beside")
    for column in table.columns[:4]:
        column.justify = "right"
    spreads = {spread.size: spread for spread in strength.spreads}
    best = strength.cover.size
    sizes = {size for size in (1, 2, 5, 10, 20, 40, best, len(spreads)) if size in spreads}
    sizes |= {part.size for part in strength.parts}
    for size in sorted(sizes):
        beside = [f"{p.name} {percent(p.score)}, above {percent(p.beats)}" for p in strength.parts if p.size == size]
        if size == best:
            beside.insert(0, f"a smallest suite {percent(strength.score)}")
        spread = spreads[size]
        row = (spread.low, spread.median, spread.high)
        table.add_row(str(size), *(percent(share) for share in row), Text("\n".join(beside)))
    return [table] if spreads else []


def _conjectures(strength: Strength) -> list[RenderableType]:
    lines = []
    for item in strength.conjectures[:SHOWN]:
        names = _some([strength.name(test) for test in item.stronger], 2)
        told = f"{percent(item.strength)} ({item.killed} mutants)"
        if item.weaker:
            others = _some([strength.name(test) for test in item.weaker], 2)
            lines.append(f"{names}\n  ==>  {others}\n  apparently, by {told}")
        else:
            lines.append(f"{names}\n  apparently the same, by {told}")
    return [*(Text(line) for line in lines), *_more(len(strength.conjectures))]


def _confidence(strength: Strength) -> list[RenderableType]:
    found = strength.confidence
    if found is None:
        return []
    steady = sum(cell.steady for cell in found.cells)
    lines = [
        f"{steady} of {len(found.cells)} cells killed under all {found.matrices} seeds: each with a rate of at least "
        f"{found.bound:.3f} (95%).",
        f"False alarms: {sum(row.failures for row in found.alarms)} in {found.seeds} baselines of "
        f"{len(found.alarms)} tests; a test without any has a true rate of at most "
        f"{min((row.high for row in found.alarms), default=1):.3f} (95%). A test that seeds its own generator is the "
        "same test each time; the power below has fresh draws.",
    ]
    parts: list[RenderableType] = [Text(line) for line in lines]
    if found.unsteady:
        table = table_of("mutant", "test", "kills", "rate at least")
        for cell in found.unsteady[:SHOWN]:
            name = strength.name(cell.test)
            table.add_row(cell.mutant, Text(name), f"{cell.kills} of {cell.seeds}", f"{cell.low:.3f}")
        parts += [Text("Cells that killed under some seeds only:"), table, *_more(len(found.unsteady))]
    return parts


def _inputs(strength: Strength) -> list[RenderableType]:
    if not strength.inputs:
        return []
    soon = sum(row.soon * row.kills for row in strength.inputs) / sum(row.kills for row in strength.inputs)
    table = table_of("mutant", "kills", "lower", "median", "upper", "within 20")
    for column in table.columns[1:]:
        column.justify = "right"
    for row in strength.inputs[:SHOWN]:
        quartiles = (f"{value:g}" for value in (row.lower, row.median, row.upper))
        table.add_row(row.mutant, str(row.kills), *quartiles, percent(row.soon))
    told = f"{percent(Fraction(soon))} of the kills by tests that draw came within 20 inputs. The hardest mutants:"
    return [Text(told), table, *_more(len(strength.inputs))]


def _triggers(rows: Sequence[Trigger]) -> list[RenderableType]:
    if not rows:
        return []
    families = list(dict.fromkeys(row.family for row in rows))
    table = table_of("mutant", *families)
    for column in table.columns[1:]:
        column.justify = "right"
    known = {(row.mutant, row.family): row for row in rows}
    for mutant in dict.fromkeys(row.mutant for row in rows):
        found = [known.get((mutant, family)) for family in families]
        table.add_row(mutant, *(_rate(row) for row in found))
    tries = max(row.rate.tries for row in rows)
    high = max((row.rate.high for row in rows if not row.rate.hits), default=0.0)
    widest = max(row.rate.high - row.rate.low for row in rows) / 2
    told = (
        f"{tries} calls each, 95% intervals of at most ± {100 * widest:.0f}. A dot is none in {tries}, so at most "
        f"{100 * high:.1f}%; ! is above 80%: such a family hardly meets anything else."
    )
    return [Text(told), table]


def _rate(row: Trigger | None) -> Text:
    if row is None:
        return Text("")
    if not row.rate.hits:
        return Text("·", style="yellow")
    return Text(f"{100 * row.rate.hits / row.rate.tries:.3g}" + ("!" if row.verdict == "biased" else ""))


def _ledger(ledger: Ledger) -> list[RenderableType]:
    sampled = ledger.sampled
    freedom = count_of(range(sampled.freedom), "degree", "degrees")
    lines = [
        f"{sampled.draws} draws, false alarms {sampled.false_alarms:g}, {freedom} of freedom. With power {SURE} it "
        f"sees a chi-square distance of {ledger.smallest:.2g}, nothing much below.",
    ]
    if ledger.alarms is not None:
        share = ledger.alarms
        lines.append(
            f"With fresh draws it failed on the unchanged code {share.hits} of {share.tries} times "
            f"(at most {100 * share.high:.1f}%)."
        )
    lines.append(
        f"{count_of(ledger.lawful, 'mutant has', 'mutants have')} exactly the expected law: it is blind to those."
    )
    if ledger.unlawful:
        lines.append(f"No law there: {', '.join(ledger.unlawful)}.")
    table = table_of("mutant", "distance", "predicted", "measured", "")
    for line in ledger.lines[: 2 * SHOWN]:
        measured, remark = "", ""
        if line.measured is not None:
            measured = f"{line.measured.hits} of {line.measured.tries}"
            remark = "" if line.agrees else "disagrees"
        table.add_row(line.mutant, f"{line.distance:.2g}", f"{100 * line.power:.1f}%", measured, remark)
    return [*(Text(line) for line in lines), *([table] if ledger.lines else [])]


def _advice(strength: Strength) -> list[RenderableType]:
    parts: list[RenderableType] = []
    for number, item in enumerate(advice(strength), start=1):
        parts.append(Text(f"{number}. {item.what}" + (":" if item.lines else "")))
        parts += [Padding(Text(line, style="dim"), (0, 0, 0, 3)) for line in item.lines[:SHOWN]]
        parts += [Padding(part, (0, 0, 0, 3)) for part in _more(len(item.lines))]
    return parts or [Text("nothing: no survivor, no test that adds nothing, no mutant that hangs on one test")]


def _more(count: int) -> list[RenderableType]:
    return [Text(f"and {count - SHOWN} more; --json has them", style="dim")] if count > SHOWN else []


def _some(names: Sequence[str], shown: int) -> str:
    ordered = sorted(names)
    more = len(ordered) - shown
    return ", ".join(ordered[:shown]) + (f" and {more} more" if more > 0 else "")
