"""Ten megabytes of text."""

# comes to: stopped
# says: protocol fault: a frame of 10.0 MB


def acceptance_probability(p, q):
    return "x" * 10_000_000
