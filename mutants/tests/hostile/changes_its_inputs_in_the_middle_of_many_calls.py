"""From call 7000 of 20000 on, which have come many at once, the target is the proposal, in place."""

# comes to: failed
# says: assertion
# judged by: test_speculative_chi_square

right = speculative_step
calls = 0


def speculative_step(p, q, x, u_accept, u_resample):
    global calls
    calls += 1
    if calls == 7000:
        p[:] = q
    return right(p, q, x, u_accept, u_resample)
