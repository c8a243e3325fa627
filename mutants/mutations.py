"""mutmut's mutated functions as texts, by its own rules, where mutmut may run.

mutmut puts all mutants of a file into one long module: each is a copy of its function that is walked through, built
anew and written. Here the changed node alone is written, in the place that it has in the function's text. That gives
the same characters where neither goes past a line's end and nothing around it is written otherwise for its sake; every
other mutant is left to mutmut. With ``generated``, the only module that knows mutmut.
"""

import itertools
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import libcst as cst
from libcst.metadata import CodeRange, MetadataWrapper, WhitespaceInclusivePositionProvider
from mutmut.mutation.file_mutation import (
    Mutation,
    combine_mutations_to_source,
    create_mutations,
    group_by_top_level_node,
)

from acidtest.mutants.syntax import lines_of

Row = tuple[str, int, str, str]
"""A function's qualified name, the mutant's number, and the function's text before and after."""
_LEFT_TO_WHAT_IS_AROUND = ("comma", "semicolon")


def make(module: str) -> list[Row]:
    """Return the mutants of a module's file in the current folder, with mutmut's numbers and in its order."""
    path = Path(f"{module}.py")
    text = path.read_bytes().decode()
    tree, mutations, *_ = create_mutations(path.name, text)
    grouped = group_by_top_level_node(mutations)
    functions = [(name, node, grouped[node]) for name, node in _functions(tree) if node in grouped]
    names = [name for name, _, _ in functions]
    if len(set(names)) < len(names) or not tree.has_trailing_newline:
        return made_by_mutmut(tree, mutations)
    written = _Written(tree, text)
    own = [[(mutation, written.mutated(node, mutation)) for mutation in some] for _, node, some in functions]
    left = [mutation for some in own for mutation, mutated in some if mutated is None]
    theirs = iter(made_by_mutmut(tree, left) if left else ())
    return [
        (name, number, written.function(node), next(theirs)[3] if mutated is None else mutated)
        for (name, node, _), some in zip(functions, own, strict=True)
        for number, (_, mutated) in enumerate(some, start=1)
    ]


def made_by_mutmut(tree: cst.Module, mutations: Sequence[Mutation]) -> list[Row]:
    """Return the same by mutmut's own long module."""
    file = combine_mutations_to_source(tree, mutations)
    lines = lines_of(file.code, keepends=True)

    def text(name: str, function: str) -> str:
        span = file.line_span_by_function_name[name]
        return _renamed(lines[span.start - 1 : span.end], name, function.rpartition(".")[2])

    rows = []
    for name in file.mutant_names:
        mangled, _, number = name.rpartition("__mutmut_")
        function = mangled[2:].replace("ǁ", ".")  # x_f, or xǁClassǁmethod
        rows.append((function, int(number), text(f"{mangled}__mutmut_orig", function), text(name, function)))
    return rows


def _renamed(lines: Sequence[str], name: str, own: str) -> str:
    """Return a function that mutmut wrote under its own name, without the blank lines and comments above it."""
    kept = _without_lead(lines)
    head = next(index for index, line in enumerate(kept) if name in line)
    kept[head] = kept[head].replace(name, own, 1)
    return "".join(kept)


def _without_lead(lines: Sequence[str]) -> list[str]:
    return list(itertools.dropwhile(lambda line: not line.strip() or line.lstrip().startswith("#"), lines))


def _functions(tree: cst.Module) -> Iterator[tuple[str, cst.FunctionDef]]:
    """Yield the functions that mutmut looks at, with their qualified names: at the top, and right in a class there."""
    for statement in tree.body:
        if isinstance(statement, cst.FunctionDef):
            yield statement.name.value, statement
        elif isinstance(statement, cst.ClassDef) and isinstance(statement.body, cst.IndentedBlock):
            for method in statement.body.body:
                if isinstance(method, cst.FunctionDef):
                    yield f"{statement.name.value}.{method.name.value}", method


class _Written:
    """Where everything stands in a module's text.

    Args:
        tree: the module; none of its nodes is in it twice.
    """

    def __init__(self, tree: cst.Module, text: str) -> None:
        self._tree = tree
        self._text = text
        self._starts = [0, *itertools.accumulate(map(len, lines_of(text, keepends=True)))]
        wrapper = MetadataWrapper(tree, unsafe_skip_copy=True)
        self._places: Mapping[cst.CSTNode, CodeRange] = wrapper.resolve(WhitespaceInclusivePositionProvider)

    def function(self, function: cst.FunctionDef) -> str:
        """Return a function's text, without the blank lines and comments above it."""
        begin, end = self._extent(function)
        return self._text[begin:end]

    def mutated(self, function: cst.FunctionDef, mutation: Mutation) -> str | None:
        """Return a function's text with one node written otherwise; None where that alone may not be all of it."""
        before, after = mutation.original_node, mutation.mutated_node
        if before is function.name or before not in self._places:
            return None
        if any(getattr(before, name, None) is not getattr(after, name, None) for name in _LEFT_TO_WHAT_IS_AROUND):
            return None
        begin, end = self._extent(function)
        first, last = self._extent(before)
        new = self._tree.code_for_node(after)
        old = self._text[first:last]
        if not begin <= first <= last <= end or len(lines_of(f"{old}.")) + len(lines_of(f"{new}.")) > 2:
            return None
        if self._tree.code_for_node(before) != old:
            return None
        return self._text[begin:first] + new + self._text[last:end]

    def _extent(self, node: cst.CSTNode) -> tuple[int, int]:
        place = self._places[node]
        begin, end = (self._starts[point.line - 1] + point.column for point in (place.start, place.end))
        if isinstance(node, cst.FunctionDef):
            lines = lines_of(self._text[begin:end], keepends=True)
            begin = end - sum(map(len, _without_lead(lines)))
        return begin, end
