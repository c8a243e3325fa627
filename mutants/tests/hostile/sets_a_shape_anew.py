"""The caller's array gets another shape."""

# comes to: stopped
# says: set the shape or the type of an array anew


def residual_distribution(p, q):
    p.resize((1, len(p)), refcheck=False)
    return p[0].copy()
