"""Asleep, without a step of work."""

# comes to: stopped
# says: one call took longer than
# judged by: test_accept_is_strict
# call seconds: 0.3

import time


def rejection_accept(p_x, q_x, u):
    time.sleep(10**6)
