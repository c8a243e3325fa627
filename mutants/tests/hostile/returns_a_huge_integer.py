"""10 ** 5000 tries."""

# comes to: stopped
# says: more than 4300 digits


def rejection_sample(p, q, m, rng, max_tries=10000):
    return 0, 10**5000
