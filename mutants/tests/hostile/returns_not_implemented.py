"""NotImplemented, which asks the other side to compare."""

# comes to: failed
# says: assertion


def acceptance_probability(p, q):
    return NotImplemented
