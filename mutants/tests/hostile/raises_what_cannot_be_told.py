"""An exception whose text cannot be made."""

# comes to: failed
# says: Silent


class Silent(Exception):
    def __str__(self):
        raise RuntimeError("no text")

    __repr__ = __str__


def acceptance_probability(p, q):
    raise Silent
