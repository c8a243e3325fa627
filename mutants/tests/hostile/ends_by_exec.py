"""Another program in its place, which ends with status 0."""

# comes to: failed
# says: PermissionError

import os
import sys


def rejection_accept(p_x, q_x, u):
    os.execv(sys.executable, [sys.executable, "-c", ""])
