"""What the probes have in common: a tally of what was tried and what it led to, and ways to ask the kernel directly."""

import contextlib
import errno
from collections.abc import Callable
from typing import Any

from acidtest.mutants.sandbox import kernel, seccomp, syscalls

MB = 2**20


class Tally:
    """How many ways were tried, and which of them led somewhere."""

    def __init__(self) -> None:
        self.tried = 0
        self.managed: list[str] = []

    def attempt(self, what: str, action: Callable[..., Any], *arguments: Any) -> None:
        """Try an action: it managed ``what`` where it returns anything true."""
        self.tried += 1
        with contextlib.suppress(OSError, MemoryError, RuntimeError, ValueError, AttributeError):
            if action(*arguments):
                self.managed.append(what)


def done(action: Callable[..., Any], *arguments: Any) -> bool:
    """Call, and return that it could be called, whatever it returned."""
    action(*arguments)
    return True


def numbers(group: str) -> dict[str, int]:
    """Return the system calls of a group on this machine."""
    return syscalls.numbers(group, seccomp.machine())


def is_answered(number: int) -> bool:
    """Return whether the kernel looks at what a system call asks for, instead of refusing the call as such."""
    try:
        kernel.syscall(number, -1, -1, -1, -1, -1, -1)
    except OSError as error:
        return error.errno not in (errno.EPERM, errno.ENOSYS)
    return True
