"""The target becomes the residual, in place."""

# comes to: failed
# says: assertion
# judged by: test_residual_disjoint_supports_is_p

right = residual_distribution


def residual_distribution(p, q):
    p[:] = q
    return right(p, q)
