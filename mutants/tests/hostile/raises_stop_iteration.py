"""StopIteration, which ends whatever loop is around it."""

# comes to: failed
# says: StopIteration


def rejection_accept(p_x, q_x, u):
    raise StopIteration
