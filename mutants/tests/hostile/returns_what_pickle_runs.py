"""An object whose pickle would run a command where it is loaded."""

# comes to: failed
# says: assertion

import os


class Gift:
    def __reduce__(self):
        return os.system, (f"touch {HOST_FOLDER}/acidtest-was-here",)


def acceptance_probability(p, q):
    return Gift()
