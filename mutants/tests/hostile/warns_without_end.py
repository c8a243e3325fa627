"""Ten thousand warnings, each with another text."""

# comes to: failed
# says: UserWarning

import warnings


def acceptance_probability(p, q):
    for number in range(10_000):
        warnings.warn(f"warning {number}", stacklevel=1)
    return 0.9
