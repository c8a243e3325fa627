"""The target itself in place of a copy: a later edit of the result edits p."""

# comes to: failed
# says: assertion


def residual_distribution(p, q):
    return p
