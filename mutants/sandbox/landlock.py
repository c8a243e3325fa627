"""Which files a process may still open: Landlock, which needs no privilege and no namespace (Linux 5.13)."""

import ctypes
import os
import stat
import struct
from collections.abc import Iterable

from acidtest.mutants.sandbox.kernel import syscall

_CREATE, _ADD, _RESTRICT = 444, 445, 446
_READ_FILE, _READ_DIR = 1 << 2, 1 << 3
_FILE_RIGHTS = {1: 13, 2: 14, 3: 15, 4: 15, 5: 16}
"""How many rights over files an ABI knows; all are taken, then reading is given back in places."""
_NEWEST = max(_FILE_RIGHTS)


def abi() -> int:
    """Return the version of Landlock that the kernel speaks.

    Raises:
        OSError: none, or it is switched off.
    """
    try:
        return syscall(_CREATE, None, 0, 1)
    except OSError as error:
        raise OSError(error.errno, f"Landlock is not available here ({os.strerror(error.errno or 0)})") from error


def restrict(readable: Iterable[str]) -> None:
    """Let this process, and whatever it starts, read these files and folders and touch no other file.

    From ABI 4 on it cannot bind or connect over TCP either, from ABI 6 on not signal a process outside nor speak to
    an abstract socket there. ``PR_SET_NO_NEW_PRIVS`` must be set.

    Raises:
        OSError: a place cannot be opened, or the kernel refused.
    """
    version = abi()
    handled = (1 << _FILE_RIGHTS[min(version, _NEWEST)]) - 1
    attributes = struct.pack("<QQQ", handled, 0b11 if version >= 4 else 0, 0b11 if version >= 6 else 0)
    size = 24 if version >= 6 else 16 if version >= 4 else 8
    ruleset = syscall(_CREATE, _pointer(attributes), size, 0)
    try:
        for place in readable:
            _give_back(ruleset, place)
        syscall(_RESTRICT, ruleset, 0)
    finally:
        os.close(ruleset)


def _give_back(ruleset: int, place: str) -> None:
    handle = os.open(place, os.O_PATH | os.O_CLOEXEC)
    try:
        rights = _READ_FILE | _READ_DIR if stat.S_ISDIR(os.fstat(handle).st_mode) else _READ_FILE
        syscall(_ADD, ruleset, 1, _pointer(struct.pack("<Qi", rights, handle)), 0)
    finally:
        os.close(handle)


def _pointer(data: bytes) -> ctypes.c_void_p:
    return ctypes.cast(ctypes.create_string_buffer(data, len(data)), ctypes.c_void_p)
