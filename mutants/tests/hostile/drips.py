"""An answer that comes a byte at a time, each in good time."""

# comes to: stopped
# says: one call took longer than
# judged by: test_accept_is_strict
# call seconds: 0.3

import os
import time


def rejection_accept(p_x, q_x, u):
    while True:
        for number in range(3, 64):
            try:
                os.write(number, b"\0")
            except OSError:
                continue
        time.sleep(0.05)
