"""AssertionError, so that it looks like the test's own."""

# comes to: failed
# says: assertion


def rejection_accept(p_x, q_x, u):
    assert False, "expected: True, got: True"
