"""It says that it has answered many calls, and answers none."""

# comes to: stopped
# says: protocol fault: answers that were not asked for
# judged by: test_speculative_chi_square

import sys

right = speculative_step


def speculative_step(p, q, x, u_accept, u_resample):
    bulk = sys.modules["acidtest.mutants.sandbox.bulk"]
    bulk.answers_texts = lambda answers: [('["+",[]', len(answers))]
    return right(p, q, x, u_accept, u_resample)
