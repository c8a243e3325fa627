"""Probes of everything beyond one's own process: others, new ones, the network, a higher rank."""

import contextlib
import ctypes
import os
import resource
import signal
import socket
import struct
import sys
import threading
from collections.abc import Sequence
from typing import Any

from acidtest.mutants.sandbox import kernel, syscalls
from acidtest.mutants.sandbox.tally import Tally, done, is_answered, numbers

_FAMILIES = {"IPv4": 2, "IPv6": 10, "UNIX": 1, "netlink": 16, "packet": 17, "VSOCK": 40, "ALG": 38, "Bluetooth": 31}
_NAMESPACES = {"user": 0x10000000, "mount": 0x20000, "network": 0x40000000, "pid": 0x20000000}
_HARMFUL = {"vhangup", "reboot", "acct", "swapoff"}
"""System calls that are not tried out, for they would do something where they are not refused."""


def use_network(tally: Tally, port: int, abstract: str) -> None:
    """Reach a listener of the doctor's, by the loopback and by an abstract name, and open every kind of socket."""
    tally.attempt("connect to 127.0.0.1", _connect, socket.AF_INET, socket.SOCK_STREAM, ("127.0.0.1", port))
    tally.attempt("address a datagram", _connect, socket.AF_INET, socket.SOCK_DGRAM, ("127.0.0.1", port))
    tally.attempt("connect by an abstract name", _connect, socket.AF_UNIX, socket.SOCK_STREAM, f"\0{abstract}")
    for name, family in _FAMILIES.items():
        for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM, socket.SOCK_RAW):
            tally.attempt(f"open a socket: {name}", _open_and_close, family, kind)
    tally.attempt("open a pair of sockets", done, socket.socketpair)


def _connect(family: int, kind: int, address: Any) -> bool:
    with socket.socket(family, kind) as own:
        own.connect(address)
    return True


def _open_and_close(family: int, kind: int) -> bool:
    socket.socket(family, kind).close()
    return True


def reach_others(tally: Tally, pids: Sequence[int]) -> None:
    """See, signal, trace, read and throttle other processes: the doctor, the zygote, whoever has a low number."""
    word = ctypes.create_string_buffer(8)
    vector = ctypes.create_string_buffer(struct.pack("<QQ", ctypes.addressof(word), 8))
    at = ctypes.addressof(vector)
    calls = numbers(syscalls.OTHERS)
    tally.attempt("see other processes", _seen)
    tally.attempt("signal every process", done, os.kill, -1, 0)
    for pid in dict.fromkeys([1, 2, os.getppid(), *pids]):
        if pid == os.getpid():
            continue
        tally.attempt(f"signal process {pid}", done, os.kill, pid, 0)
        tally.attempt(f"trace process {pid}", done, kernel.syscall, calls["ptrace"], 0x4206, pid, 0, 0)
        read = (calls["process_vm_readv"], pid, at, 1, at, 1, 0)
        tally.attempt(f"read the memory of process {pid}", done, kernel.syscall, *read)
        tally.attempt(f"get a handle on process {pid}", done, kernel.syscall, calls["pidfd_open"], pid, 0)
        tally.attempt(f"see the limits of process {pid}", done, resource.prlimit, pid, resource.RLIMIT_CORE)
        tally.attempt(f"pace process {pid}", _pace, pid)
        for file in ("environ", "cmdline", "mem", "maps", "root/etc"):
            tally.attempt(f"open /proc/{pid}/{file}", done, os.open, f"/proc/{pid}/{file}", os.O_RDONLY)


def _pace(pid: int) -> bool:
    os.setpriority(os.PRIO_PROCESS, pid, os.getpriority(os.PRIO_PROCESS, pid))
    return True


def _seen() -> list[str]:
    return [name for name in os.listdir("/proc") if name.isdecimal() and int(name) != os.getpid()]


def multiply(tally: Tally) -> None:
    """Start a process, a thread, a program."""
    starting = numbers(syscalls.STARTING)
    tally.attempt("raise the limit", done, resource.setrlimit, resource.RLIMIT_NPROC, (64, 64))
    tally.attempt("fork", lambda: _ended(os.fork()))
    tally.attempt("clone", lambda: _ended(kernel.syscall(starting["clone"], signal.SIGCHLD, 0, 0, 0, 0)))
    if "fork" in starting:
        tally.attempt("fork by its number", lambda: _ended(kernel.syscall(starting["fork"])))
    words = ctypes.create_string_buffer(struct.pack("<8Q", 0, 0, 0, 0, signal.SIGCHLD, 0, 0, 0))
    clone3 = (starting["clone3"], ctypes.addressof(words), 64)
    tally.attempt("clone3", lambda: _ended(kernel.syscall(*clone3)))
    tally.attempt("start a thread", _thread)
    for program in (sys.executable, "/bin/true", "/usr/bin/true"):
        tally.attempt(f"run {program}", done, os.posix_spawn, program, [program, "-c", ""], {})


def _ended(child: int) -> bool:
    if child == 0:
        os._exit(0)
    os.waitpid(child, 0)
    return True


def _thread() -> bool:
    started = threading.Thread(target=int)
    started.start()
    started.join()
    return True


def become_more(tally: Tally, uid: int | None) -> None:
    """Be root, hold a capability, take an identity, a namespace, a root; make any call that the walls refuse."""
    tally.attempt("a capability", _capabilities)
    tally.attempt("more than one user or group", lambda: len({*os.getresuid(), *os.getresgid(), *os.getgroups()}) > 1)
    if uid is not None:
        tally.attempt("be the user that launched it", lambda: uid in os.getresuid())
    tally.attempt("become root", done, os.setuid, 0)
    tally.attempt("become nobody", done, os.setresuid, 65534, 65534, 65534)
    tally.attempt("another root", done, os.chroot, "/")
    unshare = numbers(syscalls.KERNEL)["unshare"]
    for name, flag in _NAMESPACES.items():
        tally.attempt(f"a {name} namespace", done, kernel.syscall, unshare, flag)
    for group in (syscalls.OTHERS, syscalls.MEMORY, syscalls.KERNEL, syscalls.HOLDING, syscalls.CONNECTING):
        for name, number in numbers(group).items():
            if name not in _HARMFUL:
                tally.attempt(f"the system call {name}", is_answered, number)


def _capabilities() -> bool:
    header = ctypes.create_string_buffer(struct.pack("<Ii", 0x20080522, 0))
    answer = ctypes.create_string_buffer(24)
    kernel.syscall(numbers(syscalls.LOOKING)["capget"], ctypes.addressof(header), ctypes.addressof(answer))
    return any(answer.raw)


def read_environment(tally: Tally, secret: str) -> None:
    """Find a secret of the grader's: among the variables, in any process's environment, in the command line."""
    harmless = {"OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "LC_CTYPE"}
    tally.attempt("a variable", lambda: set(os.environ) - harmless)
    tally.attempt("the C library's variables", lambda: secret.encode() in b"\0".join(_inherited()))
    tally.attempt("the command line", lambda: secret in "\0".join(sys.orig_argv))
    for pid in ("self", "thread-self", "1", "2", str(os.getppid())):
        tally.attempt(f"/proc/{pid}/environ", _has_secret, pid, secret)
    tally.attempt("any process's environment", lambda: any(_has_secret(pid, secret) for pid in os.listdir("/proc")))


def _inherited() -> list[bytes]:
    words = ctypes.POINTER(ctypes.c_char_p).in_dll(kernel.libc(), "environ")
    found: list[bytes] = []
    while words and (word := words[len(found)]):
        found.append(word)
    return found


def _has_secret(pid: str, secret: str) -> bool:
    with contextlib.suppress(OSError), open(f"/proc/{pid}/environ", "rb") as file:
        return secret.encode() in file.read()
    return False
