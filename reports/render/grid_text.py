"""The kill matrix of a run in a terminal's columns: the tests that carry the suite by the catalog's mutants."""

from collections.abc import Sequence, Set

from rich.cells import cell_len, set_cell_size
from rich.text import Text

from acidtest.mutants.model import Outcome, Test
from acidtest.reports.judge import bears, plain_name
from acidtest.reports.render.fields import cut
from acidtest.reports.render.html.clean import clean
from acidtest.reports.render.verdict import spoiled
from acidtest.reports.summary import Summary

ROWS = 20
"""How many tests have a row of their own."""
NAMED, OTHER, SILENT, PASSED, NOT_RUN = "●", "○", "!", "·", " "
_ODD = {Outcome.TIMED_OUT: "t", Outcome.CRASHED: "c", Outcome.UNDECIDED: "u"}
_STYLES = {NAMED: "green", OTHER: "", SILENT: "bold red", PASSED: "dim", "t": "magenta", "c": "magenta", "u": "magenta"}
_MEANINGS = {SILENT: "named, and did not fail", "t": "timed out", "c": "crashed", "u": "undecided"}
_SHORTEST, _HEIGHT = 16, 8


def grid(summary: Summary, width: int) -> list[Text]:
    """Return the matrix, a line each; nothing where a run shows too little for a picture, or has no verdict.

    The rows are the tests that together kill all that is killed: always the one that adds most, the first of equals.
    All others share one row. Mutants that do not fit beside one another go on below.
    """
    matrix = summary.run.matrix
    ids = [verdict.mutant.id for verdict in summary.verdicts]
    carrying = carriers(summary)
    if spoiled(summary.run) or len(ids) < 2 or len(matrix.tests) < 2 or not carrying:
        return []
    rest = [test for test in matrix.tests if test not in carrying]
    rows = [(_name(test), len(set(matrix.kills_of(test.id)) & set(ids)), [test]) for test in carrying]
    if rest:
        killed = {name for test in rest for name in matrix.kills_of(test.id)} & set(ids)
        rows.append((f"{len(rest)} other test{'' if len(rest) == 1 else 's'}", len(killed), rest))
    longest = max(cell_len(name) for name, _, _ in rows)
    room = min(longest, max(_SHORTEST, width - len(ids) - 6))
    band = max(1, width - room - 6)
    lines: list[Text] = []
    seen: set[str] = set()
    for start in range(0, len(ids), band):
        part = ids[start : start + band]
        lines += [Text(" " * (room + 6) + line, style="bold") for line in _upright(part)]
        for name, kills, tests in rows:
            line = Text(f"{_fitted(name, room)} {kills:>3}  ")
            for mutant in part:
                mark = _mark(summary, mutant, tests)
                seen.add(mark)
                line.append(mark, style=_STYLES.get(mark, ""))
            lines.append(line)
        lines.append(Text(""))
    return [*lines[:-1], *(Text(line, style="dim") for line in _legend(summary, seen, width))]


def carriers(summary: Summary) -> list[Test]:
    """Return the tests that get a row: each adds the most kills to those before it, until nothing is left to add."""
    matrix = summary.run.matrix
    left = {v.mutant.id for v in summary.verdicts if v.killers}
    kills = {test.id: left & set(matrix.kills_of(test.id)) for test in matrix.tests}
    found: list[Test] = []
    while left and len(found) < ROWS:
        best = max(matrix.tests, key=lambda test: len(kills[test.id] & left))
        found.append(best)
        left -= kills[best.id]
    order = {test.id: place for place, test in enumerate(matrix.tests)}
    return sorted(found, key=lambda test: (-len(kills[test.id]), order[test.id]))


def _mark(summary: Summary, mutant: str, tests: Sequence[Test]) -> str:
    """Return what became of a mutant in one row; of several tests the one that says most."""
    marks = {_cell(summary, mutant, test) for test in tests}
    return next(mark for mark in (SILENT, NAMED, OTHER, "t", "c", "u", PASSED, NOT_RUN) if mark in marks)


def _cell(summary: Summary, mutant: str, test: Test) -> str:
    trial = summary.run.matrix.trial(mutant, test.id)
    if trial is None:
        return NOT_RUN
    names = next(v.mutant.killers for v in summary.verdicts if v.mutant.id == mutant) if summary.contract else ()
    named = any(bears(test, name) for name in names)
    if trial.outcome is Outcome.FAILED:
        return NAMED if named or not summary.contract else OTHER
    if trial.outcome in _ODD:
        return _ODD[trial.outcome]
    return SILENT if named and not _same_name_killed(summary, mutant, test) else PASSED


def _same_name_killed(summary: Summary, mutant: str, test: Test) -> bool:
    """Return whether the test with other parameters fails on the mutant, which keeps the promise."""
    return plain_name(test) in {plain_name(other) for other in summary.run.matrix.killers_of(mutant)}


def _name(test: Test) -> str:
    parameters = test.id.partition("[")[1] + test.id.partition("[")[2]
    return clean(cut(plain_name(test).removeprefix("test_") + parameters, 120)).replace("\n", " ")


def _fitted(name: str, room: int) -> str:
    return set_cell_size(name, room) if cell_len(name) <= room else f"{set_cell_size(name, room - 1)}…"


def _upright(ids: Sequence[str]) -> list[str]:
    """Return the ids written downwards, a line each."""
    shown = [clean(name)[-_HEIGHT:].replace("\n", " ") for name in ids]
    height = max(map(len, shown))
    padded = [name.rjust(height) for name in shown]
    return ["".join(name[row] for name in padded) for row in range(height)]


def _legend(summary: Summary, seen: Set[str], width: int) -> list[str]:
    """Return what the marks mean, in lines that break between two of them."""
    words = [f"{NAMED} {'fails, as named for it' if summary.contract else 'fails'}"]
    words += [f"{OTHER} fails too"] if OTHER in seen else []
    words += [f"{mark} {meaning}" for mark, meaning in _MEANINGS.items() if mark in seen]
    lines = [""]
    for part in [*words, f"{PASSED} passes", "number: mutants killed"]:
        longer = f"{lines[-1]}  {part}" if lines[-1] else part
        lines[-1:] = [longer] if len(longer) <= width else [lines[-1], part]
    return lines
