"""Right for the first three calls of each process."""

# comes to: failed
# says: assertion

right = rejection_accept
calls = 0


def rejection_accept(p_x, q_x, u):
    global calls
    calls += 1
    return right(p_x, q_x, u) if calls <= 3 else True
