"""An exception of its own that `except Exception` does not catch."""

# comes to: stopped
# says: the submission raised Finished


class Finished(BaseException):
    pass


def rejection_accept(p_x, q_x, u):
    raise Finished
