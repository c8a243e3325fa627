"""It gives the source another random() for the next one who draws."""

# comes to: failed
# says: AttributeError


def rejection_sample(p, q, m, rng, max_tries=10000):
    rng.random = lambda: 0.0
    return 0, 1
