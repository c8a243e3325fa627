"""A run that executes no anchor of a change cannot tell it: tried on every small edit of many small functions."""

import ast
import sys
import textwrap
from collections.abc import Callable, Iterator
from types import CodeType, FrameType
from typing import Any

import pytest

from acidtest.mutants.splice import anchors, equivalent, same_tree

INPUTS = (-1, 0, 1, 2, 3)
STEPS = 3000

SOURCES = {
    "branches": """
        def f(x):
            if x < 0:
                return "low"
            elif x == 0:
                y = 1
            elif x == 1: y = 2
            else:
                y = 3
            return y + x
        """,
    "loops with else": """
        def f(x):
            total = 0
            for i in range(x):
                if i == 2:
                    break
                total += i
            else:
                total += 100
            while total > 3:
                total -= 3
                if total == 100:
                    continue
            else:
                log.append(total)
            return total
        """,
    "try": """
        def f(x):
            try:
                y = 6 // x
                if x > 2:
                    raise KeyError(x)
            except ZeroDivisionError:
                return "zero"
            except (KeyError, ValueError) as error:
                y = len(error.args)
            else:
                y += 1
            finally:
                log.append(x)
            return y
        """,
    "finally alone": """
        def f(x):
            try:
                if x == 1:
                    return 1
                1 // x
            finally:
                log.append("end")
                if x == 2:
                    log.append("two")
            return 7
        """,
    "with": """
        def f(x):
            with guard(x) as g, guard(2):
                if g > 1:
                    raise LookupError(g)
                log.append(g)
            with (
                guard(3)
            ):
                return x
        """,
    "match": """
        def f(x):
            match x:
                case 0:
                    return "zero"
                case 1 | 2 as y if y < 2:
                    log.append(y)
                case int(z) if z > 2:
                    return z
                case _:
                    pass
            return "end"
        """,
    "raising in the middle of a statement": """
        def f(x):
            values = [1, 2]
            y = (
                1
                + values[
                    x
                ]
                + 6 // (
                    x - 1
                )
            )
            return call(
                y,
                10 // x,
            )
        """,
    "silent statements": '''
        def f(x):
            """Say."""
            pass
            "a bare text"
            if x > 1:
                pass
                log.append(1)
            y: int
            if False:
                log.append(2)
            if __debug__:
                pass
            while True:
                x += 1
                if x > 2: break
            ...
            return x
        ''',
    "pass alone": """
        def f(x):
            pass
        """,
    "dots alone": """
        def f(x): ...
        """,
    "docstring alone": '''
        def f(x):
            """Say."""
        ''',
    "folded conditions": """
        def f(x):
            if x > 1 and True:
                log.append(1)
            if 0 or x:
                log.append(2)
            if not 0:
                log.append(3)
            y = 1 if True else 2
            assert x < 3
            assert True
            return y
        """,
    "nested functions": """
        def f(x):
            @wrap
            def g(y, z=x):
                if y > 1:
                    return z
                return y
            h = lambda y: (
                y + 1
                if y > 2
                else y
            )
            if x == 0:
                return 0
            class C:
                k = x
                def m(self):
                    return self.k
            return g(x) + h(x) + C().m()
        """,
    "comprehensions": """
        def f(x):
            a = [i for i in range(x) if i > 0]
            b = sum(
                i
                for i in a
                if i != x
            )
            c = {k: v for k, v in zip(a, a)}
            if any((last := i) > 1 for i in a):
                return last
            return b + len(c)
        """,
    "generator": """
        def f(x):
            log.append("start")
            for i in range(x):
                yield i
            if x > 1:
                yield from (8, 9)
            return 3
        """,
    "globals and scopes": """
        def f(x):
            global counter
            if x > 1:
                counter += 1
            y = limit
            def g():
                nonlocal y
                y += 1
            if x == 0:
                g()
            del g
            return y + counter
        """,
    "early returns": """
        def f(x):
            if not x: return 0
            if x == 1: log.append(1); return 1
            for i in (1, 2, 3):
                for j in (1, 2):
                    if i * j == x:
                        return i, j
                if i > x:
                    break
            return x
        """,
    "called later": """
        def make():
            def inner(x):
                if x > 1:
                    return "big"
                return "small"
            return inner

        def f(x):
            if x == 0:
                return make
            return make()(x)
        """,
    "methods": """
        class A:
            limit = 2

            def __init__(self, x):
                self.x = x

            @property
            def big(self):
                return self.x > self.limit

            def get(self):
                if self.big:
                    return super().__init__()
                return self.x

        def f(x):
            if x < 1:
                return A
            return A(x).get()
        """,
    "exception groups": """
        def f(x):
            try:
                if x > 1:
                    raise ExceptionGroup("g", [ValueError(x), KeyError(x)])
            except* ValueError:
                log.append("value")
            except* KeyError:
                log.append("key")
            return x
        """,
}

PRELUDE = """
import contextlib
log = []
counter = 0
limit = 5

@contextlib.contextmanager
def guard(x):
    log.append(("in", x))
    try:
        yield x
    except LookupError:
        log.append("swallowed")
    finally:
        log.append("out")

def wrap(function):
    return function

def call(*values):
    return values
"""

MARKS = ("log.append('M')", "return 'M'", "limit = 7", "y = last = 9", "yield 'M'")


def edits_of(source: str) -> Iterator[str]:
    """Yield the source after each small change of a statement or an expression, wherever one can be made."""
    tree = ast.parse(source)
    marks = [ast.parse(f"def f():\n    {mark}").body[0].body[0] for mark in MARKS]  # type: ignore[attr-defined]
    for function in [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]:
        for node in ast.walk(function):
            for field, block in ast.iter_fields(node):
                if field in ("body", "orelse", "finalbody") and isinstance(block, list):
                    original = list(block)
                    for changed in blocks_like(original, marks):
                        block[:] = changed
                        yield written(tree)
                    block[:] = original
            for change, undo in changes_of(node):
                change()
                yield written(tree)
                undo()


def written(tree: ast.Module) -> str:
    return ast.unparse(tree)


def blocks_like(block: list[Any], marks: list[Any]) -> Iterator[list[Any]]:
    """Yield the block with statements removed, inserted, replaced, swapped and doubled."""
    for position in range(len(block) + 1):
        yield from ([*block[:position], mark, *block[position:]] for mark in marks)
    for position, statement in enumerate(block):
        yield [*block[:position], *block[position + 1 :]] or [ast.Pass()]
        yield [*block[:position], marks[0], *block[position + 1 :]]
        yield [*block[:position], statement, statement, *block[position + 1 :]]
        yield [*block[:position], *block[position + 1 : position + 2], statement, *block[position + 2 :]]
        if position:
            yield [marks[0], *block[:position], marks[0], *block[position:]]


def changes_of(node: ast.AST) -> Iterator[tuple[Callable[[], None], Callable[[], None]]]:
    """Yield ways to change one node's own fields, each with the way back."""

    def setting(field: str, value: object) -> tuple[Callable[[], None], Callable[[], None]]:
        old = getattr(node, field)
        return lambda: setattr(node, field, value), lambda: setattr(node, field, old)

    if isinstance(node, ast.If | ast.While | ast.IfExp | ast.Assert):
        yield setting("test", ast.UnaryOp(ast.Not(), node.test))
        yield setting("test", ast.Constant(True))
        yield setting("test", ast.Constant(False))
    if isinstance(node, ast.Constant) and type(node.value) is int:
        yield setting("value", node.value + 1)
    if isinstance(node, ast.Constant) and type(node.value) is str:
        yield setting("value", node.value + "!")
    if isinstance(node, ast.Compare):
        yield setting("ops", [ast.Eq()])
    if isinstance(node, ast.ExceptHandler):
        yield setting("type", ast.Name("TypeError", ast.Load()))
        yield setting("name", None)
    if isinstance(node, ast.Try) and node.handlers:
        yield setting("handlers", node.handlers[1:])
        yield setting(
            "handlers", [ast.ExceptHandler(ast.Name("OSError", ast.Load()), None, [ast.Pass()]), *node.handlers]
        )
    if isinstance(node, ast.withitem):
        yield setting("optional_vars", ast.Name("x", ast.Store()))
    if isinstance(node, ast.match_case):
        yield setting("guard", ast.Constant(False))
        yield setting("pattern", ast.MatchValue(ast.Constant(2)))
    if isinstance(node, ast.comprehension):
        yield setting("ifs", [])
    if isinstance(node, ast.FunctionDef):
        yield setting("decorator_list", [])


class TooLong(BaseException):
    """A change made a loop endless."""


def behaviour(code: CodeType, value: int) -> tuple[str, frozenset[int], frozenset[int]]:
    """Return all that a caller sees of ``f(value)``, the lines executed by it, and those executed on import."""
    lines: set[int] = set()
    steps = 0

    def trace(frame: FrameType, event: str, _: object) -> Any:
        nonlocal steps
        if frame.f_code.co_filename != "<tried>":
            return None
        if event == "line":
            lines.add(frame.f_lineno)
            steps += 1
            if steps > STEPS:
                raise TooLong
        return trace

    space: dict[str, Any] = {"__name__": "tried"}
    exec(PRELUDE, space)
    before = sys.gettrace()
    said: list[object] = []
    try:
        sys.settrace(trace)
        exec(code, space)
        imported = frozenset(lines)
        lines.clear()
        result = space["f"](value)
        if callable(result) and not isinstance(result, type):
            result = result()
        said += [type(result).__name__, list(result) if hasattr(result, "send") else seen(result)]
    except BaseException as error:
        said += [type(error).__name__, str(error)]
    finally:
        sys.settrace(before)
    said += [space["log"], space["counter"], space["limit"]]
    return repr(said), frozenset(lines), imported


def seen(result: object) -> object:
    return getattr(result, "__name__", "?") if callable(result) else result


def compiled(source: str) -> CodeType | None:
    try:
        return compile(source, "<tried>", "exec")
    except SyntaxError:
        return None


@pytest.mark.filterwarnings("ignore::SyntaxWarning")
@pytest.mark.parametrize("source", SOURCES.values(), ids=SOURCES.keys())
def test_a_run_without_anchors_behaves_the_same(source: str) -> None:
    source = textwrap.dedent(source).lstrip("\n")
    code = compiled(source)
    assert code is not None
    originals = [behaviour(code, value) for value in INPUTS]
    mutants = {mutated: changed for mutated in edits_of(source) if (changed := compiled(mutated)) is not None}
    for mutated, changed in mutants.items():
        groups = anchors(source, mutated)
        if same_tree(source, mutated):
            assert groups == ()
        if groups is None:
            continue
        lines = frozenset().union(*groups)
        for value, (said, executed, imported) in zip(INPUTS, originals, strict=True):
            if not lines & (executed | imported):
                assert behaviour(changed, value)[0] == said, (
                    f"{mutated}\nf({value}): {sorted(lines)} {sorted(executed)}"
                )


def test_anchors_do_spare_runs() -> None:
    spared = told = 0
    for name in ("branches", "try", "match"):
        source = textwrap.dedent(SOURCES[name]).lstrip("\n")
        code = compiled(source)
        assert code is not None
        executed = [behaviour(code, value)[1] for value in INPUTS]
        for mutated in edits_of(source):
            groups = anchors(source, mutated) if compiled(mutated) else None
            told += len(INPUTS)
            spared += sum(not frozenset().union(*groups) & lines for lines in executed) if groups is not None else 0
    assert spared > told / 5


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("def f(x=1):\n    return x\n", "def f(x=2):\n    return x\n"),
        ("def f(x):\n    return x\n", "@g\ndef f(x):\n    return x\n"),
        ("def f(x):\n    return x\n", "def f(x: int):\n    return x\n"),
        ("def f(x):\n    return x\n", "def f(x):\n    yield x\n"),
        ('def f(x):\n    """A."""\n    return x\n', 'def f(x):\n    """B."""\n    return x\n'),
        ("A = 1\ndef f(x):\n    return x\n", "A = 2\ndef f(x):\n    return x\n"),
        ("class C:\n    a = 1\n", "class C:\n    a = 2\n"),
        ("f = lambda x: x\n", "f = lambda x: -x\n"),
    ],
)
def test_nothing_is_said_of_changes_that_no_line_shows(before: str, after: str) -> None:
    assert anchors(before, after) is None


def test_each_changed_place_has_its_own_group() -> None:
    before = "def f(x):\n    a = 1\n    b = (\n        2\n    )\n    return a\ndef g(x):\n    return x\n"
    after = before.replace("a = 1", "a = 3").replace("        2", "        4").replace("return x", "return -x")
    assert anchors(before, after) == (frozenset({2}), frozenset({3, 4, 5}), frozenset({8}))


def test_a_name_that_becomes_local_reaches_the_whole_body() -> None:
    before = "def f(x):\n    y = limit\n    if x:\n        pass\n    return y\n"
    assert anchors(before, before.replace("pass", "limit = 1")) == (frozenset({2, 3, 4, 5}),)
    assert anchors(before, before.replace("if x:", "fresh = 1\n    if x:")) == (frozenset({3}),)


def test_a_dead_local_is_seen_where_the_body_begins() -> None:
    source = 'def f(x):\n    """Say."""\n    y = x\n    return y\n'
    assert anchors(source, equivalent(source)) == (frozenset({3}),)
