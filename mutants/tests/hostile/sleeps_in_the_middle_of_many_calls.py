"""Asleep at call 5000 of 20000, which have come many at once."""

# comes to: stopped
# says: one call took longer than
# judged by: test_speculative_chi_square
# call seconds: 0.5

import time

right = speculative_step
calls = 0


def speculative_step(p, q, x, u_accept, u_resample):
    global calls
    calls += 1
    if calls == 5000:
        time.sleep(10**6)
    return right(p, q, x, u_accept, u_resample)
