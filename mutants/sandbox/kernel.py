"""What Python's standard library does not ask the kernel for: ``prctl`` and system calls by number."""

import ctypes
import functools
import os

PR_SET_PDEATHSIG = 1
PR_GET_DUMPABLE = 3
PR_SET_DUMPABLE = 4
PR_SET_SECCOMP = 22
PR_SET_CHILD_SUBREAPER = 36
PR_SET_NO_NEW_PRIVS = 38
PR_GET_NO_NEW_PRIVS = 39
PR_CAP_AMBIENT = 47


@functools.cache
def libc() -> ctypes.CDLL:
    """Return the C library of this process."""
    library = ctypes.CDLL(None, use_errno=True)
    library.syscall.restype = ctypes.c_long
    return library


def prctl(option: int, *arguments: int) -> int:
    """Call ``prctl`` and return its answer.

    Raises:
        OSError: the kernel refused.
    """
    words = [ctypes.c_ulong(word) for word in (*arguments, 0, 0, 0, 0)[:4]]
    return _checked(libc().prctl(option, *words), f"prctl {option}")


def syscall(number: int, *arguments: int | ctypes.c_void_p | None) -> int:
    """Make a system call by its number and return its answer.

    Raises:
        OSError: the kernel refused.
    """
    words = [ctypes.c_long(word) if isinstance(word, int) else word for word in arguments]
    return _checked(libc().syscall(ctypes.c_long(number), *words), f"system call {number}")


def _checked(answer: int, what: str) -> int:
    if answer == -1:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")
    return answer
