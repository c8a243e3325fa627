"""A file that grows, wherever one can be made."""

# comes to: failed
# says: No usable temporary directory

import contextlib
import tempfile


def rejection_accept(p_x, q_x, u):
    for folder in ("/tmp", "/dev/shm", "/var/tmp", "/", HOST_FOLDER):
        with contextlib.suppress(OSError), open(f"{folder}/acidtest-was-here", "wb") as file:
            while True:
                file.write(bytes(1 << 20))
    tempfile.TemporaryFile().write(bytes(1 << 20))
