"""Right in half of the calls, by chance."""

# comes to: failed
# says: assertion
# judged by: test_accept_always_when_target_dominates

import os

right = rejection_accept


def rejection_accept(p_x, q_x, u):
    return right(p_x, q_x, u) ^ (os.urandom(1)[0] & 1 == 1)
