"""Two hundred megabytes on both streams."""

# comes to: failed
# says: assertion

import os
import sys


def acceptance_probability(p, q):
    for _ in range(200):
        os.write(1, b"x" * (1 << 20))
        sys.stderr.write("x" * (1 << 10))
    return 0.9
