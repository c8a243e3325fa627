"""An object whose __del__ ends the process, dropped in a call."""

# comes to: stopped
# says: the guest ended: exit status 0

import os


class Last:
    def __del__(self):
        os._exit(0)


def rejection_accept(p_x, q_x, u):
    Last()
    return True
