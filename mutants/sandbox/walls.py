"""The walls that a guest raises around itself, from the inside: identity, limits, files, system calls.

They go up twice. The zygote raises its own before it imports anything of weight; each fork of it raises the last ones
before it runs code that nobody trusts. What the launcher builds from the outside (namespaces) is not seen from here.
"""

import ctypes
import os
import resource
import signal
import struct
from collections.abc import Sequence
from typing import NamedTuple

from acidtest.mutants.sandbox import kernel, landlock, seccomp

_PAGE = resource.getpagesize()
_HIGHEST = 1 << 35
"""In pages: more address space than any process can have."""
SECOND = 2
"""A guest's number behind bubblewrap, whose own process is the first there; outside no program ever has it."""


class GuestLimits(NamedTuple):
    """What one fork of a guest may use. What it may write to disk is not here: nothing.

    Attributes:
        memory_mb: address space in MiB, on top of what the zygote holds.
        cpu_seconds: processor time; SIGXCPU at its end, SIGKILL a second later.
        open_files: descriptors.
    """

    memory_mb: int = 512
    cpu_seconds: float = 20.0
    open_files: int = 64


class Identity(NamedTuple):
    """The user and group that a guest becomes."""

    uid: int
    gid: int


class Walls:
    """One guest's walls.

    Args:
        limits: of each fork.
        identity: whom to become; None where the process stays who it is.
        readable: the only files and folders it may read from then on; None where a root of its own sees to that.
        filtered: whether system calls are filtered. False is no isolation at all, only the limits.

    Attributes:
        alone: whether every process that this one can see or signal is the guest's; known once the walls have risen.
    """

    def __init__(
        self, limits: GuestLimits, identity: Identity | None, readable: Sequence[str] | None, filtered: bool
    ) -> None:
        self._limits = limits
        self._identity = identity
        self._readable = readable
        self._filtered = filtered
        machine = seccomp.machine() if filtered else ""
        self._filters = (seccomp.zygote_filter(machine), seccomp.fork_filter(machine)) if filtered else (b"", b"")
        self.alone = False
        self._held = 0
        self._zygote = os.getpid()

    def rise(self, parent: int | None) -> None:
        """Raise the zygote's walls.

        Args:
            parent: the process it must not outlive. None where it has a namespace of processes of its own, which
                does not outlive the launcher: then whatever is orphaned in there becomes this process's child.

        Raises:
            OSError: one of them cannot be raised.
        """
        _limit(resource.RLIMIT_CORE, 0)
        _limit(resource.RLIMIT_FSIZE, 0)
        if self._filtered:
            _limit(resource.RLIMIT_MEMLOCK, 0)
            _limit(resource.RLIMIT_MSGQUEUE, 0)
            kernel.prctl(kernel.PR_SET_NO_NEW_PRIVS, 1)
            if self._readable is not None:
                landlock.restrict(self._readable)
            if self._identity is not None:
                become(self._identity)
            give_up_capabilities()
            kernel.prctl(kernel.PR_SET_DUMPABLE, 0)
        if parent is not None:
            die_with(parent)
        else:
            self.alone = os.getpid() == SECOND
            kernel.prctl(kernel.PR_SET_CHILD_SUBREAPER, 1)
        if self._filtered:
            seccomp.install(self._filters[0])

    def measure(self) -> None:
        """Note how much address space the zygote holds: call it once everything is imported, before the first fork."""
        self._held = address_space()

    def enter_zygote(self) -> None:
        """Go on in a fork of the process whose walls rose: it ends with that one, and its own forks with it.

        Raises:
            OSError: the kernel refused.
        """
        die_with(self._zygote)
        self._zygote = os.getpid()

    def enter_fork(self) -> None:
        """Raise the last walls, in a fork of the zygote. They cannot be taken down, by it or by anyone.

        Raises:
            OSError: one of them cannot be raised; the fork must end.
        """
        if not self._held:
            self.measure()
        die_with(self._zygote)
        limits = self._limits
        _limit(resource.RLIMIT_CPU, max(1, round(limits.cpu_seconds)), 1)
        _limit(resource.RLIMIT_AS, self._held + limits.memory_mb * 2**20)
        _limit(resource.RLIMIT_NOFILE, limits.open_files)
        if self._filtered:
            _limit(resource.RLIMIT_NPROC, 0)
            _limit(resource.RLIMIT_SIGPENDING, 16)
            seccomp.install(seccomp.for_process(self._filters[1], os.getpid()))


def _limit(which: int, value: int, grace: int = 0) -> None:
    """Set a limit; the hard one lies ``grace`` above. One that was lower already stays."""
    _, hard = resource.getrlimit(which)
    ceiling = value + grace if hard == resource.RLIM_INFINITY else min(value + grace, hard)
    resource.setrlimit(which, (min(value, ceiling), ceiling))


def die_with(parent: int) -> None:
    """Be killed when ``parent`` ends; at once, where it has ended already.

    Raises:
        OSError: the kernel refused.
    """
    kernel.prctl(kernel.PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)


def become(identity: Identity) -> None:
    """Change user and group for good; being root must not be within reach afterwards.

    Raises:
        OSError: the kernel refused, or the way back is open.
    """
    os.setgroups([])
    os.setresgid(identity.gid, identity.gid, identity.gid)
    os.setresuid(identity.uid, identity.uid, identity.uid)
    try:
        os.setuid(0)
    except PermissionError:
        return
    raise PermissionError("the process can still become root")


def give_up_capabilities() -> None:
    """Give up every capability, those that a program could inherit too.

    Raises:
        OSError: the kernel refused.
    """
    kernel.prctl(kernel.PR_CAP_AMBIENT, 4)
    header = ctypes.create_string_buffer(struct.pack("<Ii", 0x20080522, 0))
    nothing = ctypes.create_string_buffer(bytes(24))
    number = {"x86_64": 126, "aarch64": 91}[seccomp.machine()]
    kernel.syscall(number, ctypes.cast(header, ctypes.c_void_p), ctypes.cast(nothing, ctypes.c_void_p))


def address_space() -> int:
    """Return how many bytes of address space this process holds, as RLIMIT_AS counts them.

    It is asked of the limit itself, which needs no /proc: the lowest one under which a page more can be had.

    Raises:
        OSError: no page more can be had at all.
    """
    libc = kernel.libc()
    libc.mmap.restype = ctypes.c_void_p
    libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, *[ctypes.c_int] * 3, ctypes.c_long]
    libc.munmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
    failed = ctypes.c_void_p(-1).value
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    low, high = 0, _HIGHEST if hard == resource.RLIM_INFINITY else hard // _PAGE
    while low < high:
        middle = (low + high) // 2
        try:
            resource.setrlimit(resource.RLIMIT_AS, (middle * _PAGE, hard))
            place = libc.mmap(None, _PAGE, 3, 0x22, -1, 0)
        except MemoryError:  # the interpreter itself asked for a page just then
            continue
        finally:
            resource.setrlimit(resource.RLIMIT_AS, (soft, hard))
        if place == failed:
            low = middle + 1
        else:
            libc.munmap(place, _PAGE)
            high = middle
    return (low - 1) * _PAGE
