"""Calls drawn from a workload's families, as text for the parent; runs in a worker."""

import base64
import json
from collections.abc import Sequence

from acidtest.mutants.calling import load_calls


def drawn(calls: str, functions: Sequence[str], count: int, seed: int) -> str:
    """Return ``count`` calls of each function from each family: base64 of JSON, ``[function, family, [args ...]]``.

    A function of which no call can be drawn is left out. The same calls for the same seed, whatever is installed.
    """
    module = load_calls(calls)
    found = []
    if module is not None and hasattr(module, "sample"):
        for function in functions:
            for family in module.families():
                try:
                    found.append(
                        [function, family, [dict(c.args) for c in module.sample(function, family, count, seed)]]
                    )
                except ValueError:
                    continue
    return base64.b64encode(json.dumps(found).encode("ascii")).decode("ascii")
