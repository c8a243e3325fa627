"""A list in a list in a list, ten thousand times."""

# comes to: stopped
# says: nested too deeply


def residual_distribution(p, q):
    result = []
    for _ in range(10_000):
        result = [result]
    return result
