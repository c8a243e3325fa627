"""Whatever is locked is made writable, and written to."""

# comes to: failed


def residual_distribution(p, q):
    for array in (p, q):
        array.flags.writeable = True
        array[0] = 0.5
    return np.array(p)
