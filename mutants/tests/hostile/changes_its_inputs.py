"""The target becomes the residual, in place."""

# comes to: failed
# says: assertion

right = residual_distribution


def residual_distribution(p, q):
    p[:] = q
    return right(p, q)
