"""Which system calls a guest may make: two filters, written out as the kernel's own small programs (classic BPF).

The zygote, which runs no code of a submission, loses what it never needs. A fork of it, which does, keeps only what
calculating takes: a call that is not listed is answered as if the kernel had never heard of it.
"""

import ctypes
import errno
import os
import struct
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from acidtest.mutants.sandbox import syscalls
from acidtest.mutants.sandbox.kernel import PR_SET_SECCOMP, prctl
from acidtest.mutants.sandbox.syscalls import numbers

ALLOW = 0x7FFF0000
KILL = 0x80000000
REFUSE = 0x00050000 | errno.EPERM
UNKNOWN = 0x00050000 | errno.ENOSYS
MACHINES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
"""The machines there is a table for, and how the kernel names them to a filter."""

_X32 = 0x40000000
_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_NAMESPACES = 0x7E020000
"""The flags of ``clone`` that ask for a namespace: NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET."""
_FCNTL = (0, 1, 2, 3, 1030)
"""F_DUPFD, F_GETFD, F_SETFD, F_GETFL, F_DUPFD_CLOEXEC. Not F_SETFL: the flags of /dev/null are shared with the next
fork. Not the locks: the kernel holds them in memory that nothing counts."""
_ITSELF = 0x7E57F0C5
"""Stands for a process's own number while it has none."""
_PACE = ("setpriority", "ioprio_set", "sched_setaffinity", "sched_setscheduler", "sched_setparam", "sched_setattr")
"""What sets when and where a process runs: another one's too, of the same user."""
_IOCTL = (0x5401, 0x5413, 0x541B, 0x5450, 0x5451)
"""TCGETS, TIOCGWINSZ, FIONREAD, FIONCLEX, FIOCLEX."""


class Rule(NamedTuple):
    """What happens to one system call.

    Attributes:
        number: the call.
        action: what happens where no condition is set, or where it does not hold.
        argument: the place of the argument that the condition looks at (its low 32 bits).
        values: it holds where the argument is one of these.
        bits: it holds where the argument has none of these bits.
    """

    number: int
    action: int
    argument: int | None = None
    values: tuple[int, ...] = ()
    bits: int = 0


def machine() -> str:
    """Return this machine's name in ``MACHINES``.

    Raises:
        OSError: there is no table for it.
    """
    name = os.uname().machine
    if name not in MACHINES:
        raise OSError(errno.ENOSYS, f"no table of system calls for {name}, only for {' and '.join(MACHINES)}")
    return name


def zygote_filter(machine: str) -> bytes:
    """Return the filter for the processes that fork: everything but what no guest needs, and each for itself alone."""
    groups = (syscalls.CONNECTING, syscalls.MEMORY, syscalls.OTHERS, syscalls.KERNEL)
    rules = [Rule(number, REFUSE) for group in groups for number in numbers(group, machine).values()]
    starting = numbers(syscalls.STARTING, machine)
    rules += [Rule(starting[name], REFUSE) for name in ("execve", "execveat")]
    rules += [Rule(starting["clone"], REFUSE, argument=0, bits=_NAMESPACES), Rule(starting["clone3"], UNKNOWN)]
    becoming = numbers(syscalls.BECOMING, machine)
    rules += [Rule(becoming[name], REFUSE) for name in _PACE]
    rules.append(Rule(numbers(syscalls.SOME, machine)["prlimit64"], REFUSE, argument=0, values=(0,)))
    return program(machine, rules, ALLOW)


def fork_filter(machine: str) -> bytes:
    """Return the filter for a process that is about to run code that nobody trusts; `for_process` says which."""
    some = numbers(syscalls.SOME, machine)
    rules = [
        Rule(number, ALLOW)
        for group in (syscalls.TALKING, syscalls.CALCULATING, syscalls.LOOKING)
        for number in numbers(group, machine).values()
    ]
    rules += [Rule(some[name], REFUSE, argument=0, values=(_ITSELF,)) for name in ("kill", "tkill", "tgkill")]
    rules.append(Rule(some["prlimit64"], REFUSE, argument=0, values=(0, _ITSELF)))
    rules.append(Rule(some["fcntl"], REFUSE, argument=1, values=_FCNTL))
    rules.append(Rule(some["ioctl"], REFUSE, argument=1, values=_IOCTL))
    rules += [
        Rule(number, UNKNOWN if name == "clone3" else REFUSE)
        for group in (
            *(syscalls.STARTING, syscalls.CONNECTING, syscalls.MEMORY, syscalls.OTHERS),
            *(syscalls.KERNEL, syscalls.CHANGING, syscalls.BECOMING, syscalls.HOLDING),
        )
        for name, number in numbers(group, machine).items()
    ]
    return program(machine, rules, UNKNOWN)


def for_process(program: bytes, pid: int) -> bytes:
    """Return a fork's filter with the process filled in to which it may send signals: itself."""
    return program.replace(struct.pack("<I", _ITSELF), struct.pack("<I", pid))


def program(machine: str, rules: Iterable[Rule], otherwise: int) -> bytes:
    """Return the rules as a BPF program; a call in a foreign machine's convention ends the process.

    The calls are searched by halves and not one after another: when a filter goes up the kernel runs it for each call
    there is, to note what is always allowed, and every fork has a filter of its own.
    """
    code = [
        _step(_LOAD, 4),
        _step(_EQUAL, MACHINES[machine], 1, 0),
        _step(_RETURN, KILL),
        _step(_LOAD, 0),
    ]
    if machine == "x86_64":
        code += [_step(_AT_LEAST, _X32, 0, 1), _step(_RETURN, KILL)]
    consequences: dict[int, Sequence[bytes]] = {}
    for rule in rules:
        consequences.setdefault(rule.number, _consequence(rule))
    default = [_step(_RETURN, otherwise)]
    stretches: list[tuple[int, Sequence[bytes]]] = [(0, default)]
    for number in sorted({each for rule in consequences for each in (rule, rule + 1)}):
        found = consequences.get(number, default)
        if found != stretches[-1][1]:
            stretches.append((number, found))
    return b"".join([*code, *_search(stretches)])


def _search(stretches: Sequence[tuple[int, Sequence[bytes]]]) -> list[bytes]:
    """Return the steps that find the stretch that a call's number lies in, and what happens to it.

    Args:
        stretches: the first number of each and its consequence, in order.
    """
    if len(stretches) == 1:
        return [*stretches[0][1]]
    middle = len(stretches) // 2
    below, above = _search(stretches[:middle]), _search(stretches[middle:])
    return [_step(_AT_LEAST, stretches[middle][0], len(below), 0), *below, *above]


def _consequence(rule: Rule) -> Sequence[bytes]:
    if rule.argument is None:
        return [_step(_RETURN, rule.action)]
    code = [_step(_LOAD, 16 + 8 * rule.argument)]
    for left, value in zip(range(len(rule.values), 0, -1), rule.values, strict=True):
        code.append(_step(_EQUAL, value, left, 0))
    if rule.bits:
        code.append(_step(_ANY_BIT, rule.bits, 0, 1))
    return [*code, _step(_RETURN, rule.action), _step(_RETURN, ALLOW)]


def _step(code: int, value: int, then: int = 0, otherwise: int = 0) -> bytes:
    return struct.pack("<HBBI", code, then, otherwise, value)


class _Program(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("steps", ctypes.c_void_p)]


def install(program: bytes) -> None:
    """Put this process, and whatever it starts, behind a filter for good.

    Raises:
        OSError: the kernel refused it.
    """
    steps = ctypes.create_string_buffer(program, len(program))
    whole = _Program(len(program) // 8, ctypes.addressof(steps))
    prctl(PR_SET_SECCOMP, 2, ctypes.addressof(whole))
