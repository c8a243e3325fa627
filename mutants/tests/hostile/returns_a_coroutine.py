"""Functions that are async: nothing has been computed when the call is over."""

# comes to: failed


async def rejection_accept(p_x, q_x, u):
    return u < p_x / q_x


async def acceptance_probability(p, q):
    return 0.5
