"""It waits for somebody to type."""

# comes to: failed
# says: EOFError


def rejection_accept(p_x, q_x, u):
    return input("accept? ") == "y"
