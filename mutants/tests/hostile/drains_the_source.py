"""It draws uniforms until there are none."""

# comes to: failed
# says: assertion


def rejection_sample(p, q, m, rng, max_tries=10000):
    while True:
        rng.random()
