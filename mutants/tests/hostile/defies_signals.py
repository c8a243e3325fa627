"""Deaf to every signal that can be ignored, and busy."""

# comes to: stopped
# says: one call took longer than
# judged by: test_accept_is_strict
# call seconds: 0.3

import contextlib
import signal

for number in signal.valid_signals():
    with contextlib.suppress(OSError, ValueError):
        signal.signal(number, signal.SIG_IGN)


def rejection_accept(p_x, q_x, u):
    while True:
        pass
