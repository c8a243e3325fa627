"""Probes of what is limited: memory by every route, processor time; and of what must still be possible."""

import contextlib
import ctypes
import fcntl
import importlib
import mmap
import os
import resource
import signal
import struct
import sys
from collections.abc import Callable
from typing import Any

from acidtest.mutants.sandbox import kernel, syscalls
from acidtest.mutants.sandbox.tally import MB, Tally, done, numbers

_PIECE = 4 * MB
_MODULES = """numpy numpy.random numpy.linalg fractions decimal random statistics itertools functools operator math
cmath collections collections.abc dataclasses typing bisect heapq array struct json warnings logging copy enum abc
contextlib datetime time string re traceback unittest doctest inspect numbers types weakref hashlib secrets"""


def eat_memory(tally: Tally, limit_mb: int) -> None:
    """Get more memory than the limit by every route that it counts, and any by those that it does not."""
    room = limit_mb * MB
    memory = numbers(syscalls.MEMORY)
    libc = kernel.libc()
    libc.sbrk.restype = ctypes.c_void_p
    libc.sbrk.argtypes = [ctypes.c_ssize_t]
    shared = mmap.MAP_SHARED | mmap.MAP_ANONYMOUS
    tally.attempt("raise the limit", done, resource.setrlimit, resource.RLIMIT_AS, (-1, -1))
    tally.attempt("one large object", bytearray, room + _PIECE)
    tally.attempt("many objects", _pieces, room, lambda: bytearray(_PIECE))
    tally.attempt("private mappings", _pieces, room, lambda: mmap.mmap(-1, _PIECE, mmap.MAP_PRIVATE | mmap.MAP_ANON))
    tally.attempt("shared mappings", _pieces, room, lambda: mmap.mmap(-1, _PIECE, shared))
    tally.attempt("the heap's end", lambda: libc.sbrk(room + _PIECE) != ctypes.c_void_p(-1).value)
    tally.attempt("a file in memory", done, os.memfd_create, "probe")
    tally.attempt("a secret file in memory", done, kernel.syscall, memory["memfd_secret"], 0)
    tally.attempt("a file in /dev/shm", _named)
    tally.attempt("a System V segment", _system_v, memory["shmget"], memory["shmctl"], 0, MB, 0o1600)
    tally.attempt("a System V queue", _system_v, memory["msgget"], memory["msgctl"], 0, 0o1600)
    tally.attempt("System V semaphores", _system_v, memory["semget"], memory["semctl"], 0, 1, 0o1600)
    tally.attempt("a pipe's buffer", done, os.pipe)
    tally.attempt("a lock on a file", _lock)
    tally.attempt("pages of its own making", done, kernel.syscall, memory["userfaultfd"], 0)


def _pieces(room: int, make: Callable[[], Any]) -> bool:
    held: list[Any] = []
    with contextlib.suppress(MemoryError, OSError):
        while len(held) * _PIECE <= room:
            held.append(make())
    return len(held) * _PIECE > room


def _named() -> bool:
    path = f"/dev/shm/acidtest-probe-{os.getpid()}"
    os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL))
    os.unlink(path)
    return True


def _system_v(get: int, control: int, *words: int) -> bool:
    number = kernel.syscall(get, *words)
    kernel.syscall(control, number, 0, 0)  # IPC_RMID
    return True


def _lock() -> bool:
    handle = os.open(kernel.__file__, os.O_RDONLY)
    fcntl.fcntl(handle, fcntl.F_SETLK, struct.pack("hhqqi4x", fcntl.F_RDLCK, 0, 0, 1, 0))
    return True


def eat_processor(tally: Tally) -> None:
    """Loop for ever and ignore the warning. That it ends is for the doctor to see."""
    signal.signal(signal.SIGXCPU, signal.SIG_IGN)
    tally.attempt("raise the limit", done, resource.setrlimit, resource.RLIMIT_CPU, (3600, 3600))
    while not tally.managed:
        pass


def calculate(tally: Tally) -> None:
    """Do what a right submission does: import and compute. Here each failure counts."""
    for name in _MODULES.split():
        tally.tried += 1
        try:
            importlib.import_module(name)
        except Exception as error:  # whatever it is, a submission could not use the module
            tally.managed.append(f"cannot import {name}: {type(error).__name__}: {error}")
    numpy = sys.modules["numpy"]
    tally.tried += 1
    if float(numpy.linalg.inv(2 * numpy.eye(3)).sum()) != 1.5:
        tally.managed.append("cannot invert a matrix")
