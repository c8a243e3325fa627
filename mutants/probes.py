"""What each test executes, told by the target itself: its living functions get code that marks each statement.

A tracer is asked at every line of the target and every call of anything; a mark is one store into an array, twenty
times cheaper, seen from every thread, and no test can take it off. Code that runs at import cannot be marked this
way, nor a generator that is half through its work: ``collecting`` sees to the first, and for the second there are no
probes.
"""

import ast
import gc
import types
from collections.abc import Iterable, Iterator, Mapping

from acidtest.mutants.collecting import Lines
from acidtest.mutants.syntax import FUNCTIONS, tree_of

_PLACE = "acidtest keeps its marks here"
_SUSPENDED = (types.GeneratorType, types.CoroutineType, types.AsyncGeneratorType)
_Key = tuple[str, str, int]


class Marks(bytearray):
    """A byte for each line of each file, set where a statement that begins there was come to."""

    def __hash__(self) -> int:  # type: ignore[override]
        """Return a hash of this very object: code objects hash their constants."""
        return id(self)


class NoProbesError(Exception):
    """The target has code under way that cannot be replaced."""


class Probes:
    """Marks for the statements of the given modules, and the contexts in which they were come to.

    Made before the process forks; nothing changes until ``start``, which a child calls.

    Args:
        files: the modules' files, by module; those that are not imported have nothing to mark.

    Raises:
        NoProbesError: a function of the target is suspended half-way.
    """

    def __init__(self, files: Mapping[str, str]) -> None:
        self._marks = Marks()
        self._begins: dict[str, int] = {}
        self._contexts: dict[str, int] = {}
        self._context = ""
        codes: dict[_Key, types.CodeType] = {}
        for module, path in files.items():
            with open(path, "rb") as file:
                tree = tree_of(file.read())
            begin = self._begins[module] = len(self._marks)
            self._marks.extend(bytes(1 + max((statement.end_lineno or 0 for statement in tree.body), default=0)))
            whole = compile(_Marker(begin).visit(tree), path, "exec", dont_inherit=True)
            codes.update((_key(code), code) for code in _with_marks(whole, self._marks))
        self._functions = list(_living(codes, frozenset(files.values())))

    def start(self) -> None:
        """Let the living functions mark what they come to, in this process from here on."""
        for function, code in self._functions:
            function.__code__ = code

    def stop(self) -> None:
        """Nothing: the process ends soon, and a mark costs next to nothing."""

    def lost(self) -> bool:
        """Return False: no test can take the marks off."""
        return False

    def switch(self, context: str) -> None:
        """Mark under another context from here on."""
        self._contexts[self._context] = self._contexts.get(self._context, 0) | self.taken()
        self._context = context

    def taken(self) -> int:
        """Take the marks off, and return them as bits."""
        bits = int.from_bytes(self._marks, "little")
        self._marks[:] = bytes(len(self._marks))
        return bits

    def bits(self, module: str, lines: Iterable[int]) -> int:
        """Return the bits of some of a module's lines."""
        begin = self._begins[module]
        return sum(1 << 8 * (begin + line) for line in set(lines))

    def lines(self) -> dict[str, Lines]:
        """Return where the statements begin that were come to: context -> module -> sorted line numbers."""
        self.switch(self._context)
        found: dict[str, Lines] = {}
        ends = [*list(self._begins.values())[1:], len(self._marks)]
        for context, bits in self._contexts.items():
            marks = bits.to_bytes(len(self._marks), "little")
            for (module, begin), end in zip(self._begins.items(), ends, strict=True):
                if lines := [line for line, mark in enumerate(marks[begin:end]) if mark]:
                    found.setdefault(context, {})[module] = lines
        return found


class _Marker(ast.NodeTransformer):
    """Puts a mark before each statement of each function."""

    def __init__(self, begin: int) -> None:
        self._begin = begin
        self._inside = False

    def generic_visit(self, node: ast.AST) -> ast.AST:
        """Mark the statements of a block, those of the blocks within them, and so on."""
        outside, self._inside = self._inside, self._inside or isinstance(node, FUNCTIONS)
        super().generic_visit(node)
        if self._inside:
            for field in ("body", "orelse", "finalbody"):
                block = getattr(node, field, None)
                if isinstance(block, list) and block and isinstance(block[0], ast.stmt):
                    setattr(node, field, list(self._marked(block, _docstring(node))))
        self._inside = outside
        return node

    def _marked(self, block: list[ast.stmt], docstring: str | None) -> Iterator[ast.stmt]:
        for number, statement in enumerate(block):
            if number or docstring is None:  # a docstring is one only where nothing is before it
                yield self._mark(statement)
            yield statement

    def _mark(self, statement: ast.stmt) -> ast.stmt:
        place = ast.Subscript(ast.Constant(_PLACE), ast.Constant(self._begin + statement.lineno), ast.Store())
        mark = ast.Assign([place], ast.Constant(1))
        for node in (mark, place, place.value, place.slice, mark.value):
            ast.copy_location(node, statement)
            node.end_lineno = statement.lineno
            node.end_col_offset = statement.col_offset
        return mark


def _docstring(node: ast.AST) -> str | None:
    return ast.get_docstring(node) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) else None


def _key(code: types.CodeType) -> _Key:
    return code.co_filename, code.co_qualname, code.co_firstlineno


def _with_marks(code: types.CodeType, marks: Marks) -> Iterator[types.CodeType]:
    """Yield the code and all within it, marking where the place for the marks was kept."""
    constants: list[object] = []
    for item in code.co_consts:
        if isinstance(item, types.CodeType):
            inner = list(_with_marks(item, marks))
            constants.append(inner[-1])
            yield from inner
        else:
            constants.append(marks if item == _PLACE else item)
    yield code.replace(co_consts=tuple(constants))


def _living(
    codes: Mapping[_Key, types.CodeType], files: frozenset[str]
) -> Iterator[tuple[types.FunctionType, types.CodeType]]:
    """Yield each living function of the files, and the code that it gets.

    Raises:
        NoProbesError: one has no such code, or is suspended.
    """
    gc.unfreeze()  # what was set aside for a fork is in no list of objects; a function among it would never be marked
    for thing in gc.get_objects():
        if type(thing) is types.FunctionType and thing.__code__.co_filename in files:
            code = codes.get(_key(thing.__code__))
            if thing.__name__ == "<lambda>":
                continue  # has no statements: whoever calls it came to the one that made it
            if code is None or code.co_freevars != thing.__code__.co_freevars:
                raise NoProbesError(f"{thing.__qualname__} is not as its file says")
            yield thing, code
        elif isinstance(thing, _SUSPENDED):
            frame = (
                getattr(thing, "gi_frame", None) or getattr(thing, "cr_frame", None) or getattr(thing, "ag_frame", None)
            )
            if frame is not None and frame.f_code.co_filename in files:
                raise NoProbesError(f"{thing!r} is half through its work")
