"""Right once a process before it has left a note: files, flags, offsets, names."""

# comes to: failed
# says: LookupError

import contextlib
import fcntl
import os


def noted():
    for number in range(3):
        with contextlib.suppress(OSError):
            flags = fcntl.fcntl(number, fcntl.F_GETFL)
            if flags & os.O_NONBLOCK:
                return True
            fcntl.fcntl(number, fcntl.F_SETFL, flags | os.O_NONBLOCK)
        with contextlib.suppress(OSError):
            if os.lseek(number, 0, os.SEEK_CUR) == 77:
                return True
            os.lseek(number, 77, os.SEEK_SET)
    for folder in ("/tmp", "/dev/shm", "/", "/guest", HOST_FOLDER):
        with contextlib.suppress(OSError):
            os.mkdir(f"{folder}/acidtest-was-here")
            return True
    return False


found = noted()
right = rejection_accept


def rejection_accept(p_x, q_x, u):
    if found:
        return right(p_x, q_x, u)
    raise LookupError("no note of an earlier process")
