"""Find the objects that stand before anything is drawn: a test may know one again, and will not know its copy."""

import gc
import types
from collections.abc import Iterable
from typing import Any

_MOST = 50_000
_NEVER_COPIED = frozenset({str, int, float, bool, bytes, type(None)})
_NOT_ENTERED = (types.ModuleType, type, types.CodeType, types.BuiltinFunctionType, types.FrameType)


def standing(owner: Any, ours: object) -> set[int] | None:
    """Return the ids of what a property's strategies and its module hold on to; None where that is too much to look at.

    Args:
        owner: the function that ``given`` made.
        ours: what stands in the property for us, and leads to all of pytest; it is not entered.
    """
    pending: list[object] = [owner.hypothesis, *vars(owner).values()]
    found = {id(ours)}
    alive = []
    while pending:
        thing = pending.pop()
        kind, place = type(thing), id(thing)
        if kind in _NEVER_COPIED or place in found or issubclass(kind, _NOT_ENTERED):
            continue
        found.add(place)
        alive.append(thing)  # an id is one object's only as long as that lives
        if len(found) > _MOST:
            return None
        pending += _looked_up(thing) if isinstance(thing, types.FunctionType) else gc.get_referents(thing)
    return found


def _looked_up(function: types.FunctionType) -> Iterable[object]:
    """Return what a function has and may name: not all of its module, which leads to all of everything.

    Its code is not asked for by name: that is told to whoever listens for readers of the target.
    """
    parts = [part for part in gc.get_referents(function) if part is not function.__globals__]
    names = {
        name for part in parts if isinstance(part, types.CodeType) for one in _codes(part) for name in one.co_names
    }
    return [*parts, *(value for name, value in function.__globals__.items() if name in names)]


def _codes(code: types.CodeType) -> Iterable[types.CodeType]:
    yield code
    for item in code.co_consts:
        if isinstance(item, types.CodeType):
            yield from _codes(item)
