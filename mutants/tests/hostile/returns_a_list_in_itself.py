"""A list that holds itself."""

# comes to: stopped
# says: nested too deeply


def residual_distribution(p, q):
    result = []
    result.append(result)
    return result
