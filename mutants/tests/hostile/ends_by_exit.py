"""exit(), which an interactive session has and a script need not."""

# comes to: failed
# says: NameError


def rejection_accept(p_x, q_x, u):
    exit()
