"""A pickle in place of a frame."""

# comes to: stopped
# says: protocol fault

import os
import pickle


class Gift:
    def __reduce__(self):
        return os.system, (f"touch {HOST_FOLDER}/acidtest-was-here",)


def rejection_accept(p_x, q_x, u):
    for number in range(3, 64):
        try:
            os.write(number, pickle.dumps(Gift()))
        except OSError:
            continue
    os._exit(0)
