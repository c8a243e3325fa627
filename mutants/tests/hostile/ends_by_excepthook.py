"""An excepthook that ends with status 0, and an exception for it."""

# comes to: failed
# says: RuntimeError

import os
import sys

sys.excepthook = lambda *_: os._exit(0)


def rejection_accept(p_x, q_x, u):
    raise RuntimeError("for the hook")
