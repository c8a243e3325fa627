"""KeyboardInterrupt, as if somebody had stopped the run."""

# comes to: stopped
# says: the submission raised KeyboardInterrupt


def rejection_accept(p_x, q_x, u):
    raise KeyboardInterrupt
