"""Half a character in the text of its error, and in its answer."""

# comes to: failed
# says: ValueError


def acceptance_probability(p, q):
    raise ValueError("\ud83d\udfff\udc80")
