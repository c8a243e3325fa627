"""Find the objects that stand before anything is drawn: a test may know one again, and will not know its copy."""

import gc
import itertools
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
    found = {id(ours)}
    alive: list[object] = []
    level: list[object] = [owner.hypothesis, *vars(owner).values()]
    while level:
        new = {id(thing): thing for thing in level if type(thing) not in _NEVER_COPIED}
        entered = {kind for kind in set(map(type, new.values())) if not issubclass(kind, _NOT_ENTERED)}
        things = {place: thing for place, thing in new.items() if place not in found and type(thing) in entered}
        found |= things.keys()
        if len(found) > _MOST:
            return None
        alive += things.values()  # an id is one object's only as long as that lives
        functions = [thing for thing in things.values() if isinstance(thing, types.FunctionType)]
        others = [thing for thing in things.values() if not isinstance(thing, types.FunctionType)]
        level = [*gc.get_referents(*others), *itertools.chain.from_iterable(map(_looked_up, functions))]
    return found


def _looked_up(function: types.FunctionType) -> Iterable[object]:
    """Return what a function has and may name: not all of its module, which leads to all of everything.

    Of Hypothesis' own functions only what they have: it draws what strategies hold, and nothing from its modules.

    Its code is not asked for by name: that is told to whoever listens for readers of the target.
    """
    parts = [part for part in gc.get_referents(function) if part is not function.__globals__]
    if function.__globals__.get("__name__", "").partition(".")[0] == "hypothesis":
        return parts
    names = {
        name for part in parts if isinstance(part, types.CodeType) for one in _codes(part) for name in one.co_names
    }
    return [*parts, *(value for name, value in function.__globals__.items() if name in names)]


def _codes(code: types.CodeType) -> Iterable[types.CodeType]:
    yield code
    for item in code.co_consts:
        if isinstance(item, types.CodeType):
            yield from _codes(item)
