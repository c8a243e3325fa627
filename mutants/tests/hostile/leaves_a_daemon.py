"""A process of its own session, which would outlive the test."""

# comes to: failed
# says: PermissionError

import os
import time


def rejection_accept(p_x, q_x, u):
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            time.sleep(600)
        os._exit(0)
    return True
