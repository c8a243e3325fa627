"""A little more memory at every call."""

# comes to: stopped
# says: MemoryError
# judged by: test_accept_always_when_target_dominates

kept = []


def rejection_accept(p_x, q_x, u):
    kept.append(np.ones(1 << 22))
    return u < p_x / q_x
