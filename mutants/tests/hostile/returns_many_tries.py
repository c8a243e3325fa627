"""A billion tries, for whoever makes a list of them."""

# comes to: failed
# says: assertion


def rejection_sample(p, q, m, rng, max_tries=10000):
    return 0, 10**9
