"""Of the calls that have come many at once it answers the first half, and takes the others for answered."""

# comes to: stopped
# says: the guest ended: exit status 70
# judged by: test_speculative_chi_square

import sys

right = speculative_step
halving = False


def halve(bulk, texts):
    bulk.answers_texts = lambda answers: ((text, len(answers)) for text, _ in texts(answers[: len(answers) // 2]))


def speculative_step(p, q, x, u_accept, u_resample):
    global halving
    if not halving:
        halving = True
        bulk = sys.modules["acidtest.mutants.sandbox.bulk"]
        halve(bulk, bulk.answers_texts)
    return right(p, q, x, u_accept, u_resample)
