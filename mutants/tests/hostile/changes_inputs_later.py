"""The arrays of the call before are overwritten by the next call."""

# comes to: failed
# says: assertion

before = []


def residual_distribution(p, q):
    for array in before:
        array[:] = 0.0
    before[:] = [p, q]
    return np.array(p)
