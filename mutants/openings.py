"""Put one statement first in every function: how the lab makes the variants whose verdict is known beforehand."""

import ast

from acidtest.mutants.syntax import (
    FUNCTIONS,
    NodePath,
    SpliceError,
    Text,
    functions_in,
    node_at,
    parse,
    same_nodes,
    tree_of,
)

CANARY = 'raise BaseException("acidtest canary")'
DEAD_LOCAL = "_acidtest_dead = None"


def canary(source: str, exclude: frozenset[str] = frozenset()) -> str:
    """Return ``source`` with a ``BaseException`` raised first thing in every function and method not in ``exclude``.

    Nested functions are not touched, nor the methods of a ``Protocol``, which only describe others.
    """
    return _open_bodies(source, CANARY, exclude)


def equivalent(source: str) -> str:
    """Return ``source`` with a local that nothing reads in every function and method: it behaves as before."""
    return _open_bodies(source, DEAD_LOCAL, frozenset())


def _open_bodies(source: str, statement: str, exclude: frozenset[str]) -> str:
    """Return ``source`` with ``statement`` first in every body, after the docstring, and the tree compared."""
    tree = parse(source, "the source")
    text = Text(source)
    expected = parse(source, "the source")
    data = text.data
    opened = [
        (node, path) for name, node, path in functions_in(tree) if name not in exclude and not _in_protocol(tree, path)
    ]
    for node, path in reversed(opened):
        position = 0 if ast.get_docstring(node, clean=False) is None else 1
        twin = node_at(expected, path)
        assert isinstance(twin, FUNCTIONS)
        twin.body[position:position] = tree_of(statement).body
        if position < len(node.body):
            start, _ = text.extent([node.body[position]])
            own_line = not text.data[text.line_start(start) : start].strip()
            opening = statement + (text.newline + text.indent(start) if own_line else "; ")
        else:
            start = text.extent([node.body[0]])[1]
            docstring = text.extent([node.body[0]])[0]
            own_line = not text.data[text.line_start(docstring) : docstring].strip()
            opening = (text.newline + text.indent(docstring) if own_line else "; ") + statement
        data = data[:start] + opening.encode() + data[start:]
    if not same_nodes(tree_of(data), expected):
        raise SpliceError(f"{statement!r} cannot be put into every function of the source")
    return data.decode()


def _in_protocol(tree: ast.Module, path: NodePath) -> bool:
    owners = [node_at(tree, path[:length]) for length in range(len(path))]
    bases = [base for owner in owners if isinstance(owner, ast.ClassDef) for base in owner.bases]
    return any("Protocol" in ast.unparse(base) for base in bases)
