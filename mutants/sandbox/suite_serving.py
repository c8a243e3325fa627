"""The trusted end of a suite's conversation: a variant answers, every frame that comes is doubted, all is kept.

The suite is the caller here, so that the roles of `conversation` and `serving` are kept and the trust is turned round:
whatever comes is checked before it is looked at, one call has one deadline, and a frame that is none ends it all. What
went over the wire is played once more to other implementations: to the reference, in order to know whether the suite
could tell a mutant from it at all, and to the mutants, in order to know which of them it could.
"""

import json
import signal
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from acidtest.mutants.sandbox.conversation import HANDLED, REMOTE
from acidtest.mutants.sandbox.errors import BUILTIN, OWN
from acidtest.mutants.sandbox.faults import EndedFault, Fault, ProtocolFault
from acidtest.mutants.sandbox.reading import Reader
from acidtest.mutants.sandbox.serving import Server
from acidtest.mutants.sandbox.wire import Caps, Line, parse_header
from acidtest.mutants.sandbox.writing import NAME

_CAPS = Caps(header=1 << 22, raw=1 << 24)
_ROOM = 1 << 21
_FRAMES = 100_000
_ARRAYS = 4096
_ARGUMENTS = 64
_RECORDS = 20_000
_LONGEST = 300

Frame = tuple[Any, bytes]


@dataclass
class Tape:
    """What went over the wire: frames from the suite, and what was said to them.

    Attributes:
        heard: each frame that came, calls and answers to calls back. said: the header and the rest of each frame that
            went out, one after each that came; the greeting is not among them.
        records: what the suite's side told of its tests, each with how many frames had come before.
    """

    heard: list[Frame] = field(default_factory=list)
    said: list[tuple[str, bytes]] = field(default_factory=list)
    records: list[tuple[int, list[Any]]] = field(default_factory=list)


class SuiteServer(Server):
    """Answers a suite until it hangs up.

    Args:
        line: where frames come from; a socket's `wire.Line`, or a `Tape` that plays.
        functions, module, own: as for `serving.Server`.
        call_seconds: how long one call may take, with the calls back within it. Past it the process is killed by
            SIGALRM: no implementation can swallow that. None: for as long as it takes.
    """

    def __init__(
        self,
        line: Any,
        functions: Sequence[tuple[str, str]],
        module: str,
        own: Sequence[str],
        call_seconds: float | None = None,
    ) -> None:
        super().__init__(line.end, functions, module, own)
        self._line: Any = line
        self._reader = _DoubtfulReader(self._book, self._lent, self._read_stranger, room=_ROOM)
        self._seconds = call_seconds
        self._asked: tuple[str, tuple[Any, ...], dict[str, Any]] | None = None

    def serve(self) -> None:
        """Import the implementation, say what it has, and answer calls until the line ends.

        Raises:
            EndedFault: it ended. ProtocolFault: what came is no frame.
        """
        warnings.simplefilter("always")
        warnings.showwarning = self._note_warning
        self._line.greet(self._hello())
        named = zip(self._functions, self._names, strict=True)
        self._functions = [self._noting(function, name) for function, (_, name) in named]
        while True:
            header, raw = self._line.receive()
            _check_call(header, len(self._functions), len(self._kept))
            if len(self._book.entries) > _ARRAYS:
                raise ProtocolFault("protocol fault: too many arrays")
            with _deadline(self._seconds):
                answer = self._answer(header[:5], raw)
            self._line.send(*answer)

    def last_call(self) -> str:
        """Return the last call as one would write it in Python; empty where there was none."""
        if self._asked is None:
            return ""
        name, args, named = self._asked
        words = [_shown(value) for value in args] + [f"{key}={_shown(value)}" for key, value in named.items()]
        text = f"{name}({', '.join(words)})"
        return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"

    def _noting(self, function: Any, name: str) -> Any:
        if isinstance(function, type):
            return function  # what it makes stays here, which only a class's does

        def noting(*args: Any, **named: Any) -> Any:
            self._asked = (name, args, named)
            return function(*args, **named)

        return noting

    def _read_stranger(self, node: list[Any]) -> object:
        number = node[1]
        if type(number) is not int:
            raise ProtocolFault("protocol fault: an object without a number")
        if node[0] == "H" and -len(self._kept) <= number < 0:
            return self._kept[-1 - number]  # an object of this end's own
        if node[0] == "H":
            if number not in self._handles:
                raise ProtocolFault("protocol fault: an object that was not lent")
            return self._handles[number]
        if node[0] != "h" or not _is_name(node[2]) or type(node[3]) is not list:
            raise ProtocolFault("protocol fault: an object of no kind")
        if any(type(method) is not str or method not in HANDLED for method in node[3]):
            raise ProtocolFault("protocol fault: an object with methods of no kind")
        if len(self._handle_kinds) > _ARGUMENTS:
            raise ProtocolFault("protocol fault: too many kinds of objects")
        return super()._read_stranger(node)

    def _call_back(self, handle: object, method: str, args: tuple[object, ...]) -> object:
        number = self._handle_numbers.get(id(handle))
        if number is None:
            raise ReferenceError("this object was lent for an earlier call")
        nodes = self._writer.write_all(args)
        self._line.send(f'["?",{number},"{method}"{nodes}]', self._writer.take_raw())
        answer, raw = self._line.receive()
        if type(answer) is not list or len(answer) < 2:
            raise ProtocolFault("protocol fault: an answer of no kind")
        self._reader.begin(raw)
        if answer[0] == "=" and len(answer) == 2:
            return self._reader.read(answer[1])
        if answer[0] != "!" or len(answer) != 3 or type(answer[2]) is not str:
            raise ProtocolFault("protocol fault: an answer of no kind")
        kind = self._classes.kind(answer[1]) or RuntimeError
        error = kind(answer[2])
        self._raised.append(error)
        raise error

    def _catch_up(self, changes: list[Any], _named: object = None, gone: Any = (), filters: Any = None) -> None:
        """Make the caller's changes; its filters for warnings are its own: it gets every warning."""
        super()._catch_up(changes, None, gone)


class _DoubtfulReader(Reader):
    def _dtype(self, text: object) -> "np.dtype[Any]":
        """Return the dtype; texts too, which a suite may well pass."""
        if type(text) is str and text[:2] in ("<U", "|S") and text[2:].isdecimal() and 0 < int(text[2:]) <= 9999:
            return np.dtype(text)
        return super()._dtype(text)


class RecordingLine:
    """A line that keeps what goes over it, and takes the records of the suite's side out of the traffic.

    Args:
        line: the socket's. tape: what is kept. until: when all of it has to be over, on ``time.monotonic``'s clock.
    """

    def __init__(self, line: Line, tape: Tape, until: float) -> None:
        self.end = line.end
        self._until = until
        line.caps = _CAPS
        self._line = line
        self._tape = tape

    def greet(self, header: str) -> None:
        """Send the greeting, which is not kept."""
        self._line.send(header)

    def receive(self) -> Frame:
        """Return the next frame that is no record.

        Raises:
            DeadlineFault: none has come in time. EndedFault: none will. ProtocolFault: it is none.
        """
        tape = self._tape
        while True:
            header, raw = self._line.receive(self._until)
            if type(header) is not list or not header or header[0] != "+":
                break
            if len(tape.records) == _RECORDS:
                raise ProtocolFault("protocol fault: records without end")
            tape.records.append((len(tape.heard), header[1:]))
            self._line.send('["ok"]')
        if len(tape.heard) == _FRAMES:
            raise ProtocolFault(f"a test with more than {_FRAMES} calls")
        tape.heard.append((header, raw))
        return header, raw

    def send(self, header: str, raw: bytes = b"") -> None:
        """Send a frame."""
        self._tape.said.append((header, raw))
        self._line.send(header, raw)


class DiffersError(BaseException):
    """What is played a tape says otherwise than the tape does. No implementation can swallow it."""


class Playing:
    """A line that plays a tape, and looks whether the same is said to it as before.

    Args:
        frames: how many frames to play.
    """

    def __init__(self, tape: Tape, frames: int) -> None:
        self.end = _Silent()
        self._tape = tape
        self._frames = min(frames, len(tape.said))
        self._at = 0
        self._differs = False

    def greet(self, header: str) -> None:
        """Take the greeting."""

    def receive(self) -> Frame:
        """Return the next frame of the tape.

        Raises:
            EndedFault: it is played. DiffersError: something was said otherwise, whoever swallowed that.
        """
        if self._differs:
            raise DiffersError
        if self._at >= self._frames:
            raise EndedFault("the tape is over")
        return self._tape.heard[self._at]

    def send(self, header: str, raw: bytes = b"") -> None:
        """Compare.

        Raises:
            DiffersError: another thing was said then, or is said now that something was.
        """
        before = self._tape.said[self._at] if self._at < len(self._tape.said) else ("", b"")
        self._at += 1
        if (header, raw) != before and not self._differs:
            self._differs = raw != before[1] or not before[0] or _meaning(header) != _meaning(before[0])
        if self._differs:
            raise DiffersError


class _Silent:
    """Stands for a socket where there is none."""

    def recv(self, _: int) -> bytes:
        return b""

    def send(self, data: bytes) -> int:
        return len(data)


def differs(server: Callable[[Playing], SuiteServer], tape: Tape, frames: int, seconds: float) -> bool:
    """Return whether an implementation says anything otherwise than the tape, in its first ``frames`` frames.

    One that takes longer than ``seconds`` for it does.
    """
    try:
        with _interrupted(seconds):
            server(Playing(tape, frames)).serve()
    except DiffersError:
        return True
    except Fault:
        return False
    raise AssertionError("a tape that does not end")


@contextmanager
def _interrupted(seconds: float) -> Iterator[None]:
    """Raise ``DiffersError`` once the time is up, and again and again in case that something takes it for its own."""

    def interrupt(*_: object) -> None:
        raise DiffersError

    before = signal.signal(signal.SIGALRM, interrupt)
    signal.setitimer(signal.ITIMER_REAL, seconds, 0.2)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


@contextmanager
def _deadline(seconds: float | None) -> Iterator[None]:
    if seconds is None:
        yield
        return
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def _meaning(header: str) -> str:
    """Return what a frame says but for the words of errors and warnings, and classes that nobody else has."""
    value = parse_header(header.encode("ascii"))
    if value[0] == "!":
        value[1:3] = [_kind(value[1]), ""]
    if len(value) > 3 and value[0] in ("=", "!"):
        value[-1] = sorted(json.dumps(_kind(warned[0])) for warned in value[-1])
    return json.dumps(value)  # as a text, in which NaN is itself


def _kind(kinds: Any) -> Any:
    return next((kind for kind in kinds if kind[0] in (OWN, BUILTIN)), kinds[0]) if type(kinds) is list else kinds


def _check_call(header: Any, functions: int, kept: int) -> None:
    """Accept the header of a call.

    Raises:
        ProtocolFault: it is none.
    """
    if type(header) is not list or len(header) not in (2, 6) or type(header[1]) is not list:
        raise ProtocolFault("protocol fault: a call of no kind")
    target = header[0]
    if type(target) is list:
        fits = len(target) == 2 and type(target[0]) is int and 0 <= target[0] < kept and target[1] in REMOTE
    else:
        fits = type(target) is int and 0 <= target < functions
    if not fits:
        raise ProtocolFault("protocol fault: a call of nothing")
    if len(header) == 2:
        return
    changes, named, gone = header[2:5]
    if type(changes) is not list or type(named) is not list or type(gone) is not list:
        raise ProtocolFault("protocol fault: a call of no kind")
    if len(changes) % 3 or len(named) % 2 or len(named) > _ARGUMENTS or any(type(each) is not int for each in gone):
        raise ProtocolFault("protocol fault: a call of no kind")
    if not all(map(_is_name, named[::2])):
        raise ProtocolFault("protocol fault: an argument of no name")


def _is_name(word: object) -> bool:
    return type(word) is str and NAME.fullmatch(word) is not None


def _shown(value: Any) -> str:
    try:
        text = f"np.array({value.tolist()!r})" if isinstance(value, np.ndarray) else repr(value)
    except Exception:  # its own __repr__ asks the suite, which is gone
        text = f"<{type(value).__name__}>"
    return f"<{type(value).__name__}>" if " object at 0x" in text else text


def forget(package: str) -> None:
    """Let the package and all its modules be imported anew."""
    for name in [name for name in sys.modules if name == package or name.startswith(f"{package}.")]:
        del sys.modules[name]
