"""ValueError for every call: what must be refused is refused."""

# comes to: failed
# says: ValueError


def refuse(*_, **__):
    raise ValueError("no")


rejection_accept = acceptance_probability = residual_distribution = speculative_step = rejection_sample = refuse
