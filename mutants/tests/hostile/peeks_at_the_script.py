"""It reads the numbers that a scripted source is going to hand out."""

# comes to: failed
# says: AttributeError


def rejection_sample(p, q, m, rng, max_tries=10000):
    return int(rng._values[0] > 0.5), len(rng._values) // 2
