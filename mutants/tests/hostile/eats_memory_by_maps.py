"""Memory that no list holds: maps, shared ones and nameless files."""

# comes to: failed
# says: OSError

import mmap
import os


def rejection_accept(p_x, q_x, u):
    kept = []
    try:
        os.ftruncate(os.memfd_create("note"), 1 << 40)
    except OSError:
        while True:
            kept.append(mmap.mmap(-1, 1 << 27))
            kept[-1].write(b"x" * (1 << 27))
