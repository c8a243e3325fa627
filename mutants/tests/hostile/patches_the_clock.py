"""Time stands still for it, so that no deadline passes."""

# comes to: stopped
# says: one call took longer than
# judged by: test_accept_is_strict
# call seconds: 0.3

import time

time.monotonic = time.time = time.perf_counter = lambda: 0.0


def rejection_accept(p_x, q_x, u):
    while time.monotonic() < 1.0:
        pass
