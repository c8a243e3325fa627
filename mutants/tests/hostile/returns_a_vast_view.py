"""An array of 10**15 elements in eight bytes of memory."""

# comes to: stopped


def residual_distribution(p, q):
    return np.lib.stride_tricks.as_strided(np.zeros(1), (10**15,), (0,))
