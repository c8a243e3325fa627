"""None, and nothing raised."""

# comes to: failed


def acceptance_probability(p, q):
    pass


def speculative_step(p, q, x, u_accept, u_resample):
    pass
