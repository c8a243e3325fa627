"""A header of a hundred thousand brackets."""

# comes to: stopped
# says: protocol fault

import os
import struct


def rejection_accept(p_x, q_x, u):
    for number in range(3, 64):
        try:
            os.write(number, struct.pack("<II", 100_000, 0) + b"[" * 100_000)
        except OSError:
            continue
