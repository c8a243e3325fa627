"""The wheats are several and differ: a copy of one would add nothing to what it says about a test."""

import ast
import itertools
from pathlib import Path

import pytest

from tinyllm.prob import rejection

WHEATS = sorted((Path(__file__).parents[1] / "wheats").glob("*.py"))


def test_there_are_several_wheats() -> None:
    assert len(WHEATS) >= 5


@pytest.mark.parametrize(("one", "other"), [*itertools.combinations([*WHEATS, Path(str(rejection.__file__))], 2)])
def test_no_wheat_is_a_copy_of_another(one: Path, other: Path) -> None:
    """Of the lines that are not imports, signatures or prose, the smaller file shares less than a third."""
    mine, theirs = _lines_of_code(one), _lines_of_code(other)
    assert len(mine & theirs) < min(len(mine), len(theirs)) / 3


def _lines_of_code(path: Path) -> set[str]:
    """Return the lines of a file's statements as Python itself would lay them out."""
    lines: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef):
            prose = int(ast.get_docstring(node) is not None)
            for statement in node.body[prose:]:
                lines |= {line.strip() for line in ast.unparse(statement).splitlines()}
    return lines
