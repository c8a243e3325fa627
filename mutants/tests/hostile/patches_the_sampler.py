"""The reference's sampler replaced, as if the tests called it."""

# comes to: failed

from tinyllm.prob import categorical

categorical.sample_categorical = lambda p, u: 0


def speculative_step(p, q, x, u_accept, u_resample):
    return categorical.sample_categorical(p, u_resample), True
