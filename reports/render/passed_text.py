"""What a terminal shows where every test passed: lines that need no layout, and so none of what lays out tables.

To import that takes as long as to run most of the tests.
"""

from collections.abc import Sequence

from acidtest.reports.exits import ExitCode
from acidtest.reports.grading import MEANINGS, Assessment, Scheme, Standing
from acidtest.reports.render.shares import percent

Piece = tuple[str, str]
"""Words, and their style as rich calls it; an empty one is none."""

_COLOURS = {Standing.PASSED: "green", Standing.FAILED: "red"}
_CODES = {"bold": "1", "bold green": "1;32", "yellow": "33"}
"""The styles that a terminal is told of here."""


def passed_page(assessment: Assessment, width: int, colour: bool) -> str | None:
    """Return the learner's page where every test passed; None where there is more to say, or a line to be broken."""
    if assessment.standing is not Standing.PASSED or assessment.why:
        return None
    every: list[list[Piece]] = [[(assessment.name, "bold")], [], *verdict_lines(assessment)]
    *lines, last = every
    if not all(_is_plain(line, width) for line in lines) or not _is_plain(last):
        return None
    return "".join("".join(_shown(piece, colour) for piece in line) + "\n" for line in (*lines, last))


def verdict_lines(assessment: Assessment) -> list[list[Piece]]:
    """Return the last lines of every page; the very last begins with how it stands."""
    total = len(assessment.trials)
    lines: list[list[Piece]] = []
    if assessment.why:
        lines.append([(assessment.why, "")])
    if assessment.tier == 0:
        lines.append([("judged without a sandbox (--unsafe)", "yellow")])
    words = f"{assessment.passed} of {total} tests passed" if total else MEANINGS[assessment.standing]
    share = assessment.scores.get(Scheme.BY_TEST)
    points = f", {percent(share)}" if share is not None else ""
    head = (str(assessment.standing).upper(), f"bold {_COLOURS.get(assessment.standing, 'yellow')}")
    return [*lines, [head, (f"  {words}{points} (exit code {int(ExitCode(assessment.code))})", "")]]


def _is_plain(line: Sequence[Piece], width: int | None = None) -> bool:
    """Return whether each letter takes one place, none steers the terminal, and they fit."""
    text = "".join(words for words, _ in line)
    return text.isascii() and text.isprintable() and (width is None or len(text) <= width) and text == text.rstrip()


def _shown(piece: Piece, colour: bool) -> str:
    words, style = piece
    return f"\x1b[{_CODES[style]}m{words}\x1b[0m" if colour and style and words else words
