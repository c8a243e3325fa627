"""A hundred gigabytes of ones."""

# comes to: stopped
# says: MemoryError


def rejection_accept(p_x, q_x, u):
    return bool(np.ones(10**10 + 10**9).all())
