"""A function that calls itself without end."""

# comes to: failed
# says: RecursionError


def rejection_accept(p_x, q_x, u):
    return rejection_accept(p_x, q_x, u)
