"""A handler of SIGUSR1 that ends with status 0, and that signal."""

# comes to: stopped
# says: the guest ended: exit status 0

import os
import signal

signal.signal(signal.SIGUSR1, lambda *_: os._exit(0))


def rejection_accept(p_x, q_x, u):
    signal.raise_signal(signal.SIGUSR1)
