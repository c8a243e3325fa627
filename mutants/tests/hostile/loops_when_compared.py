"""Its answer is done, and its __del__ is not."""

# comes to: stopped
# says: one call took longer than
# judged by: test_accept_is_strict
# call seconds: 0.3


class Slow:
    def __del__(self):
        while True:
            pass


def rejection_accept(p_x, q_x, u):
    return Slow() is None
