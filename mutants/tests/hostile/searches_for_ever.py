"""A regular expression that takes 2 ** 60 steps."""

# comes to: stopped
# says: one call took longer than
# judged by: test_accept_is_strict
# call seconds: 0.3

import re


def rejection_accept(p_x, q_x, u):
    return bool(re.match(r"(a+)+$", "a" * 60 + "b"))
