"""Right for two milliseconds after its import."""

# comes to: failed
# says: assertion

import time

right = rejection_accept
until = time.monotonic() + 0.002


def rejection_accept(p_x, q_x, u):
    time.sleep(0.001)
    return right(p_x, q_x, u) if time.monotonic() < until else True
