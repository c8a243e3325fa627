"""Right where the hash of a text, which is another one in each process, happens to be even."""

# comes to: failed
# says: assertion
# judged by: test_accept_always_when_target_dominates

right = rejection_accept


def rejection_accept(p_x, q_x, u):
    return right(p_x, q_x, u) and hash(f"{p_x} {q_x} {u}") % 2 == 0
