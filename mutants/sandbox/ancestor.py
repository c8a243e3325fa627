"""A guest's first process: it holds numpy and nothing of any submission, and forks a zygote for each.

To start an interpreter and import numpy takes as long as most of the tests, so submissions that are judged one after
another share the process that has done so. They share nothing else. A submission's bytes are read, compiled and run in
the zygote and its forks alone, and what those could leave behind is what a process leaves that has ended, behind walls
where there is no file to write, no memory to name and nobody to speak to. That none of them is left is not believed but
asked of the kernel, and a guest of which it cannot be said is used no more.
"""

import contextlib
import gc
import importlib
import os
import resource
import signal
import socket
from typing import Any, NoReturn, Protocol

from acidtest.mutants.sandbox import guest
from acidtest.mutants.sandbox.faults import ProtocolFault
from acidtest.mutants.sandbox.rehearsal import rehearse
from acidtest.mutants.sandbox.walls import SECOND

_LIMITS = range(16)
"""All that Linux has."""


class Walls(guest.Walls, Protocol):
    """What the first process needs of them."""

    @property
    def alone(self) -> bool: ...


class Ancestor(guest.Zygote):
    """Forks zygotes where it is ordered to ``open``; told to ``load``, it is the zygote of one submission itself.

    Args:
        control: as a zygote's. walls: that stand already; the forks raise theirs.
    """

    def __init__(self, control: socket.socket, walls: Walls) -> None:
        super().__init__(control, walls)
        self._alone = walls.alone
        self._standing = standing()

    def _obey(self, order: str, rest: list[Any], raw: bytes, descriptors: list[int]) -> str:
        if order not in ("open", "clear"):
            return super()._obey(order, rest, raw, descriptors)
        if not self._alone or self._codes:
            raise ProtocolFault("protocol fault: this guest is for one submission")
        if order == "open":
            self._open(descriptors[0])
            return '["opened"]'
        return f'["cleared",{"true" if end_all() and standing() == self._standing else "false"}]'

    def _open(self, descriptor: int) -> None:
        """Fork a zygote that is spoken to by this socket."""
        if os.fork() == 0:
            self._be_zygote(descriptor)
        os.close(descriptor)

    def _be_zygote(self, descriptor: int) -> NoReturn:
        try:
            self._control.close()
            os.setpgid(0, 0)
            self._walls.enter_zygote()
            guest.Zygote(socket.socket(fileno=descriptor), self._walls).run()
            os._exit(0)
        finally:
            os._exit(70)


def end_all() -> bool:
    """Kill every other process of this one's namespace; return whether the kernel finds none any more.

    They are killed in one go, so that none can fork meanwhile, and they are this process's children by the time they
    have ended, whoever started them.

    Raises:
        PermissionError: the namespace is not the guest's own; nothing was killed.
    """
    if os.getpid() != SECOND:
        raise PermissionError("this process has no namespace of its own: others would be killed")
    with contextlib.suppress(ProcessLookupError):
        os.kill(-1, signal.SIGKILL)
    with contextlib.suppress(ChildProcessError):
        while True:
            os.waitpid(-1, 0)
    try:
        os.kill(-1, 0)
    except ProcessLookupError:
        return True
    return False


def standing() -> tuple[object, ...]:
    """Return what another process of the same user could have changed of this one's: its limits, its turn to run."""
    limits = tuple(resource.getrlimit(which) for which in _LIMITS)
    return limits, os.sched_getaffinity(0), os.sched_getscheduler(0), os.getpriority(os.PRIO_PROCESS, 0)


def main(control: socket.socket, walls: Walls) -> None:
    """Be the first process."""
    for name in guest.OFTEN:
        importlib.import_module(name)
    rehearse()
    gc.freeze()
    Ancestor(control, walls).run()
