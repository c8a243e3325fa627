"""Modules of its own in place of numpy, math and the reference's."""

# comes to: failed

import sys
import types

for name in ("math", "operator", "numpy", "json", "struct", "socket", "tinyllm.prob.categorical"):
    sys.modules[name] = types.ModuleType(name)


def acceptance_probability(p, q):
    import math

    return math.fsum(map(min, p, q))
