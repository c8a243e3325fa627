"""SIGKILL, sent to itself."""

# comes to: stopped
# says: the guest was killed: SIGKILL

import os
import signal


def rejection_accept(p_x, q_x, u):
    os.kill(os.getpid(), signal.SIGKILL)
