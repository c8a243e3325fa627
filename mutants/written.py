"""Say in Python how a call's live arguments are made, inside a worker: a test to paste needs them as code."""

import json
import math
from collections.abc import Mapping
from types import ModuleType
from typing import Any

import numpy as np

from acidtest.mutants.repetition import SCALARS, list_text


def written(calls: ModuleType | None, module: str, function: str, args: Mapping[str, Any]) -> str:
    """Return a JSON object: the ``module`` where the function is, and its ``arguments`` as expressions by name.

    Expressions use ``np``, ``math`` and, for a source of uniforms, ``Script([...])``; null where there is none. What
    the calls module offers goes with them: ``given``, for the parameters of properties, ``code`` and ``imports`` each,
    and ``recipe``, the ``setup`` and the ``call`` for a function that is not simply called.

    Args:
        module: where the function is, unless the calls module knows better.
    """
    home, live = module, dict(args)
    if calls is not None:
        home = calls.FUNCTIONS.get(function, module)
        live = calls.build(function, args)
    given, recipe = getattr(calls, "given", None), getattr(calls, "recipe", None)
    found = {
        "module": home,
        "arguments": {name: _argument(value, args.get(name)) for name, value in live.items()},
        "given": given(function, args) if given is not None else {},
        "recipe": recipe(function) if recipe is not None else None,
    }
    return json.dumps(found)


def expression(value: object) -> str | None:
    """Return the expression that makes ``value`` anew; None where there is none that this module knows."""
    if isinstance(value, np.ndarray):
        return _array(value)
    if isinstance(value, np.generic):
        inner = expression(value.item())
        return None if inner is None else f"np.{type(value).__name__}({inner})"
    if type(value) is float:
        return _float(value)
    if type(value) is complex:
        return f"complex({_float(value.real)}, {_float(value.imag)})"
    if value is None or type(value) in (bool, int, str, bytes):
        return repr(value)
    if type(value) in (list, tuple):
        parts = [expression(part) for part in value]  # type: ignore[attr-defined]
        if any(part is None for part in parts):
            return None
        inside = ", ".join(map(str, parts))
        if type(value) is list and all(type(part) in SCALARS for part in value):
            return list_text(list(map(str, parts)))
        return f"[{inside}]" if type(value) is list else f"({inside}{',' if len(parts) == 1 else ''})"
    return None


def _argument(value: object, plain: object) -> str | None:
    """Return an argument's expression; a source of uniforms, known by its count ``drawn``, by its script."""
    if type(getattr(value, "drawn", None)) is int and isinstance(plain, list):
        script = expression(plain)
        return None if script is None else f"Script({script})"
    return expression(value)


def _float(value: float) -> str:
    if math.isnan(value):
        return "math.nan"
    if math.isinf(value):
        return "math.inf" if value > 0 else "-math.inf"
    return repr(value)


def _array(array: "np.ndarray[Any, Any]") -> str | None:
    inner = expression(array.tolist())
    if inner is None or type(array) is not np.ndarray:
        return None
    plain = array.dtype == np.array(array.tolist()).dtype
    if array.size == 0 and array.ndim != 1:
        return f"np.empty({array.shape!r}, dtype={str(array.dtype)!r})"
    return f"np.array({inner})" if plain else f"np.array({inner}, dtype={str(array.dtype)!r})"
