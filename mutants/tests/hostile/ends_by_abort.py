"""abort(), from C."""

# comes to: stopped
# says: the guest was killed: SIGABRT

import os


def rejection_accept(p_x, q_x, u):
    os.abort()
