"""The grader's end of a conversation with one fork of a guest: calls go out, and whatever comes back is doubted.

An answer becomes a value, an exception, or a ``Fault``. A fault ends the conversation and is raised again by every
further call, so that a test that swallowed it is found out.
"""

import json
import socket
import time
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from acidtest.mutants.sandbox import bulk
from acidtest.mutants.sandbox.books import MOST_ARRAYS, Array, Book
from acidtest.mutants.sandbox.errors import Classes, described, kinds_text
from acidtest.mutants.sandbox.faults import DeadlineFault, EndedFault, Fault, ProtocolFault
from acidtest.mutants.sandbox.filters import filters_text
from acidtest.mutants.sandbox.lending import Lent
from acidtest.mutants.sandbox.outcome import Outcomes
from acidtest.mutants.sandbox.reading import Reader
from acidtest.mutants.sandbox.strangers import Handles, foreign, is_generator
from acidtest.mutants.sandbox.wire import Caps, Line
from acidtest.mutants.sandbox.writing import Writer, changes_text

_FIRST = 64
"""How many calls the first bulk has; the next ones are larger, or smaller where answers are not plain."""
_CALLBACKS = 1_000_000
_HEADER, _RAW, _ROOM = 1 << 18, 1 << 16, 1 << 13


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

    def call_each(self, function: int, calls: Iterable[Sequence[Any]]) -> list[Any]:
        """Return what the submission answers to each of the calls, or raise what it raises at the first that raises.

        As ``[call(function, args, {}) for args in calls]``, but for the time it takes: where an answer is plain, the
        next call is made before it is here. So of a guest that ends, none of the last few answers is seen; and none
        would be by a caller to whom a list of all answers is given or none. A call's limit is longer by
        ``bulk.SECONDS``.

        Args:
            function: its number. calls: the arguments of each call, by place.

        Raises:
            Fault: there is no answer to one of the calls.
        """
        calls, size = list(calls), _FIRST
        answers: list[Any] = []
        if self.fault is not None:
            raise self.fault
        try:
            while len(answers) < len(calls):
                asked = calls[len(answers) : len(answers) + size]
                some = self._call_some(function, asked)
                answers += some
                size = min(2 * size, bulk.MOST) if len(some) == len(asked) else max(1, size // 8)
        except Fault as fault:
            raise self._ending(fault) from None
        return answers

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

    def _call(self, target: int | list[Any], args: Sequence[Any], named_args: Mapping[str, Any]) -> Any:
        deadline = self._deadline()
        self.calls += 1
        self._lent.begin()
        if self._raised:
            self._raised.clear()
        held: list[Array] = []
        rest = self._news(held)
        write = self._writer.write
        self._handles.begin()
        nodes = [repr(value) if type(value) is float and value - value == 0.0 else write(value) for value in args]
        if named_args or rest:
            given = ",".join(f"{write(name)},{write(value)}" for name, value in named_args.items())
            changes, gone, filters = rest or ("[]", "[]", "null")
            header = f"[{_target_text(target)},[{','.join(nodes)}],{changes},[{given}],{gone},{filters}]"
        else:
            header = f"[{_target_text(target)},[{','.join(nodes)}]]"
        self._handles.end()
        self._lent.end()
        self._speak(header)
        answer, raw = self._listen(deadline, True)
        if type(answer) is list and answer and answer[0] == "?":
            answer, raw = self._serve_callbacks(answer, raw, deadline)
        return self._outcomes.of(answer, raw)

    def _call_some(self, function: int, calls: Sequence[Sequence[Any]]) -> list[Any]:
        """Return the answers to the first of several calls: to one at least, and to all of them if all are plain."""
        count = bulk.sendable(calls, self._book, is_generator) if len(calls) > 1 else 0
        if count < 2:
            return [self._call(function, calls[0], {})]
        calls = calls[:count]
        deadline = self._deadline(bulk.SECONDS)
        self._lent.begin()
        if self._raised:
            self._raised.clear()
        held: list[Array] = []
        rest = self._news(held)
        self._handles.begin(count)
        columns = bulk.columns_text(calls, self._writer)
        self._handles.end()
        self._lent.end()
        self._speak(f'["*",{function},{count},{columns}{"," if rest else ""}{",".join(rest or ())}]')
        answers: list[Any] = []
        while True:
            header, raw = self._listen(deadline, True)
            tag = header[0] if type(header) is list and header else None
            if tag == "?":
                header, raw = self._serve_callbacks(header, raw, deadline)
                tag = header[0] if type(header) is list and header else None
            if tag != "+":
                self.calls += 1
                answers.append(self._outcomes.of(header, raw))
                return answers
            some = bulk.read_answers(header, raw, count - len(answers))
            if len(header) > 2:
                self._handles.draw(header[2], more=True)
            self.calls += len(some)
            answers += some
            if len(answers) == count:
                return answers
            deadline = self._deadline(bulk.SECONDS)
            self._line.send(f'"{bulk.GO_ON}"')

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


def _target_text(target: int | list[Any]) -> str:
    return f"{target}" if type(target) is int else json.dumps(target)
