"""Read source texts as syntax trees: parse, compare, find a function, and turn a node's place into bytes."""

import ast
import difflib
import functools
import itertools
import operator
import re
import textwrap
import threading
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

Function = ast.FunctionDef | ast.AsyncFunctionDef
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_ONE_AT_A_TIME = threading.Lock()
_CONTEXT = 3
_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")
_HUNK = re.compile(r"(?<=^@@ -)\d+|(?<= \+)\d+(?=[, ].*@@$)")
NodePath = tuple[tuple[str, int | None], ...]


class SpliceError(ValueError):
    """An edit that cannot be made, in one line: what, where, and what to do about it."""


def functions_of(source: str) -> tuple[str, ...]:
    """Return the qualified names of the module's functions and methods, in order; nested functions are not listed."""
    return tuple(name for name, _, _ in functions_in(parse(source, "the source")))


def function_source(source: str, function: str) -> str | None:
    """Return the text of one function, decorators included, or None where the module has no such function."""
    text = Text(source)
    for name, node, _ in functions_in(parse(source, "the source")):
        if name == function:
            start, end = text.extent([node])
            return text.data[text.line_start(start) : end].decode()
    return None


def function_texts(original: str, mutated: str, functions: Sequence[str]) -> dict[str, str]:
    """Return the mutated text of each function; where only one changed, without parsing the mutated source.

    Empty for a name that is defined more than once: which of its texts is alive, no text can tell.
    """
    extents = _extents(original)
    if len(functions) == 1 and functions[0] in extents:
        first, last = extents[functions[0]]
        before, after = lines_of(original, keepends=True), lines_of(mutated, keepends=True)
        end = len(after) - (len(before) - last)
        if before[:first] == after[:first] and before[last:] == after[end:] and first < end:
            return {functions[0]: "".join(after[first:end])}
    return {name: (function_source(mutated, name) or "") if name in extents else "" for name in functions}


@functools.lru_cache(maxsize=16)
def _extents(source: str) -> dict[str, tuple[int, int]]:
    """Return each function's lines as a slice, decorators left out; a name defined twice is not there."""
    found = [(name, (node.lineno - 1, node.end_lineno or 0)) for name, node, _ in functions_in(parse(source, "it"))]
    return {name: extent for name, extent in found if sum(name == other for other, _ in found) == 1}


def normal_form(source: str, function: str) -> str:
    """Return one function as syntax, without positions, comments, layout and docstring; equal on every Python.

    Raises:
        SpliceError: there is no such function, or more than one.
    """
    node, _ = find_function(parse(source, "the source"), function)
    body = node.body[1:] if ast.get_docstring(node, clean=False) is not None else node.body
    return _form([node.args, node.returns, node.decorator_list, body])


def _form(value: object) -> str:
    """Return a tree as text; what a node leaves empty is left out, since newer Pythons have more fields."""
    if isinstance(value, ast.AST):
        fields = [(name, getattr(value, name, None)) for name in value._fields]
        filled = [f"{name}={_form(item)}" for name, item in fields if item is not None and item != []]
        return f"{type(value).__name__}({' '.join(filled)})"
    if isinstance(value, list):
        return f"[{' '.join(map(_form, value))}]"
    return repr(value)


def same_tree(original: str, mutated: str) -> bool:
    """Return whether both texts mean the same program: comments and layout do not count."""
    return same_nodes(parse(original, "the original"), parse(mutated, "the mutated source"))


def changed_functions(original: str, mutated: str) -> tuple[str, ...] | None:
    """Return the names of the functions whose bodies differ, or None where anything outside a body differs."""
    pairs = changed_bodies(original, mutated)
    return None if pairs is None else tuple(name for name, _, _ in pairs)


def derived_diff(original: str, mutated: str, name: str) -> str:
    """Return the unified diff of two versions of the file ``name``, for people."""
    before, after = lines_of(original), lines_of(mutated)
    first, kept = common_lines(before, after)
    skipped, end = max(0, first - _CONTEXT), max(0, kept - _CONTEXT)
    old, new = before[skipped : len(before) - end], after[skipped : len(after) - end]
    lines = difflib.unified_diff(old, new, f"a/{name}", f"b/{name}", n=_CONTEXT, lineterm="")
    return "".join(f"{_HUNK.sub(lambda number: str(int(number[0]) + skipped), line)}\n" for line in lines)


def lines_of(text: str, *, keepends: bool = False) -> list[str]:
    """Return the lines of a source as Python counts them: a form feed, and the like, ends none."""
    if "\r" in text:
        lines = _LINE.findall(text)
        return lines if keepends else [line.rstrip("\r\n") for line in lines]
    lines = text.split("\n")
    last = lines.pop()
    if keepends:
        lines = [f"{line}\n" for line in lines]
    return [*lines, last] if last else lines


def tree_of(text: str | bytes, mode: str = "exec") -> Any:
    """Return the syntax tree of a text, one thread at a time: Python 3.11 fails where two build trees at once."""
    with _ONE_AT_A_TIME:
        return ast.parse(text, mode=mode)


def parse(source: str, what: str) -> ast.Module:
    try:
        tree: ast.Module = tree_of(source)
        return tree
    except SyntaxError as error:
        raise SpliceError(f"{what} does not parse: line {error.lineno}: {error.msg}") from error
    except (ValueError, RecursionError, MemoryError) as error:
        raise SpliceError(f"{what} does not parse: {error}") from error


def parse_expression(text: str) -> ast.expr | None:
    """Return the one expression that ``text`` is, also over several lines, or None where it is none."""
    stripped = text.strip()
    candidates = [stripped]
    try:
        tree_of(textwrap.dedent(text))
    except SyntaxError:
        candidates.append(f"({stripped}\n)")
    for candidate in candidates:
        try:
            return tree_of(candidate, mode="eval").body if stripped else None
        except SyntaxError:
            continue
    return None


def parse_statements(text: str, what: str) -> list[ast.stmt]:
    return parse(textwrap.dedent(text).strip("\r\n"), what).body


def same_nodes(one: object, other: object, *, bodies: bool = True) -> bool:
    """Return whether two trees are equal apart from positions; constants by type and repr, so 1 is not 1.0.

    Without ``bodies`` what stands in the bodies of functions does not count.
    """
    if one is other:
        return True
    kind = type(one)
    if kind is not type(other):
        return False
    if isinstance(one, ast.AST):
        fields = one._fields
        if not bodies and isinstance(one, FUNCTIONS):
            fields = tuple(field for field in fields if field != "body")
        for field in fields:
            if not same_nodes(getattr(one, field, None), getattr(other, field, None), bodies=bodies):
                return False
        return True
    if isinstance(one, list) and isinstance(other, list):
        if len(one) != len(other):
            return False
        for item, twin in zip(one, other, strict=True):  # noqa: SIM110 - a generator costs twice as much
            if not same_nodes(item, twin, bodies=bodies):
                return False
        return True
    return one == other if kind is str else repr(one) == repr(other)


def functions_in(tree: ast.Module) -> Iterator[tuple[str, Function, NodePath]]:
    """Yield every function and method with its qualified name and path, in the order of the text."""

    def visit(node: ast.AST, prefix: str, path: NodePath) -> Iterator[tuple[str, Function, NodePath]]:
        for step, child in children_of(node):
            here = (*path, step)
            if isinstance(child, FUNCTIONS):
                yield prefix + child.name, child, here
            elif isinstance(child, ast.ClassDef):
                yield from visit(child, f"{prefix}{child.name}.", here)
            elif isinstance(child, ast.stmt | ast.ExceptHandler | ast.match_case):
                yield from visit(child, prefix, here)

    yield from visit(tree, "", ())


def children_of(node: ast.AST) -> Iterator[tuple[tuple[str, int | None], ast.AST]]:
    """Yield each child with the step that leads to it: a field, and an index where the field is a list."""
    for field, value in ast.iter_fields(node):
        if isinstance(value, ast.AST):
            yield (field, None), value
        elif isinstance(value, list):
            yield from (((field, index), item) for index, item in enumerate(value) if isinstance(item, ast.AST))


def node_at(tree: ast.AST, path: NodePath) -> ast.AST:
    """Return the node that the path's steps, a field and perhaps an index each, lead to."""
    node: ast.AST = tree
    for field, index in path:
        node = getattr(node, field) if index is None else getattr(node, field)[index]
    return node


def find_function(tree: ast.Module, function: str) -> tuple[Function, NodePath]:
    """Return the one function of that qualified name and where it is."""
    named = [(node, path) for name, node, path in functions_in(tree) if name == function]
    if len(named) == 1:
        return named[0]
    if named:
        raise SpliceError(f"{function} is defined {len(named)} times; only one definition can be edited")
    known = ", ".join(dict.fromkeys(name for name, _, _ in functions_in(tree))) or "none"
    raise SpliceError(f"no function {function} in the source; it has {known}")


@functools.lru_cache(maxsize=2)
def changed_bodies(original: str, mutated: str) -> list[tuple[str, Function, Function]] | None:
    """Return the functions whose bodies differ, in both versions; None where anything outside a body differs."""
    before = _kept(original)
    old, new = lines_of(original), lines_of(mutated)
    after = _with_one_changed(before, old, new)
    if after is None:
        after = parse(mutated, "the mutated source")
        _share(before, after, old, new)
    if not same_nodes(before, after, bodies=False):
        return None
    return [
        (name, one, other)
        for (name, one, _), (_, other, _) in zip(functions_in(before), functions_in(after), strict=True)
        if not same_nodes(one.body, other.body)
    ]


@functools.lru_cache(maxsize=8)
def _kept(source: str) -> ast.Module:
    """Return the tree of an original, which many mutated sources are compared with; nobody changes it."""
    return parse(source, "the original")


def _with_one_changed(before: ast.Module, old: Sequence[str], new: Sequence[str]) -> ast.Module | None:
    """Return the mutated tree where one statement at the top level has all the change; None where it has to be parsed.

    The statement's new lines are parsed alone. If they are one statement, the lines around them mean what they did.
    """
    first, kept = common_lines(old, new)
    begin, end = first, len(old) - kept
    for index, statement in enumerate(before.body):
        top, bottom = _first_line(statement) - 1, statement.end_lineno or 0
        if not top <= begin <= end <= bottom or begin == bottom:
            continue
        above = before.body[index - 1].end_lineno or 0 if index else 0
        below = _first_line(before.body[index + 1]) - 1 if index + 1 < len(before.body) else len(old)
        if above > top or below < bottom:
            return None
        try:
            text = "\n" * top + "\n".join([*new[top : bottom + len(new) - len(old)], ""])
            body = tree_of(text).body
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return None
        if len(body) != 1 or body[0].lineno <= top:
            return None
        return ast.Module([*before.body[:index], body[0], *before.body[index + 1 :]], [])
    return None


def _share(before: ast.Module, after: ast.Module, old: Sequence[str], new: Sequence[str]) -> None:
    """Put the original's statements into the mutated tree where both stand in text that is the same.

    A statement at the top level that begins and ends in the common first lines, or in the common last ones, is read
    from the same characters, so it is the same statement.
    """
    first, kept = common_lines(old, new)
    for one, other, index in zip(before.body, after.body, range(len(after.body)), strict=False):
        if max(one.end_lineno or 0, other.end_lineno or 0) > first:
            break
        after.body[index] = one
    for one, other, index in zip(before.body[::-1], after.body[::-1], range(len(after.body) - 1, -1, -1), strict=False):
        # one line of room: a decorator, or the end of what was changed, may stand above
        if _first_line(one) <= len(old) - kept + 1 or _first_line(other) <= len(new) - kept + 1:
            break
        after.body[index] = one


def _first_line(statement: ast.stmt) -> int:
    decorators: list[ast.expr] = getattr(statement, "decorator_list", [])
    return min([statement.lineno, *(item.lineno for item in decorators)])


def common_lines(before: Sequence[str], after: Sequence[str]) -> tuple[int, int]:
    """Return how many lines are the same at the beginning, and how many of the others at the end."""
    least = min(len(before), len(after))
    first = _common(before, after, least)
    return first, _common(reversed(before), reversed(after), least - first)


def _common(before: Iterable[str], after: Iterable[str], most: int) -> int:
    """Return how many are the same from the beginning on, and at most so many."""
    return next(itertools.compress(range(most), map(operator.ne, before, after)), most)


class Text:
    """A source as bytes, in which the tree's lines and UTF-8 columns are offsets."""

    def __init__(self, source: str) -> None:
        self.data = source.encode()
        self._starts = [0, *(match.end() for match in re.finditer(rb"\r\n|\r|\n", self.data))]
        newline = re.search(rb"\r\n|\r|\n", self.data)
        self.newline = newline.group().decode() if newline else "\n"

    def offset(self, line: int, column: int) -> int:
        return self._starts[line - 1] + column

    def extent(self, nodes: Sequence[ast.AST]) -> tuple[int, int]:
        first, last = nodes[0], nodes[-1]
        start = self.offset(first.lineno, first.col_offset)  # type: ignore[attr-defined]  # expr or stmt
        if decorators := getattr(first, "decorator_list", None):
            start = self.data.rindex(b"@", 0, self.offset(decorators[0].lineno, decorators[0].col_offset))
        return start, self.offset(last.end_lineno, last.end_col_offset)  # type: ignore[attr-defined]  # expr or stmt

    def line_start(self, offset: int) -> int:
        return max(start for start in self._starts if start <= offset)

    def line_end(self, offset: int) -> int:
        """Return where the line's content ends, before its newline."""
        following = re.compile(rb"\r\n|\r|\n").search(self.data, offset)
        return following.start() if following else len(self.data)

    def indent(self, offset: int) -> str:
        start = self.line_start(offset)
        line = self.data[start : self.line_end(offset)]
        return line[: len(line) - len(line.lstrip(b" \t\x0c"))].decode()
