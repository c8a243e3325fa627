"""SystemExit inside a BaseExceptionGroup."""

# comes to: stopped
# says: the submission raised BaseExceptionGroup


def rejection_accept(p_x, q_x, u):
    raise BaseExceptionGroup("all done", [SystemExit(0)])
