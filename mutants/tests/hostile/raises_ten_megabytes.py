"""An exception of ten megabytes."""

# comes to: failed
# says: RuntimeError


def acceptance_probability(p, q):
    raise RuntimeError("x" * 10_000_000)
