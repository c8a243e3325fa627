"""Another answer from the fifth call on, whichever function was called before."""

# comes to: failed
# says: assertion

right = (rejection_accept, acceptance_probability, speculative_step)
calls = 0


def counted():
    global calls
    calls += 1
    return calls


def rejection_accept(p_x, q_x, u):
    return right[0](p_x, q_x, u) != (counted() > 4)


def acceptance_probability(p, q):
    return right[1](p, q) + 0.25 * (counted() > 4)
