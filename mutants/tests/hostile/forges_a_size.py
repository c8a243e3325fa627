"""A frame that claims to be 4 GB long."""

# comes to: stopped
# says: protocol fault: a frame of

import os


def rejection_accept(p_x, q_x, u):
    for number in range(3, 64):
        try:
            os.write(number, b"\xff" * 64)
        except OSError:
            continue
