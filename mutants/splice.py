"""Change one function of a source text by syntax, so that nothing but the edit changes.

Text outside an edit stays as it is, byte for byte; every result is parsed again and compared with the tree that was
meant, so that neither precedence nor indentation can change anything else. This is the front door: the lab asks here
for everything about source texts.
"""

import ast
import itertools
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from acidtest.mutants.anchors import anchors
from acidtest.mutants.model import Edit
from acidtest.mutants.openings import canary, equivalent
from acidtest.mutants.syntax import (
    Function,
    NodePath,
    SpliceError,
    Text,
    changed_functions,
    children_of,
    derived_diff,
    find_function,
    function_source,
    function_texts,
    functions_of,
    node_at,
    normal_form,
    parse,
    parse_expression,
    parse_statements,
    same_nodes,
    same_tree,
    tree_of,
)

__all__ = [
    "SpliceError",
    "anchors",
    "canary",
    "changed_functions",
    "derived_diff",
    "equivalent",
    "function_source",
    "function_texts",
    "functions_of",
    "normal_form",
    "same_tree",
    "splice",
]


def splice(source: str, function: str, edits: Sequence[Edit]) -> str:
    """Return ``source`` with ``edits`` made inside ``function``; each ``before`` must match exactly once.

    An expression is looked for among all sub-expressions (not inside f-strings), one or more statements among the
    consecutive statements of every block. An edit without ``before`` replaces the body after the docstring, one
    with an empty ``after`` removes statements.

    Raises:
        SpliceError: the function is missing, an edit matches nowhere or more than once, edits overlap, change
            nothing, or give a text that does not parse to the tree they mean.
    """
    tree = parse(source, "the source")
    node, path = find_function(tree, function)
    places = [
        _place(node, path, function, edit, f"edit {number}: " if len(edits) > 1 else "")
        for number, edit in enumerate(edits, start=1)
    ]
    text = Text(source)
    places.sort(key=lambda place: text.extent(place.nodes)[0], reverse=True)
    for later, earlier in itertools.pairwise(places):
        if text.extent(earlier.nodes)[1] > text.extent(later.nodes)[0]:
            raise SpliceError(f"two edits overlap in {function}; write them as one")
    if all(same_nodes(list(place.nodes), list(place.replacement)) for place in places):
        raise SpliceError(f"the edit changes nothing in {function}; before and after are the same syntax")
    expected = parse(source, "the source")
    data = text.data
    for place in places:
        _replace(expected, place)
        data = _write(data, text, place, expected, function)
    return data.decode()


@dataclass(frozen=True)
class _Place:
    """Nodes of the original to replace: one expression at ``path``, or a run of statements that starts there."""

    path: NodePath
    nodes: Sequence[ast.AST]
    owner: ast.AST
    replacement: Sequence[ast.AST]
    after: str

    @property
    def field(self) -> str:
        return self.path[-1][0]

    @property
    def is_expression(self) -> bool:
        return isinstance(self.nodes[0], ast.expr)

    @property
    def is_whole_block(self) -> bool:
        block = getattr(self.owner, self.field)
        return isinstance(block, list) and len(block) == len(self.nodes)


def _place(node: Function, path: NodePath, function: str, edit: Edit, prefix: str) -> _Place:
    if edit.before is None:
        start = 1 if len(node.body) > 1 and ast.get_docstring(node, clean=False) is not None else 0
        statements = parse_statements(edit.after, f"{prefix}after")
        if not statements:
            raise SpliceError(f"{prefix}after is empty; a whole body needs at least one statement")
        return _Place((*path, ("body", start)), node.body[start:], node, statements, edit.after)
    expression = parse_expression(edit.before)
    replacement = parse_expression(edit.after)
    if expression is not None and replacement is not None:
        places = [
            _Place((*path, *steps), [found], owner, [replacement], edit.after)
            for found, owner, steps in _expressions(node)
            if same_nodes(found, expression)
        ]
    else:
        wanted = parse_statements(edit.before, f"{prefix}before")
        if not wanted:
            raise SpliceError(f"{prefix}before is empty; leave it out to replace the whole body")
        statements = parse_statements(edit.after, f"{prefix}after")
        places = [
            _Place((*path, *steps), found, owner, statements, edit.after)
            for found, owner, steps in _runs(node, len(wanted))
            if same_nodes(list(found), wanted)
        ]
    if len(places) == 1:
        return places[0]
    if places:
        raise SpliceError(f"{prefix}before matches {len(places)} places in {function}; add a neighbouring statement")
    raise SpliceError(f"{prefix}before matches nothing in {function}; copy it from the function as it is now")


def _expressions(function: Function) -> Iterator[tuple[ast.expr, ast.AST, NodePath]]:
    """Yield each expression of the body and the defaults, its parent and its path; f-strings are not entered."""

    def visit(node: ast.AST, path: NodePath) -> Iterator[tuple[ast.expr, ast.AST, NodePath]]:
        for step, child in children_of(node):
            if node is function and step[0] not in ("args", "body"):
                continue
            if isinstance(node, ast.arguments) and step[0] not in ("defaults", "kw_defaults"):
                continue
            if isinstance(child, ast.expr):
                yield child, node, (*path, step)
            if not isinstance(child, ast.JoinedStr):
                yield from visit(child, (*path, step))

    yield from visit(function, ())


def _runs(function: Function, length: int) -> Iterator[tuple[list[ast.stmt], ast.AST, NodePath]]:
    """Yield each run of ``length`` consecutive statements in each block, with the block's owner and the path."""

    def visit(node: ast.AST, path: NodePath) -> Iterator[tuple[list[ast.stmt], ast.AST, NodePath]]:
        for field, value in ast.iter_fields(node):
            if isinstance(value, list) and value and isinstance(value[0], ast.stmt):
                for start in range(len(value) - length + 1):
                    yield value[start : start + length], node, (*path, (field, start))
        for step, child in children_of(node):
            if not isinstance(child, ast.expr):
                yield from visit(child, (*path, step))

    yield from visit(function, ())


def _replace(tree: ast.Module, place: _Place) -> None:
    """Make the edit in the tree, as the text is meant to parse afterwards."""
    owner = node_at(tree, place.path[:-1])
    field, index = place.path[-1]
    if index is None:
        setattr(owner, field, place.replacement[0])
        return
    block = getattr(owner, field)
    replacement = list(place.replacement)
    if not replacement and place.is_whole_block and field != "orelse":
        replacement = [ast.Pass()]
    block[index : index + len(place.nodes)] = replacement


def _write(data: bytes, text: Text, place: _Place, expected: ast.Module, function: str) -> bytes:
    """Return ``data`` with the place rewritten, in the first spelling that parses to the expected tree."""
    start, end = text.extent(place.nodes)
    spellings = _expression_spellings(text, place) if place.is_expression else _statement_spellings(text, place)
    for (new_start, new_end), spelling in spellings:
        written = data[: start + new_start] + spelling.encode() + data[end + new_end :]
        try:
            if same_nodes(tree_of(written), expected):
                return written
        except (SyntaxError, ValueError):
            continue
    raise SpliceError(f"after cannot be written in that place of {function}; put the statement on lines of its own")


_Spelling = tuple[tuple[int, int], str]


def _expression_spellings(text: Text, place: _Place) -> Iterator[_Spelling]:
    after = _with_newlines(place.after.strip(), text.newline)
    yield (0, 0), after
    yield (0, 0), f"({after})"
    yield (0, 0), f"({after}{text.newline})"


def _statement_spellings(text: Text, place: _Place) -> Iterator[_Spelling]:
    """Yield the ways to write statements there: on lines of their own, within a line, or opening a block."""
    start, end = text.extent(place.nodes)
    lead = text.data[text.line_start(start) : start]
    trail = text.data[end : text.line_end(end)].strip()
    own_lines = not lead.strip(b" \t\x0c") and (not trail or trail.startswith(b"#"))
    elif_here = isinstance(place.nodes[0], ast.If) and text.data[start : start + 4] == b"elif"
    if not place.replacement:
        yield from _removals(text, start, end, lead if own_lines and not trail else None)
        return
    indent = text.indent(start)
    if elif_here:
        if len(place.replacement) == 1 and isinstance(place.replacement[0], ast.If):
            yield (0, 0), "el" + _indented(place.after, indent, text.newline)
        yield (0, 0), f"else:{text.newline}{indent}    " + _indented(place.after, f"{indent}    ", text.newline)
        return
    if own_lines:
        yield (0, 0), _indented(place.after, indent, text.newline)
        return
    segments = [ast.get_source_segment(textwrap.dedent(place.after).strip("\r\n"), node) for node in place.replacement]
    yield (0, 0), "; ".join(segment or "" for segment in segments)
    if place.is_whole_block:
        deeper = f"{indent}    "
        yield (0, 0), text.newline + deeper + _indented(place.after, deeper, text.newline)


def _removals(text: Text, start: int, end: int, lead: bytes | None) -> Iterator[_Spelling]:
    """Yield the ways to remove statements: with their lines, with a semicolon, or with ``pass`` in their place."""
    if lead is not None:
        line_end = text.line_end(end)
        newline = len(text.newline) if line_end < len(text.data) else 0
        yield (-len(lead), line_end + newline - end), ""
    yield (0, 0), ""
    rest = text.data[end : text.line_end(end)]
    if rest.lstrip().startswith(b";"):
        yield (0, len(rest) - len(rest.lstrip(b"; \t"))), ""
    yield (0, 0), "pass"


def _indented(after: str, indent: str, newline: str) -> str:
    """Return statements with ``indent`` before every line but the first; lines within a string stay as they are."""
    lines = textwrap.dedent(after).strip("\r\n").rstrip().splitlines()
    inside: set[int] = set()
    for node in ast.walk(tree_of("\n".join(lines))):
        if isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str | bytes)):
            inside.update(range(node.lineno + 1, (node.end_lineno or node.lineno) + 1))
    return newline.join(
        line if number == 1 or number in inside or not line else indent + line
        for number, line in enumerate(lines, start=1)
    )


def _with_newlines(text: str, newline: str) -> str:
    return newline.join(text.splitlines())
