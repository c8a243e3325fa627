"""Questions without end to the source of uniforms, whatever it answers."""

# comes to: stopped
# says: one call took longer than
# judged by: test_rejection_sample_draw_order
# call seconds: 0.3

import contextlib


def rejection_sample(p, q, m, rng, max_tries=10000):
    while True:
        with contextlib.suppress(Exception):
            rng.random()
