"""What went over a suite's wire, kept, and played once more to another implementation: would it have said the same?

To the reference, in order to know whether a suite could tell a mutant from it at all; to the mutants, in order to know
which of them it could.
"""

import json
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Protocol

from acidtest.mutants.sandbox.errors import BUILTIN, OWN
from acidtest.mutants.sandbox.faults import EndedFault, Fault, ProtocolFault
from acidtest.mutants.sandbox.wire import Caps, Line, parse_header

CAPS = Caps(header=1 << 22, raw=1 << 24)
_FRAMES = 100_000
_RECORDS = 20_000

Frame = tuple[Any, bytes]


class Serving(Protocol):
    """What a tape is played to."""

    def serve(self) -> None: ...


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


class RecordingLine:
    """A line that keeps what goes over it, and takes the records of the suite's side out of the traffic.

    Args:
        line: the socket's. tape: what is kept. until: when all of it has to be over, on ``time.monotonic``'s clock.
    """

    def __init__(self, line: Line, tape: Tape, until: float) -> None:
        self.end = line.end
        self._until = until
        line.caps = CAPS
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


def differs(server: Callable[[Playing], Serving], tape: Tape, frames: int, seconds: float) -> bool:
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
