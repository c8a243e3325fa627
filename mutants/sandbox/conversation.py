"""The grader's end of a conversation with one fork of a guest: calls go out, and whatever comes back is doubted.

An answer becomes a value, an exception, or a ``Fault``. A fault ends the conversation and is raised again by every
further call, so that a test that swallowed it is found out.
"""

import json
import socket
import time
import warnings
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from acidtest.mutants.sandbox.books import MOST_ARRAYS, Array, Book
from acidtest.mutants.sandbox.errors import Classes, described, kinds_text
from acidtest.mutants.sandbox.faults import DeadlineFault, EndedFault, ExitFault, Fault, ProtocolFault, UnsendableFault
from acidtest.mutants.sandbox.lending import Lent
from acidtest.mutants.sandbox.reading import Reader
from acidtest.mutants.sandbox.wire import Caps, Line
from acidtest.mutants.sandbox.writing import NAME, Writer, changes_text, named

HANDLED = (
    "random",
    "__index__",
    "__int__",
    "__float__",
    "__complex__",
    "__bool__",
    "__len__",
    "__getitem__",
    "__next__",
)
"""What of an object of the caller's can be called by the submission; all else of it stays hidden."""
REMOTE = ("random", "next_uint32")
"""What of an object of the submission's can be called by the caller."""
_HANDLES = 64
_CALLBACKS = 1_000_000
_HEADER, _RAW, _ROOM = 1 << 18, 1 << 16, 1 << 13


class Foreign:
    """An object of the submission's that has no form on the wire; nothing can be asked of it.

    Attributes:
        kind: its class's name.
    """

    def __init__(self, kind: str) -> None:
        self.kind = kind

    def __repr__(self) -> str:
        return f"<{self.kind} object of the submission>"


class Remote(Foreign):
    """One of which a few methods can be called."""

    def __init__(self, kind: str, call: Callable[..., object], number: int) -> None:
        super().__init__(kind)
        self._call = call
        self._number = number

    def __getattr__(self, name: str) -> object:
        if name not in REMOTE:
            raise AttributeError(f"{self!r} has no attribute {name!r}")
        return lambda *args, **named: self._call([self._number, name], args, named)


class Conversation:
    """Speaks with one fork.

    Args:
        end: the socket.
        call_seconds: how long one answer may take, the calls back within it included.
        seconds: how long the whole conversation may last.
        ended: called once where the guest hung up; returns what became of it, such as ``exit status 0``.

    Attributes:
        fault: what ended it, if something did.
        own: the classes of exceptions that the submission's module promises, by name.
        calls: how many there were.
        wrote: whether the submission ever changed an argument, or a result that it had handed out.
    """

    def __init__(self, end: socket.socket, call_seconds: float, seconds: float, ended: Callable[[], str]) -> None:
        self.fault: Fault | None = None
        self.calls = 0
        self.wrote = False
        self._line = Line(end, Caps(_HEADER, _RAW))
        self._book = Book(holds=False)
        self._lent = Lent()
        self._writer = Writer(self._book, self._lent, self._write_stranger, guest=False)
        self._reader = Reader(self._book, self._lent, self._read_stranger, room=_ROOM)
        self._classes = Classes()
        self.own = self._classes.own
        self._call_seconds = call_seconds
        self._seconds = seconds
        self._until = time.monotonic() + seconds
        self._ended = ended
        self._handles: OrderedDict[int, Any] = OrderedDict()
        self._handle_numbers: dict[int, int] = {}
        self._handle_kinds: dict[type, tuple[str, ...]] = {}
        self._next_handle = 0
        self._filters: list[Any] = []
        self._raised: list[BaseException] = []
        self._size = 0

    def hello(self) -> list[bool] | str:
        """Return which functions the submission has; or, where its import raised, what it raised, as one line.

        Raises:
            Fault: it did not come so far.
        """
        try:
            return self._hello(self._listen(self._deadline(), True)[0])
        except Fault as fault:
            raise self._ending(fault) from None

    def _hello(self, header: Any) -> list[bool] | str:
        if type(header) is list and len(header) == 3 and header[0] == "!" and type(header[2]) is str:
            kind = self._classes.kind(header[1])
            name = header[1][0][1] if kind is None else kind.__name__
            return f"{name}: {' '.join(header[2].split())}"
        if type(header) is not list or len(header) != 3 or header[0] != "hello":
            raise ProtocolFault("protocol fault: a greeting of another kind")
        there, promised = header[1:]
        if type(there) is not list or any(type(each) is not bool for each in there) or type(promised) is not list:
            raise ProtocolFault("protocol fault: a greeting of another kind")
        for item in promised[:16]:
            if type(item) is not list or len(item) != 2 or type(item[0]) is not str:
                raise ProtocolFault("protocol fault: a promised exception without a name")
            self._classes.promise(*item)
        return there

    def call(self, target: int | list[Any], args: Sequence[Any], named_args: Mapping[str, Any]) -> Any:
        """Return what the submission answers, or raise what it raises.

        Args:
            target: the function's number, or an object's number and a method's name.

        Raises:
            Fault: there is no answer.
        """
        if self.fault is not None:
            raise self.fault
        try:
            return self._call(target, args, named_args)
        except Fault as fault:
            raise self._ending(fault) from None

    def _ending(self, fault: Fault) -> Fault:
        """Note what ended the conversation, and return it."""
        self.fault = fault
        if isinstance(fault, EndedFault):
            self.fault = EndedFault(f"the guest {self._ended()}")
        return self.fault

    def _deadline(self) -> float:
        """Return until when an answer must be there, and let reads wait so long."""
        now = time.monotonic()
        seconds = self._call_seconds
        if now + seconds > self._until:
            seconds = self._until - now
            if seconds <= 0:
                raise DeadlineFault(f"the test's calls took longer than {self._seconds:g} s")
        self._line.patience(seconds)
        return now + seconds

    def _call(self, target: int | list[Any], args: Sequence[Any], named_args: Mapping[str, Any]) -> Any:
        deadline = self._deadline()
        self.calls += 1
        self._lent.begin()
        if self._raised:
            self._raised.clear()
        held: list[Array] = []
        rest = self._news(held)
        write = self._writer.write
        nodes = [repr(value) if type(value) is float and value - value == 0.0 else write(value) for value in args]
        if named_args or rest:
            given = ",".join(f"{write(name)},{write(value)}" for name, value in named_args.items())
            changes, gone, filters = rest or ("[]", "[]", "null")
            header = f"[{_target_text(target)},[{','.join(nodes)}],{changes},[{given}],{gone},{filters}]"
        else:
            header = f"[{_target_text(target)},[{','.join(nodes)}]]"
        self._lent.end()
        self._speak(header)
        answer, raw = self._listen(deadline, True)
        if type(answer) is list and answer and answer[0] == "?":
            answer, raw = self._serve_callbacks(answer, raw, deadline)
        return self._outcome(answer, raw)

    def _news(self, held: list[Array]) -> tuple[str, str, str] | None:
        """Return what the guest has to know before the call: changed arrays, lost ones, filters for warnings."""
        book = self._book
        if len(book.entries) > MOST_ARRAYS:
            book.clear()
        changes = book.changes(held) if book.entries else ()
        filters = "null"
        if self._filters != warnings.filters:
            self._filters = list(warnings.filters)
            filters = _filters_text(self._filters, self._writer)
        elif not changes and not book.gone:
            return None
        gone, book.gone = book.gone, []
        return changes_text(changes, self._writer), f"{gone}", filters

    def _serve_callbacks(self, answer: Any, raw: bytes, deadline: float) -> tuple[Any, bytes]:
        """Do what the submission asks of the objects that it was lent, and return the answer that comes at last."""
        for _ in range(_CALLBACKS):
            self._speak(self._call_back(answer, raw))
            answer, raw = self._listen(deadline, False)
            if type(answer) is not list or not answer or answer[0] != "?":
                return answer, raw
        raise ProtocolFault("protocol fault: calls back without end")

    def _speak(self, header: str) -> None:
        raw = self._writer.take_raw()
        size = len(header) + len(raw)
        if size > self._size:
            self._size = size
            self._line.caps = Caps(_HEADER + 2 * size, _RAW + 8 * size)
            self._reader.room = _ROOM + size
        self._line.send(header, raw)

    def _listen(self, deadline: float, patient: bool) -> tuple[Any, bytes]:
        try:
            return self._line.receive(deadline, patient)
        except DeadlineFault:
            if time.monotonic() >= self._until:
                raise DeadlineFault(f"the test's calls took longer than {self._seconds:g} s") from None
            raise DeadlineFault(f"one call took longer than {self._call_seconds:g} s") from None

    def _outcome(self, header: Any, raw: bytes) -> Any:
        """Return or raise what an answer says, after making its changes here."""
        if type(header) is not list or len(header) < 2:
            raise ProtocolFault("protocol fault: an answer of no kind")
        reader, tag = self._reader, header[0]
        error = result = None
        if tag == "=" and len(header) in (2, 5):
            reader.begin(raw)
            result = header[1] if type(header[1]) is not list else reader.read(header[1])
            if len(header) > 2:
                self._make_changes(*header[2:])
            elif raw:
                reader.end()
        elif tag == "!" and len(header) in (3, 6):
            reader.begin(raw)
            error = self._error(header[1], header[2])
            self._make_changes(*(header[3:] or ([], [], [])))
        elif tag == "x" and len(header) == 2 and type(header[1]) is str:
            fault = UnsendableFault(f"the submission's answer cannot be carried: {header[1][:200]}")
            fault.outcome = "crashed"
            raise fault
        else:
            raise ProtocolFault("protocol fault: an answer of no kind")
        if error is not None:
            raise error
        return result

    def _make_changes(self, lists: Any, arrays: Any, warned: Any) -> None:
        if type(lists) is not list or type(arrays) is not list or type(warned) is not list:
            raise ProtocolFault("protocol fault: changes of no kind")
        if len(lists) % 2 or len(arrays) % 3:
            raise ProtocolFault("protocol fault: half a change")
        for number, node in zip(lists[::2], lists[1::2], strict=True):
            self._reader.referred.clear()
            self._lent.change(number, self._reader.read(node), self._reader.referred)
        for number, writeable, count in zip(arrays[::3], arrays[1::3], arrays[2::3], strict=True):
            self._book.apply(number, writeable, None if count is None else self._reader.take(count))
        self.wrote = self.wrote or bool(lists or arrays)
        self._reader.end()
        for item in warned:
            if type(item) is not list or len(item) != 2 or type(item[1]) is not str:
                raise ProtocolFault("protocol fault: a warning without words")
            kind = self._classes.kind(item[0])
            if kind is None or not issubclass(kind, Warning):
                raise ProtocolFault("protocol fault: a warning of no kind")
            warnings.warn_explicit(item[1], kind, "submission", 1)

    def _error(self, kinds: Any, text: Any) -> BaseException:
        if type(kinds) is int:
            if not 0 <= kinds < len(self._raised):
                raise ProtocolFault("protocol fault: an exception that nobody raised")
            return self._raised[kinds]
        if type(text) is not str:
            raise ProtocolFault("protocol fault: an exception without words")
        kind = self._classes.kind(kinds)
        if kind is None:
            raise ExitFault(f"the submission raised {kinds[0][1]:.64}")
        return kind(text)

    # --- objects that stay at their own end

    def _write_stranger(self, value: object) -> str:
        number = self._handle_numbers.get(id(value))
        if number is not None:
            return f'["H",{number}]'
        if isinstance(value, np.ndarray | np.generic):
            raise UnsendableFault(f"an array of dtype {value.dtype} has no form on the wire")
        kind = type(value)
        if kind not in self._handle_kinds:
            self._handle_kinds[kind] = tuple(name for name in HANDLED if hasattr(kind, name))
        if len(self._handles) == _HANDLES:
            _, oldest = self._handles.popitem(last=False)
            del self._handle_numbers[id(oldest)]
        number = self._next_handle
        self._next_handle += 1
        self._handles[number] = value
        self._handle_numbers[id(value)] = number
        methods = ",".join(f'"{name}"' for name in self._handle_kinds[kind])
        return f'["h",{number},"{named(kind)}",[{methods}]]'

    def _read_stranger(self, node: list[Any]) -> object:
        if node[0] == "H":
            return self._handle(node[1])
        if node[0] != "o" or type(node[1]) is not str or not NAME.fullmatch(node[1]):
            raise ProtocolFault("protocol fault: an object of no kind")
        _tag, kind, number = node
        if number is None:
            return Foreign(kind)
        if type(number) is not int:
            raise ProtocolFault("protocol fault: an object of no kind")
        return Remote(kind, self.call, number)

    def _handle(self, number: object) -> Any:
        if type(number) is not int or number not in self._handles:
            raise ProtocolFault("protocol fault: an object that was not lent")
        return self._handles[number]

    def _call_back(self, header: list[Any], raw: bytes) -> str:
        """Do what the submission asks of an object that it was lent, and return the header of the answer."""
        if len(header) < 3:
            raise ProtocolFault("protocol fault: a call back to nothing")
        thing, method = self._handle(header[1]), header[2]
        if type(method) is not str or method not in self._handle_kinds[type(thing)]:
            raise ProtocolFault(f"protocol fault: a call back of {method!r:.40}")
        self._reader.begin(raw)
        args = self._reader.read_all(header[3:])
        self._reader.end()
        try:
            if method == "random" and args:  # numpy's generators would hand out as many as are asked for
                raise TypeError("random() takes no arguments here")
            result = getattr(thing, method)(*args)
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


def _target_text(target: int | list[Any]) -> str:
    return f"{target}" if type(target) is int else json.dumps(target)


def _filters_text(filters: list[Any], writer: Writer) -> str:
    """Return the warning filters as JSON: action, message pattern, category, module pattern, line."""
    parts = []
    for action, message, category, module, line in filters:
        words = [action, _pattern(message), f"{category.__module__}.{category.__qualname__}", _pattern(module)]
        parts.append(f"[{','.join(writer.write(word) for word in words)},{line}]")
    return f"[{','.join(parts)}]"


def _pattern(pattern: Any) -> str | None:
    return str(getattr(pattern, "pattern", pattern)) if pattern is not None else None
