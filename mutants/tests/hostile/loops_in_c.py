"""One instruction that no signal of Python's interrupts."""

# comes to: stopped
# says: one call took longer than
# judged by: test_accept_is_strict
# call seconds: 0.3


def rejection_accept(p_x, q_x, u):
    return 7 ** (10**8) > 0
