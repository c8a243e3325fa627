"""Fork, wait and clean up, inside a worker: a child does one piece of work and nothing of it stays behind."""

import contextlib
import gc
import os
import pickle
import select
import signal
import threading
import warnings
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NoReturn

from acidtest.mutants.channel import Channel, Record

resource: Any
try:
    import resource
except ImportError:  # Windows
    resource = None

Returned = tuple[Any, int]
_HANGUP = select.POLLHUP if hasattr(select, "poll") else 0


class LabGoneError(Exception):
    """Nobody is at the other end of the line any more."""


def serve(
    channel: Channel,
    memory_mb: int,
    command: Record,
    work: Callable[[Record], None],
    clear: Callable[[], None] = lambda: None,
) -> None:
    """Fork, let the child work, and wait for its end, for the order to kill it, or for the end of the lab.

    Args:
        clear: called when the child has ended, however it did, and before that is said.
    """
    wake_read, wake_write = os.pipe()
    os.set_blocking(wake_write, False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.set_wakeup_fd(wake_write)
    child = fork(channel, memory_mb, lambda: work(command))
    status = _wait(channel, command.get("serial"), child, wake_read)
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    os.close(wake_read)
    os.close(wake_write)
    if status is None:
        os._exit(0)
    clear()
    channel.send(kind="exit", status=status)


def call(channel: Channel, memory_mb: int, works: Sequence[Callable[[], Any]], at_once: int) -> Iterator[Returned]:
    """Yield what each of ``works`` returns in a child of its own, pickled on its way, and the child's exit code.

    What comes back is None where the child died. The order is that of ``works``; up to ``at_once`` children run.

    Raises:
        LabGoneError: the lab hung up meanwhile; the children are dead.
    """
    waiting = list(enumerate(works))[::-1]
    running: dict[int, _Calling] = {}
    done: dict[int, Returned] = {}
    following = 0
    try:
        while following < len(works):
            while waiting and len(running) < at_once:
                index, work = waiting.pop()
                calling = _Calling.start(channel, memory_mb, index, work, running)
                running[calling.read] = calling
            for read in _readable(channel, running):
                if running[read].ended():
                    calling = running.pop(read)
                    done[calling.index] = calling.result()
            while following in done:
                yield done.pop(following)
                following += 1
    finally:
        for calling in running.values():
            calling.result()


def _readable(channel: Channel, running: Collection[int]) -> list[int]:
    poll = select.poll()
    poll.register(channel.commands, 0)
    for read in running:
        poll.register(read, select.POLLIN | _HANGUP)
    ready = dict(poll.poll())
    if channel.commands in ready:
        raise LabGoneError
    return list(ready)


@dataclass
class _Calling:
    """A child at work, and what has come from it so far."""

    index: int
    child: int
    read: int
    data: bytearray = field(default_factory=bytearray)

    @classmethod
    def start(
        cls, channel: Channel, memory_mb: int, index: int, work: Callable[[], Any], others: Collection[int]
    ) -> "_Calling":
        read, write = os.pipe()

        def tell() -> None:
            for other in (*others, read):
                os.close(other)
            with os.fdopen(write, "wb") as file:
                pickle.dump(work(), file)

        child = fork(channel, memory_mb, tell)
        os.close(write)
        return cls(index, child, read)

    def ended(self) -> bool:
        """Take what is there; return whether it was the last."""
        chunk = os.read(self.read, 1 << 20)
        self.data += chunk
        return not chunk

    def result(self) -> Returned:
        """Return what came back; whatever is left of the child is killed."""
        os.close(self.read)
        sweep(self.child)
        _, status = os.waitpid(self.child, 0)
        try:
            return pickle.loads(self.data), 0
        except (EOFError, pickle.UnpicklingError):
            return None, os.waitstatus_to_exitcode(status)


def fork(channel: Channel, memory_mb: int, work: Callable[[], None]) -> int:
    """Start a child that does ``work`` and ends; return its process id."""
    gc.freeze()
    limits = _memory_limits(memory_mb)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        child = os.fork()
    if child == 0:
        _be_child(channel, limits, work)
    with contextlib.suppress(OSError):
        os.setpgid(child, child)
    return child


def clone(channel: Channel, lane: Channel, work: Callable[[Channel], None]) -> int:
    """Start a copy of this process that serves another line; return its process id."""
    gc.freeze()
    child = os.fork()
    if child == 0:
        code = 1
        try:
            channel.others -= {lane.commands, lane.records}
            channel.close()
            work(lane)
            code = 0
        finally:
            os._exit(code)
    for descriptor in (lane.commands, lane.records):
        channel.others.discard(descriptor)
        os.close(descriptor)
    return child


def _be_child(channel: Channel, limits: tuple[int, int] | None, work: Callable[[], None]) -> NoReturn:
    code = 1
    try:
        os.setpgid(0, 0)
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        for descriptor in (channel.commands, *channel.others):
            os.close(descriptor)
        os.dup2(1, 2)  # a flood of words must not fill the disk
        if limits is not None:
            resource.setrlimit(resource.RLIMIT_AS, limits)
        work()
        code = 0
    finally:
        os._exit(code)


def _wait(channel: Channel, serial: int | None, child: int, wake: int) -> int | None:
    """Return the child's exit code, negative for a signal; None where the lab is gone."""
    gone = False
    while True:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            sweep(child)
            return None if gone else os.waitstatus_to_exitcode(status)
        if gone:
            select.select([wake], [], [], 1.0)
        elif channel.waiting(1.0, wake):
            command = channel.receive()
            gone = command is None
            if command is None or command.get("kill") == serial:
                sweep(child)


@contextlib.contextmanager
def watched(channel: Channel) -> Iterator[None]:
    """End this process as soon as the lab is gone, though a test may loop. Windows cannot wait on a pipe: no watch.

    A test that loops in C and never lets go of the interpreter is not seen to; its limit of processor time is.
    """
    if not hasattr(select, "poll"):
        yield
        return
    poll = select.poll()
    poll.register(channel.commands, 0)
    over = threading.Event()

    def watch() -> None:
        while not over.wait(0.2):
            if poll.poll(0):
                os._exit(1)

    thread = threading.Thread(target=watch, daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def sweep(group: int) -> None:
    """Kill the child and whatever it started and left in its process group."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(group, signal.SIGKILL)


def limit_memory(megabytes: int) -> None:
    """Let the process take this much address space on top of what it has; without ``resource``, nothing is limited."""
    limits = _memory_limits(megabytes)
    if limits is not None:
        resource.setrlimit(resource.RLIMIT_AS, limits)


def _memory_limits(megabytes: int) -> tuple[int, int] | None:
    """Return a limit of address space as this process, or a child of it, may set it; None without ``resource``."""
    if resource is None:
        return None
    held = 0
    with contextlib.suppress(OSError), open("/proc/self/statm", "rb") as file:
        held = int(file.read().split()[0]) * resource.getpagesize()
    limit = held + megabytes * 2**20
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    return limit if hard == resource.RLIM_INFINITY else min(limit, hard), hard


def limit_processor(seconds: float) -> None:
    """Let the process use this much processor time and no more: a last resort for one that nobody watches."""
    if resource is not None:
        resource.setrlimit(resource.RLIMIT_CPU, (int(seconds) + 1, int(seconds) + 2))
