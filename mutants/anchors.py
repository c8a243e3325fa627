"""Say which lines of the original can show a change, so that a test that executes none of them need not run."""

import ast
import functools
import itertools
from collections.abc import Iterator, Sequence

from acidtest.mutants.syntax import FUNCTIONS, Function, changed_bodies, same_nodes


def anchors(original: str, mutated: str) -> tuple[frozenset[int], ...] | None:
    """Return one group of original lines for each changed place, or None where nothing can be said.

    Sound for pruning: a run of the original that executes no line of any group goes the same way on the mutated
    source, because up to the first changed statement both are the same program, and the original reports a line of
    the group when it gets there. It says nothing of programs that read their own source, frames or line numbers.
    """
    pairs = changed_bodies(original, mutated)
    if pairs is None:
        return None
    groups: list[frozenset[int]] = []
    for _, before, after in pairs:
        docstring = ast.get_docstring(before, clean=False)
        if docstring != ast.get_docstring(after, clean=False) or (docstring is not None and len(before.body) == 1):
            return None
        if _suspends(before) != _suspends(after):
            return None
        if _scopes_may_differ(before, after):
            groups.append(_lines_of(before.body))
        else:
            groups.extend(_Anchors(before).of_block(before.body, after.body, frozenset()))
    return tuple(groups)


def _lines_of(nodes: Sequence[ast.stmt]) -> frozenset[int]:
    """Return all physical lines of consecutive statements, decorators included."""
    first = min([nodes[0].lineno, *(item.lineno for item in getattr(nodes[0], "decorator_list", []))])
    return frozenset(range(first, (nodes[-1].end_lineno or nodes[-1].lineno) + 1))


class _Anchors:
    """The anchors within one function, whose whole body is the answer wherever a statement may go unreported."""

    def __init__(self, function: Function) -> None:
        self._body = _lines_of(function.body)

    def of_block(
        self, before: list[ast.stmt], after: list[ast.stmt], empty: frozenset[int]
    ) -> Iterator[frozenset[int]]:
        """Yield the groups of one block; ``empty`` are the lines that lead to it where the original's has none."""
        if same_nodes(before, after):
            return
        if len(before) == len(after):
            for one, other in zip(before, after, strict=True):
                if not same_nodes(one, other):
                    yield from self.of_statement(one, other)
            return
        if not before:
            yield empty
            return
        pairs = zip(before, after, strict=False)
        common = sum(1 for _ in itertools.takewhile(lambda pair: same_nodes(*pair), pairs))
        yield self.entry(before[min(common, len(before) - 1)])

    def of_statement(self, before: ast.stmt, after: ast.stmt) -> Iterator[frozenset[int]]:
        """Yield the groups of one statement in the place of another."""
        if type(before) is not type(after) or not same_nodes(_header(before), _header(after)):
            yield self.entry(before)
        elif isinstance(before, ast.If | ast.For | ast.AsyncFor | ast.While):
            yield from self.of_block(before.body, getattr(after, "body"), self.entry(before))  # noqa: B009
            yield from self.of_block(before.orelse, getattr(after, "orelse"), self.entry(before))  # noqa: B009
        elif isinstance(before, ast.With | ast.AsyncWith):
            yield from self.of_block(before.body, getattr(after, "body"), self.entry(before))  # noqa: B009
        elif isinstance(before, ast.Try | ast.TryStar):
            for field in ("body", "orelse", "finalbody"):
                yield from self.of_block(getattr(before, field), getattr(after, field), _lines_of([before]))
            for one, other in zip(before.handlers, getattr(after, "handlers"), strict=True):  # noqa: B009
                yield from self.of_block(one.body, other.body, _lines_of([before]))
        elif isinstance(before, ast.Match):
            for case, twin in zip(before.cases, getattr(after, "cases"), strict=True):  # noqa: B009
                yield from self.of_block(case.body, twin.body, self.entry(before))
        else:
            yield self.entry(before)

    def entry(self, statement: ast.stmt) -> frozenset[int]:
        """Return lines of which the original reports at least one whenever it comes to the statement."""
        if _may_be_silent(statement):
            return self._body
        if isinstance(statement, ast.Try | ast.TryStar | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            return _lines_of([statement])
        ends: list[int] = [part.end_lineno or part.lineno for part in _header_parts(statement)]
        return frozenset(range(statement.lineno, max(ends) + 1)) if ends else _lines_of([statement])


def _header_parts(statement: ast.stmt) -> list[ast.expr]:
    """Return the expressions that a compound statement evaluates before any of its blocks."""
    match statement:
        case ast.If() | ast.While():
            return [statement.test]
        case ast.For() | ast.AsyncFor():
            return [statement.target, statement.iter]
        case ast.With() | ast.AsyncWith():
            items = [[item.context_expr, item.optional_vars] for item in statement.items]
            return [part for item in items for part in item if part is not None]
        case ast.Match():
            return [statement.subject]
    return []


def _header(statement: ast.stmt) -> list[object]:
    """Return all of a statement but its blocks; the whole statement where its blocks cannot be told apart."""
    match statement:
        case ast.With() | ast.AsyncWith():
            return [statement.items]
        case ast.Try() | ast.TryStar():
            return [[handler.type, handler.name] for handler in statement.handlers]
        case ast.Match():
            return [statement.subject, *([case.pattern, case.guard] for case in statement.cases)]
        case ast.If() | ast.While() | ast.For() | ast.AsyncFor():
            return list(_header_parts(statement))
    return [statement]


def _may_be_silent(statement: ast.stmt) -> bool:
    """Return whether Python may pass the statement without reporting a line: no code, or a folded condition."""
    match statement:
        case ast.Pass() | ast.Global() | ast.Nonlocal():
            return True
        case ast.Expr():
            return _folds(statement.value)
        case ast.AnnAssign():
            return statement.value is None
        case ast.If() | ast.While() | ast.Assert():
            return _folds(statement.test)
    return False


_FOLDING = (
    *(ast.Constant, ast.Tuple, ast.UnaryOp, ast.BinOp, ast.BoolOp, ast.Compare, ast.IfExp),
    *(ast.operator, ast.unaryop, ast.boolop, ast.cmpop, ast.expr_context),
)


def _folds(test: ast.expr) -> bool:
    """Return whether the compiler may decide the condition, or a part of it, without running code."""
    if all(
        isinstance(node, _FOLDING) or (isinstance(node, ast.Name) and node.id == "__debug__") for node in ast.walk(test)
    ):
        return True
    parts = [child for child in ast.iter_child_nodes(test) if isinstance(child, ast.expr)]
    return isinstance(test, ast.BoolOp | ast.IfExp | ast.UnaryOp) and any(map(_folds, parts))


@functools.lru_cache(maxsize=64)
def _own_nodes(function: Function) -> tuple[ast.AST, ...]:
    """Return the nodes of the function's own scope; of a nested scope only what the function itself evaluates."""
    found: list[ast.AST] = []
    stack: list[ast.AST] = list(function.body)
    while stack:
        node = stack.pop()
        found.append(node)
        if isinstance(node, FUNCTIONS):
            stack += [*node.decorator_list, *node.args.defaults, *(item for item in node.args.kw_defaults if item)]
            stack += [item.annotation for item in ast.walk(node.args) if isinstance(item, ast.arg) and item.annotation]
            stack += [node.returns] if node.returns else []
        elif isinstance(node, ast.ClassDef):
            stack += [*node.decorator_list, *node.bases, *(item.value for item in node.keywords)]
        elif isinstance(node, ast.Lambda):
            stack += [*node.args.defaults, *(item for item in node.args.kw_defaults if item)]
        elif isinstance(node, ast.comprehension):
            stack += [node.iter, *node.ifs]
        else:
            stack += ast.iter_child_nodes(node)
    return tuple(found)


@functools.lru_cache(maxsize=64)
def _suspends(function: Function) -> bool:
    """Return whether calling the function runs none of it: a generator."""
    return any(isinstance(node, ast.Yield | ast.YieldFrom) for node in _own_nodes(function))


def _scopes_may_differ(before: Function, after: Function) -> bool:
    """Return whether a name that both bodies use is local in one and not in the other: then any use may differ."""
    decided = _bindings(before) ^ _bindings(after)
    parameters = {node.arg for node in ast.walk(before.args) if isinstance(node, ast.arg)}
    decided -= {("local", name) for name in parameters}
    if not decided:
        return False
    shared = _identifiers(before) & _identifiers(after)
    return any(name in shared for _, name in decided)


def _identifiers(function: Function) -> set[str]:
    """Return every identifier in the body, nested scopes included."""
    names: set[str] = set()
    for node in (node for statement in function.body for node in ast.walk(statement)):
        for field, value in ast.iter_fields(node):
            if isinstance(node, ast.Constant) or field in ("attr", "arg"):
                continue
            names.update(
                part.partition(".")[0]
                for part in (value if isinstance(value, list) else [value])
                if isinstance(part, str)
            )
    return names


@functools.lru_cache(maxsize=64)
def _bindings(function: Function) -> frozenset[tuple[str, str]]:
    """Return the names whose scope the body decides; where these differ, every use of such a name may differ."""
    names: set[tuple[str, str]] = set()
    for node in _own_nodes(function):
        match node:
            case ast.Name(id=name, ctx=ast.Store() | ast.Del()):
                names.add(("local", name))
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                names.add(("local", name))
            case ast.Import() | ast.ImportFrom():
                names |= {("local", alias.asname or alias.name.partition(".")[0]) for alias in node.names}
            case ast.Global() | ast.Nonlocal():
                names |= {(type(node).__name__, name) for name in node.names}
            case (
                ast.ExceptHandler(name=str(name))
                | ast.MatchAs(name=str(name))
                | ast.MatchStar(name=str(name))
                | ast.MatchMapping(rest=str(name))
            ):
                names.add(("local", name))
    return frozenset(names)
