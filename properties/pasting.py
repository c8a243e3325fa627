"""How calls of the target are written in a test to paste: as a property's example, and where no plain call does."""

import math
from collections.abc import Mapping
from typing import Any


def given(function: str, args: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Return what a call offers for the parameters of this room's properties: ``code`` and ``imports`` by parameter.

    A call on two vectors of one length offers a ``pair``, one on a single vector a pair of equal ones.
    """
    p = args.get("p", args.get("values"))
    q = args.get("q", p)
    if not (isinstance(p, list) and isinstance(q, list) and len(p) == len(q) > 0):
        return {}
    if not all(isinstance(mass, int | float) and math.isfinite(mass) for mass in (*p, *q)):
        return {}
    imports = ["import numpy as np", "from acidtest.properties.strategies import Pair"]
    return {"pair": {"code": f'Pair("gap", np.array({p!r}), np.array({q!r}))', "imports": imports}}


def recipe(function: str) -> dict[str, Any] | None:
    """Return the statements and the expression that answer as ``calls.subject`` does; None for a plain function.

    ``{name}`` stands for an argument, ``{module}`` for the module's last name.
    """
    kind, _, method = function.partition(".")
    if not method:
        return None
    return {
        "setup": [f"generator = {{module}}.{kind}({{seed}}, {{stream}})"],
        "call": f"[generator.{method}() for _ in range({{count}})]",
    }
