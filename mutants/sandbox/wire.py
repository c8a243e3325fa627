"""Frames on a socket: 4 bytes of length for the header and 4 for the rest, a JSON header, raw bytes.

The header is one JSON value made of arrays, strings, numbers, ``true``, ``false`` and ``null``; there are no objects in
it, so no key comes twice. Whoever reads checks both lengths before anything is allocated, and reads what is announced
and not a byte more. The two ends speak strictly in turn. Nothing here or above it unpickles.

The standard library alone: both ends import this, the one behind the walls before numpy.
"""

import json
import socket
import struct
import time
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from acidtest.mutants.sandbox.faults import DeadlineFault, EndedFault, ProtocolFault, TooLargeFault

PREFIX = struct.Struct("<II")
_prefix, _lengths = PREFIX.pack, PREFIX.unpack_from
_FIRST, _MANY = 4096, 1 << 16
_SECONDS = struct.Struct("ll")


def _no_object(_: object) -> None:
    raise ProtocolFault("protocol fault: a JSON object")


_scan: Callable[[str, int], tuple[Any, int]] = json.JSONDecoder(object_pairs_hook=_no_object).scan_once  # type: ignore[attr-defined]


class Caps(NamedTuple):
    """The largest header and the largest rest that an end reads, in bytes.

    A header of n bytes makes at most some 20 n bytes of Python objects, which is what bounds the reader's memory.
    """

    header: int = 1 << 18
    raw: int = 1 << 16


def parse_header(data: bytes) -> Any:
    """Return the JSON value that a header holds.

    Raises:
        ProtocolFault: it is not ASCII, no JSON, nested too deeply, or followed by something.
    """
    try:
        text = data.decode("ascii")
        value, end = _scan(text, 0)
    except RecursionError:
        raise ProtocolFault("protocol fault: a header nested too deeply") from None
    except (ValueError, StopIteration):
        raise ProtocolFault("protocol fault: a header that is no JSON") from None
    if end != len(text):
        raise ProtocolFault("protocol fault: a header with something behind it")
    return value


class Line:
    """One end of a conversation.

    Args:
        end: a connected stream socket, blocking.
        caps: what to read at most; may be changed between frames.
    """

    def __init__(self, end: socket.socket, caps: Caps) -> None:
        self.end = end
        self.caps = caps
        self._receive = end.recv
        self._send = end.send
        self._patience = 0.0
        self._kept = b""
        self._usual = 0.0

    def send(self, header: str, raw: bytes = b"") -> None:
        """Write one frame.

        Raises:
            EndedFault: nobody is at the other end. DeadlineFault: nobody reads there.
        """
        head = header.encode("ascii")
        frame = _prefix(len(head), len(raw)) + head + raw
        try:
            sent = self._send(frame)
            if sent != len(frame):
                self.end.sendall(frame[sent:])
        except BlockingIOError:
            raise DeadlineFault("the guest does not read what it is sent") from None
        except OSError:
            raise EndedFault("the guest hung up") from None

    def receive(self, deadline: float | None = None, patient: bool = False, more: bool = False) -> tuple[Any, bytes]:
        """Read one frame and return its header's value and its raw bytes.

        Args:
            deadline: on ``time.monotonic``'s clock, for the whole frame. None: whenever it comes.
            patient: ``patience`` is set to what is left until the deadline, so the first read need not do so.
            more: another frame may follow at once; what came of it is kept for the next time.

        Raises:
            ProtocolFault: not a frame, or one above the caps. EndedFault: the end of the line. DeadlineFault: late.
        """
        data, self._kept = self._kept, b""
        data = data or self._read(_MANY if more else _FIRST, None if patient else deadline)
        while len(data) < 8:
            data += self._read(_FIRST, deadline)
        head, raw = _lengths(data)
        if head > self.caps.header or raw > self.caps.raw:
            raise TooLargeFault(f"protocol fault: a frame of {_size(head + raw)}")
        end = 8 + head
        whole = end + raw
        if more and len(data) > whole:
            data, self._kept = data[:whole], data[whole:]
        elif len(data) != whole:
            data = self._rest(data, whole, deadline)
        return parse_header(data[8:end]), data[end:]

    def _rest(self, data: bytes, whole: int, deadline: float | None) -> bytes:
        """Return the frame of ``whole`` bytes of which ``data`` has come; memory grows as bytes come."""
        parts, have = [data], len(data)
        if have > whole:
            raise ProtocolFault("protocol fault: more than one frame at once")
        while have < whole:
            part = self._read(min(whole - have, 1 << 16), deadline)
            parts.append(part)
            have += len(part)
        return b"".join(parts)

    def _read(self, most: int, deadline: float | None) -> bytes:
        if deadline is not None:
            left = deadline - time.monotonic()
            if left <= 0:
                raise DeadlineFault("too late")
            self.patience(left)
        try:
            data = self._receive(most)
        except BlockingIOError:
            raise DeadlineFault("too late") from None
        except OSError:
            raise EndedFault("the guest hung up") from None
        if not data:
            raise EndedFault("the guest hung up")
        return data

    def patience(self, seconds: float) -> None:
        """Let a read or a write wait this long at most; a little above 0 at least, since 0 would be for ever."""
        if seconds != self._patience:
            whole = int(seconds)
            value = _SECONDS.pack(whole, max(1000, int((seconds - whole) * 1e6)))
            self.end.setsockopt(socket.SOL_SOCKET, socket.SO_RCVTIMEO, value)
            self.end.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, value)
            self._patience = seconds

    def is_silent(self) -> bool:
        """Return whether nothing lies in the line unread; its end counts as silence."""
        try:
            return not self.end.recv(1, socket.MSG_PEEK | socket.MSG_DONTWAIT)
        except OSError:
            return True


def send_with_descriptor(end: socket.socket, header: str, raw: bytes = b"", descriptors: Sequence[int] = ()) -> None:
    """Write one frame and attach file descriptors to it."""
    head = header.encode("ascii")
    frame = PREFIX.pack(len(head), len(raw)) + head + raw
    sent = socket.send_fds(end, [frame], list(descriptors))
    if sent != len(frame):
        end.sendall(frame[sent:])


def _size(count: int) -> str:
    for unit, size in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if count >= size:
            return f"{count / size:.1f} {unit}"
    return f"{count} bytes"
