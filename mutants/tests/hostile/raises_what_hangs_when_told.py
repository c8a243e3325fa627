"""An exception whose text takes for ever."""

# comes to: stopped
# says: one call took longer than
# judged by: test_hand_example
# call seconds: 0.3


class Slow(Exception):
    def __str__(self):
        while True:
            pass


def acceptance_probability(p, q):
    raise Slow
