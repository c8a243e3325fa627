"""The zygote of a guest: it holds numpy and the submission's code, runs none of it, and forks.

Behind the walls it is told over the control socket what to hold, and for each test it is handed one end of a socket,
which goes to a new fork. So nothing that one test's calls leave behind is there for the next, and no fork can speak in
another one's place.
"""

import contextlib
import gc
import importlib
import os
import random
import signal
import socket
import sys
import time
import types
import warnings
from json.encoder import encode_basestring_ascii
from typing import Any, NoReturn, Protocol

import numpy as np

from acidtest.mutants.sandbox.faults import Fault, ProtocolFault
from acidtest.mutants.sandbox.finding import Finder
from acidtest.mutants.sandbox.serving import Server
from acidtest.mutants.sandbox.wire import PREFIX, parse_header

OFTEN = ("numpy.random", "numpy.typing", "numpy.linalg", "dataclasses")
_AT_TIMES = ("fractions", "decimal", "statistics")
"""What submissions import, those of the second kind if they speak of it: in the zygote, and not again in every fork."""
_DYING = 0.5
_COMPILING = 3.0
"""Seconds of processor time that one text may take to be compiled."""
_TOO_LARGE = 71
_LARGEST = 1 << 23


class Walls(Protocol):
    """What the guest needs of them."""

    def measure(self) -> None: ...

    def enter_zygote(self) -> None: ...

    def enter_fork(self) -> None: ...


class Zygote:
    """Serves the control socket.

    Args:
        control: the socket; whoever holds the other end is believed.
        walls: their last part goes up in each fork.
    """

    def __init__(self, control: socket.socket, walls: Walls) -> None:
        self._control = control
        self._walls = walls
        self._codes: dict[str, types.CodeType | None] = {}
        self._spec: list[Any] = []

    def run(self) -> None:
        """Do what is ordered until the line is closed."""
        with contextlib.suppress(Fault, OSError):
            while True:
                header, raw, descriptors = self._receive()
                self._reply(self._obey(header[0], header[1:], raw, descriptors))

    def _obey(self, order: str, rest: list[Any], raw: bytes, descriptors: list[int]) -> str:
        """Do what one frame orders, and return the answer."""
        if order == "load":
            return self._load(rest, raw)
        if order == "fork":
            return f'["forked",{self._fork(rest[0], descriptors[0])}]'
        if order == "end":
            return f'["ended",{self._end(*rest)}]'
        if order == "try":
            return f'["tried",{encode_basestring_ascii(self._try())}]'
        raise ProtocolFault(f"protocol fault: an order to {order!r:.20}")

    def _receive(self) -> tuple[Any, bytes, list[int]]:
        data, descriptors, _, _ = socket.recv_fds(self._control, 1 << 16, 1)
        while len(data) < PREFIX.size:
            data += self._more(PREFIX.size - len(data))
        head, raw = PREFIX.unpack_from(data)
        whole = PREFIX.size + head + raw
        while len(data) < min(whole, _LARGEST):
            data += self._more(whole - len(data))
        end = PREFIX.size + head
        return parse_header(data[PREFIX.size : end]), data[end:whole], descriptors

    def _more(self, count: int) -> bytes:
        data = self._control.recv(min(count, 1 << 16))
        if not data:
            raise OSError("the line was closed")
        return data

    def _reply(self, header: str) -> None:
        head = header.encode("ascii")
        self._control.sendall(PREFIX.pack(len(head), 0) + head)

    def _load(self, order: list[Any], raw: bytes) -> str:
        """Compile what is to be held: packages, then modules in turn. The trusted ones are imported at once."""
        packages, modules, self._spec = order
        at = 0
        self._codes = dict.fromkeys(packages)
        trusted = []
        for name, path, size, is_trusted in modules:
            source, at = raw[at : at + size], at + size
            why = "" if is_trusted else self._cannot_be_compiled(source, path)
            try:
                if not why:
                    self._codes[name] = _compiled(source, path)
            except _COMPILERS as error:
                line = f", line {error.lineno}" if isinstance(error, SyntaxError) and error.lineno else ""
                text = error.msg if isinstance(error, SyntaxError) else str(error)
                why = f"{type(error).__name__}: {text}{line}"
            if why:
                return f'["refused",{encode_basestring_ascii(name)},{encode_basestring_ascii(why[:300])}]'
            if is_trusted:
                trusted.append(name)
        sys.meta_path.insert(0, Finder(self._codes))
        at_times = [name for name in _AT_TIMES if name.encode() in raw]
        for name in (*OFTEN, *at_times, *trusted):
            importlib.import_module(name)
        gc.freeze()
        self._walls.measure()
        return '["loaded"]'

    def _cannot_be_compiled(self, source: bytes, path: str) -> str:
        """Return why a text must not be compiled here; empty where it may. A fork tries it, within a fork's limits.

        A small text can be made that compiles to gigabytes, or takes the compiler down with it.
        """
        child = os.fork()
        if child == 0:
            try:
                self._walls.enter_fork()
                signal.setitimer(signal.ITIMER_PROF, _COMPILING)  # nobody listens: the compiler need not look
                _compiled(source, path)
                os._exit(0)
            except MemoryError:
                os._exit(_TOO_LARGE)
            except _COMPILERS:
                os._exit(0)  # the zygote will say it
            finally:
                os._exit(70)
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        if status == -signal.SIGPROF:
            return f"it takes longer than {_COMPILING:g} s"
        if status == _TOO_LARGE:
            return "MemoryError: it is too large, or nested too deeply"
        return f"Python's compiler does not survive it ({status})" if status else ""

    def _try(self) -> str:
        """Return why a fork cannot raise the last walls; empty where it can."""
        heard, told = os.pipe()
        child = os.fork()
        if child == 0:
            try:
                self._walls.enter_fork()
                os._exit(0)
            except OSError as error:
                os.write(told, f"in the fork: {error}".encode()[:1000])
            finally:
                os._exit(1)
        os.close(told)
        said = os.read(heard, 1000).decode(errors="replace")
        os.close(heard)
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        return said or (f"in the fork: it ended with {status}" if status else "")

    def _fork(self, seed: int, descriptor: int) -> int:
        child = os.fork()
        if child == 0:
            self._be_fork(seed, descriptor)
        os.close(descriptor)
        return child

    def _be_fork(self, seed: int, descriptor: int) -> NoReturn:
        try:
            self._control.close()
            with contextlib.suppress(OSError):
                os.setpgid(0, 0)
            self._walls.enter_fork()
            random.seed(seed)
            np.random.seed(seed)
            functions, module, own = self._spec
            Server(socket.socket(fileno=descriptor), [tuple(pair) for pair in functions], module, own).run()
        finally:
            os._exit(70)

    def _end(self, child: int, dying: bool) -> str:
        """Wait for a fork that is dying, kill one that is not; return its status, null where it had to be killed."""
        until = time.monotonic() + (_DYING if dying else 0.0)
        done, status = os.waitpid(child, os.WNOHANG)
        while not done and time.monotonic() < until:
            time.sleep(0.002)
            done, status = os.waitpid(child, os.WNOHANG)
        with contextlib.suppress(OSError):
            os.killpg(child, signal.SIGKILL)
        if done:
            return str(os.waitstatus_to_exitcode(status))
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        return "null"


_COMPILERS = (SyntaxError, ValueError, OverflowError, RecursionError, MemoryError)
"""What `compile` raises."""


def _compiled(source: bytes, path: str) -> types.CodeType:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        code: types.CodeType = compile(source, path, "exec", dont_inherit=True)
        return code
