"""Fork, wait and clean up, inside a worker: a child does one piece of work and nothing of it stays behind."""

import contextlib
import gc
import os
import pickle
import select
import signal
import threading
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NoReturn

from acidtest.mutants.channel import Channel, Record

_HANGUP = select.POLLHUP if hasattr(select, "poll") else 0


class LabGoneError(Exception):
    """Nobody is at the other end of the line any more."""


def serve(channel: Channel, memory_mb: int, command: Record, work: Callable[[Record], None]) -> None:
    """Fork, let the child work, and wait for its end, for the order to kill it, or for the end of the lab."""
    wake_read, wake_write = os.pipe()
    os.set_blocking(wake_write, False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.set_wakeup_fd(wake_write)
    child = _fork(channel, memory_mb, lambda: work(command))
    status = _wait(channel, command.get("serial"), child, wake_read)
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    os.close(wake_read)
    os.close(wake_write)
    if status is None:
        os._exit(0)
    channel.send(kind="exit", status=status)


def call(channel: Channel, memory_mb: int, work: Callable[[], Any]) -> tuple[Any, int]:
    """Return what ``work`` returns in a child, pickled on its way, and the child's exit code; None where it died.

    Raises:
        LabGoneError: the lab hung up meanwhile; the child is dead.
    """
    read, write = os.pipe()

    def tell() -> None:
        with os.fdopen(write, "wb") as file:
            pickle.dump(work(), file)

    child = _fork(channel, memory_mb, tell, read)
    os.close(write)
    poll = select.poll()
    poll.register(read, select.POLLIN | _HANGUP)
    poll.register(channel.commands, 0)
    data = b""
    try:
        while True:
            ready = dict(poll.poll())
            if channel.commands in ready:
                raise LabGoneError
            chunk = os.read(read, 1 << 20)
            if not chunk:
                break
            data += chunk
    finally:
        os.close(read)
        sweep(child)
        _, status = os.waitpid(child, 0)
    code = os.waitstatus_to_exitcode(status)
    try:
        return pickle.loads(data), 0
    except (EOFError, pickle.UnpicklingError):
        return None, code


def _fork(channel: Channel, memory_mb: int, work: Callable[[], None], unwanted: int | None = None) -> int:
    gc.freeze()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        child = os.fork()
    if child == 0:
        _be_child(channel, memory_mb, work, unwanted)
    with contextlib.suppress(OSError):
        os.setpgid(child, child)
    return child


def _be_child(channel: Channel, memory_mb: int, work: Callable[[], None], unwanted: int | None) -> NoReturn:
    code = 1
    try:
        os.setpgid(0, 0)
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        os.close(channel.commands)
        os.dup2(1, 2)  # a flood of words must not fill the disk
        if unwanted is not None:
            os.close(unwanted)
        limit_memory(memory_mb)
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
    try:
        import resource
    except ImportError:
        return
    statm = Path("/proc/self/statm")
    held = int(statm.read_text().split()[0]) * resource.getpagesize() if statm.exists() else 0
    limit: Any = held + megabytes * 2**20
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    if hard != resource.RLIM_INFINITY:
        limit = min(limit, hard)
    resource.setrlimit(resource.RLIMIT_AS, (limit, hard))


def limit_processor(seconds: float) -> None:
    """Let the process use this much processor time and no more: a last resort for one that nobody watches."""
    try:
        import resource
    except ImportError:
        return
    resource.setrlimit(resource.RLIMIT_CPU, (int(seconds) + 1, int(seconds) + 2))
