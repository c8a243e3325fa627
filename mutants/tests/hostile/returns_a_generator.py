"""A generator: nothing has been computed when the call is over."""

# comes to: failed


def residual_distribution(p, q):
    yield from p
