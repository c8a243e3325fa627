"""It says that it drew more of a generator's numbers than it was told."""

# comes to: stopped
# says: protocol fault: draws of what was not there
# judged by: test_rejection_sample_tries_are_geometric

import gc

right = rejection_sample


def rejection_sample(p, q, m, rng, max_tries=10000):
    for thing in gc.get_objects():
        if type(thing).__name__ == "Server":
            thing._drawn = {0: 10**9}
    return right(p, q, m, rng, max_tries)
