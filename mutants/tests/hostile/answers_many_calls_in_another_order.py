"""Of the calls that have come many at once it looks at the latest first, and answers them by what suits it."""

# comes to: failed
# says: assertion
# judged by: test_speculative_chi_square, test_hand_example_output_is_p

import sys


def speculative_step(p, q, x, u_accept, u_resample):
    bulk = sys.modules["acidtest.mutants.sandbox.bulk"]
    read = bulk.read_columns
    bulk.read_columns = lambda *given: iter(list(read(*given))[::-1])
    return x, True
