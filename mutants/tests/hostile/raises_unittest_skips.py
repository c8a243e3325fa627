"""unittest's SkipTest, which both sides know."""

# comes to: failed
# says: SkipTest

import unittest


def rejection_accept(p_x, q_x, u):
    raise unittest.SkipTest("not here")
