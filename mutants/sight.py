"""Which functions can see a change: those whose code names, directly or through others, a function that changed."""

import dis
import types
from collections.abc import Iterable, Iterator, Mapping

_LOADS = frozenset({"LOAD_NAME", "LOAD_GLOBAL", "LOAD_ATTR", "LOAD_METHOD", "LOAD_CLASSDEREF"})


def seeing(texts: Mapping[str, str], changed: Iterable[str]) -> dict[str, int] | None:
    """Return the functions and methods that may behave differently once ``changed`` do, and how far off each is.

    A changed function has distance 0, one that names it 1, and so on.

    A function sees another if its code (nested code included) names it or its class, by the last part of a name: more
    may be returned than really do, never fewer. Up to its first entry into a changed function a call runs as before,
    so the unchanged texts decide. None: every function may see it, since something outside functions names a changed
    one or one that sees it (a decorator, a table, a base class).

    Args:
        texts: the source of each module of the target, unchanged.
        changed: qualified names such as ``PCG32.random``.
    """
    named: dict[str, frozenset[str]] = {}
    loose: set[str] = set()
    for text in texts.values():
        module = compile(text, "<target>", "exec", dont_inherit=True)
        loose |= set(_loads(module))
        _gather(module, named, loose)
    found = dict.fromkeys(changed, 0)
    if not found or not set(found) <= set(named):
        return None
    while True:
        handles = {part for name in found for part in name.split(".")}
        more = {name for name, names in named.items() if name not in found and names & handles}
        if not more:
            return None if loose & handles else found
        found |= dict.fromkeys(more, max(found.values()) + 1)


def _gather(code: types.CodeType, named: dict[str, frozenset[str]], loose: set[str], above: str = "") -> None:
    """Note what each function and method names, and what code of class level does."""
    for inner in code.co_consts:
        if not isinstance(inner, types.CodeType):
            continue
        name = f"{above}{inner.co_name}"
        if _is_function(inner):
            named[name] = named.get(name, frozenset()) | frozenset(_all_names(inner))
        else:
            loose |= set(_loads(inner))
            _gather(inner, named, loose, f"{name}.")


def _is_function(code: types.CodeType) -> bool:
    """Return whether the code is a function's; a class body has no fast locals."""
    return bool(code.co_flags & 0x2)


def _all_names(code: types.CodeType) -> Iterator[str]:
    yield from code.co_names
    for inner in code.co_consts:
        if isinstance(inner, types.CodeType):
            yield from _all_names(inner)


def _loads(code: types.CodeType) -> Iterator[str]:
    """Yield what module or class level reads; an import under the name's own name reads nothing."""
    imported = ""
    for instruction in dis.get_instructions(code):
        if instruction.opname in _LOADS and isinstance(instruction.argval, str):
            yield instruction.argval
        if instruction.opname.startswith("STORE") and imported not in ("", instruction.argval):
            yield imported
        imported = str(instruction.argval) if instruction.opname == "IMPORT_FROM" else ""
