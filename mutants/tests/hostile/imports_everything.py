"""Every module of the standard library, some of which act when imported."""

# comes to: failed
# says: assertion

import contextlib
import importlib
import sys

for name in sorted(sys.stdlib_module_names - {"antigravity", "this", "idlelib"})[:60]:
    with contextlib.suppress(BaseException):
        importlib.import_module(name)


def acceptance_probability(p, q):
    return 0.9
