"""GeneratorExit, which is no Exception."""

# comes to: stopped
# says: the submission raised GeneratorExit


def rejection_accept(p_x, q_x, u):
    raise GeneratorExit
