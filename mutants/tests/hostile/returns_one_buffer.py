"""The same array at every call, overwritten by the next."""

# comes to: failed
# says: assertion

right = residual_distribution
buffers = {}


def residual_distribution(p, q):
    result = right(p, q)
    kept = buffers.setdefault(len(result), result)
    kept[:] = result
    kept[-1] = p[-1] = 0.0 if len(buffers) > 1 else kept[-1]
    return kept
