"""What all ways to ask a fork of a guest have in common: frames with their deadlines, news, calls back, the end."""

import socket
import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from acidtest.mutants.sandbox.books import MOST_ARRAYS, Array, Book
from acidtest.mutants.sandbox.errors import Classes, described, kinds_text
from acidtest.mutants.sandbox.faults import DeadlineFault, EndedFault, Fault, ProtocolFault
from acidtest.mutants.sandbox.filters import filters_text
from acidtest.mutants.sandbox.lending import Lent
from acidtest.mutants.sandbox.outcome import Outcomes
from acidtest.mutants.sandbox.reading import Reader
from acidtest.mutants.sandbox.strangers import Handles, foreign
from acidtest.mutants.sandbox.wire import Caps, Line
from acidtest.mutants.sandbox.writing import Writer, changes_text

_CALLBACKS = 1_000_000
_HEADER, _RAW, _ROOM = 1 << 18, 1 << 16, 1 << 13


class Exchange:
    """The caller's end of a line to one fork.

    Args:
        end: the socket.
        call_seconds: how long one answer may take, the calls back within it included.
        seconds: how long the whole conversation may last.
        ended: called once where the guest hung up; returns what became of it, such as ``exit status 0``.

    Attributes:
        fault: what ended it, if something did.
        own: the classes of exceptions that the submission's module promises, by name.
        calls: how many there were.
    """

    def __init__(self, end: socket.socket, call_seconds: float, seconds: float, ended: Callable[[], str]) -> None:
        self.fault: Fault | None = None
        self.calls = 0
        self._line = Line(end, Caps(_HEADER, _RAW))
        self._book = Book(holds=False)
        self._lent = Lent()
        self._writer = Writer(self._book, self._lent, self._write_stranger, guest=False)
        self._reader = Reader(self._book, self._lent, self._read_stranger, room=_ROOM)
        self._classes = Classes()
        self._handles = Handles()
        self._raised: list[BaseException] = []
        self._outcomes = Outcomes(self._reader, self._lent, self._book, self._classes, self._handles, self._raised)
        self.own = self._classes.own
        self._call_seconds = call_seconds
        self._seconds = seconds
        self._until = time.monotonic() + seconds
        self._ended = ended
        self._filters: list[Any] = []
        self._size = 0

    @property
    def wrote(self) -> bool:
        """Whether the submission ever changed an argument, or a result that it had handed out."""
        return self._outcomes.wrote

    def call(self, target: int | list[Any], args: Sequence[Any], named_args: Mapping[str, Any]) -> Any:
        """Return what the submission answers, or raise what it raises."""
        raise NotImplementedError

    def _nodes(self, args: Sequence[Any]) -> list[str]:
        write = self._writer.write
        return [repr(value) if type(value) is float and value - value == 0.0 else write(value) for value in args]

    def _ending(self, fault: Fault) -> Fault:
        """Note what ended the conversation, and return it."""
        self.fault = fault
        if isinstance(fault, EndedFault):
            self.fault = EndedFault(f"the guest {self._ended()}")
        return self.fault

    def _deadline(self, more: float = 0.0) -> float:
        """Return until when an answer must be there, ``more`` than one call's limit, and let reads wait so long."""
        now = time.monotonic()
        seconds = self._call_seconds + more
        if now + seconds > self._until:
            seconds = self._until - now
            if seconds <= 0:
                raise DeadlineFault(f"the test's calls took longer than {self._seconds:g} s")
        self._line.patience(seconds)
        return now + seconds

    def _news(self, held: list[Array]) -> tuple[str, str, str] | None:
        """Return what the guest has to know before the call: changed arrays, lost ones, filters for warnings."""
        book = self._book
        if len(book.entries) > MOST_ARRAYS:
            book.clear()
        changes = book.changes(held) if book.entries else ()
        filters = "null"
        if self._filters != warnings.filters:
            self._filters = list(warnings.filters)
            filters = filters_text(self._filters, self._writer)
        elif not changes and not book.gone:
            return None
        gone, book.gone = book.gone, []
        return changes_text(changes, self._writer), f"{gone}", filters

    def _serve_callbacks(self, answer: Any, raw: bytes, deadline: float, more: bool = False) -> tuple[Any, bytes]:
        """Do what the submission asks of the objects that it was lent, and return the answer that comes at last."""
        for _ in range(_CALLBACKS):
            self._speak(self._call_back(answer, raw))
            answer, raw = self._listen(deadline, False, more)
            if type(answer) is not list or not answer or answer[0] != "?":
                return answer, raw
        raise ProtocolFault("protocol fault: calls back without end")

    def _speak(self, header: str) -> None:
        raw = self._writer.take_raw()
        self._expect(len(header) + len(raw))
        self._line.send(header, raw)

    def _expect(self, size: int) -> None:
        """Let an answer be as large as one to ``size`` bytes may be."""
        if size > self._size:
            self._size = size
            self._line.caps = Caps(_HEADER + 2 * size, _RAW + 8 * size)
            self._reader.room = _ROOM + size

    def _listen(self, deadline: float, patient: bool, more: bool = False) -> tuple[Any, bytes]:
        try:
            return self._line.receive(deadline, patient, more)
        except DeadlineFault:
            if time.monotonic() >= self._until:
                raise DeadlineFault(f"the test's calls took longer than {self._seconds:g} s") from None
            raise DeadlineFault(f"one call took longer than {self._call_seconds:g} s") from None

    # --- objects that stay at their own end

    def _write_stranger(self, value: object) -> str:
        return self._handles.write(value)

    def _read_stranger(self, node: list[Any]) -> object:
        return self._handles.thing(node[1]) if node[0] == "H" else foreign(node, self.call)

    def _call_back(self, header: list[Any], raw: bytes) -> str:
        """Do what the submission asks of an object that it was lent, and return the header of the answer."""
        if len(header) < 4:
            raise ProtocolFault("protocol fault: a call back to nothing")
        method = self._handles.method(header[1], header[2])
        self._handles.draw(header[3])
        self._reader.begin(raw)
        args = self._reader.read_all(header[4:])
        self._reader.end()
        try:
            if header[2] == "random" and args:  # numpy's generators would hand out as many as are asked for
                raise TypeError("random() takes no arguments here")
            result = method(*args)
        except Exception as error:
            self._raised.append(error)
            kinds, text = described(error, self.own)
            return f'["!",{kinds_text(kinds)},{self._writer.write(text)}]'
        return f'["=",{self._writer.write(result)}]'

    def finish(self) -> None:
        """Close the line. What lies in it unread is a fault, since nothing was asked."""
        if self.fault is None and not self._line.is_silent():
            self.fault = ProtocolFault("protocol fault: an answer to nothing")
        self._line.end.close()


def tag_of(header: Any) -> Any:
    """Return what kind of answer a header has."""
    return header[0] if type(header) is list and header else None
