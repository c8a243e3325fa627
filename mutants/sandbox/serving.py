"""The guest's end of a conversation: it runs the submission and answers calls. In here nothing can be trusted."""

import os
import socket
import warnings
from collections.abc import Callable, Sequence
from importlib import import_module
from time import monotonic
from typing import Any, NoReturn

from acidtest.mutants.sandbox import bulk
from acidtest.mutants.sandbox.books import Book
from acidtest.mutants.sandbox.errors import Classes, described, kinds_of, kinds_text
from acidtest.mutants.sandbox.faults import Fault, ProtocolFault, UnsendableFault
from acidtest.mutants.sandbox.filters import filter_warnings
from acidtest.mutants.sandbox.lending import Lent
from acidtest.mutants.sandbox.many import MANY
from acidtest.mutants.sandbox.reading import Reader
from acidtest.mutants.sandbox.saying import Sayings
from acidtest.mutants.sandbox.wire import Caps, Line
from acidtest.mutants.sandbox.writing import Writer, changes_text, named

_CAPS = Caps(header=1 << 26, raw=1 << 26)
_HANDLES = 64
_KEPT = 4096
_WARNINGS = 100


class Server:
    """Answers one end of a socket until it is closed.

    Args:
        end: the socket.
        functions: what can be called: (module, name).
        module: the module under test. own: names of the exceptions that it promises.
    """

    def __init__(
        self, end: socket.socket, functions: Sequence[tuple[str, str]], module: str, own: Sequence[str]
    ) -> None:
        self._line = Line(end, _CAPS)
        self._book = Book(holds=True)
        self._lent = Lent()
        self._writer = Writer(self._book, self._lent, self._write_stranger, guest=True)
        self._reader = Reader(self._book, self._lent, self._read_stranger, room=None)
        self._names, self._module, self._promised = functions, module, own
        self._functions: list[Any] = []
        self._own: dict[str, type] = {}
        self._classes = Classes()
        self._handles: dict[int, Any] = {}
        self._handle_numbers: dict[int, int] = {}
        self._handle_kinds: dict[tuple[str, tuple[str, ...]], type] = {}
        self._kept: list[Any] = []
        self._keeping = False
        self._ahead: dict[int, list[float]] = {}
        self._drawn: dict[int, int] = {}
        self._sayings = Sayings(self._line, self._writer, lambda: f",{self._draws()}" if self._drawn else "")
        self._called_back = False
        self._raised: list[BaseException] = []
        self._warned: list[str] = []

    def run(self) -> NoReturn:
        """Import the submission, say what it has, and answer calls; the process ends with the line."""
        warnings.showwarning = self._note_warning
        try:
            self._line.send(self._hello())
            while True:
                header, raw = self._line.receive()
                if header[0] == "*":
                    self._answer_many(header, raw)
                elif type(header[0]) is str:
                    MANY[header[0]](self, header, raw)
                else:
                    self._line.send(*self._answer(header, raw))
        except Fault:
            os._exit(0)

    def _hello(self) -> str:
        try:
            module = import_module(self._module)
            for home, name in self._names:
                self._functions.append(getattr(import_module(home), name, None))
        except BaseException as error:
            kinds, text = described(error, {})
            return f'["!",{kinds_text(kinds)},{self._writer.write(text)}]'
        for name in self._promised:
            kind = getattr(module, name, None)
            if isinstance(kind, type) and issubclass(kind, BaseException):
                self._own[name] = kind
        there = ",".join("true" if callable(function) else "false" for function in self._functions)
        promised = ",".join(f"[{self._writer.write(n)},{kinds_text(kinds_of(k, {}))}]" for n, k in self._own.items())
        return f'["hello",[{there}],[{promised}]]'

    def _begin(self, raw: bytes, news: list[Any]) -> None:
        """Read a call's frame from here on, and make the caller's changes first."""
        self._lent.begin()
        if self._raised:
            self._raised.clear()
        self._ahead.clear()
        self._reader.begin(raw)
        if news:
            self._catch_up(*news)

    def _answer(self, header: Any, raw: bytes) -> tuple[str, bytes]:
        """Return the frame that answers a call."""
        self._begin(raw, header[2:])
        reader = self._reader
        args = reader.read_all(header[1])
        named_args: dict[str, Any] = {}
        if len(header) > 3 and header[3]:
            nodes = header[3]
            named_args = dict(zip(nodes[::2], map(reader.read, nodes[1::2]), strict=True))
        target = header[0]
        function = getattr(self._kept[target[0]], target[1]) if type(target) is list else self._functions[target]
        self._lent.end()
        lent = self._lent.picture() if self._lent.things else 0
        try:
            result = function(*args, **named_args)
        except UnsendableFault as fault:
            return self._unsendable(fault)
        except Fault:
            raise
        except BaseException as error:
            return self._frame(self._write_error, error, lent)
        self._keeping = isinstance(function, type)
        return self._frame(self._write_result, result, lent)

    def _answer_many(self, header: list[Any], raw: bytes) -> None:
        """Answer calls one after another; the first answer that stands not for itself goes out as if it came alone."""
        _, number, count, columns, *news = header
        self._begin(raw, [news[0], None, *news[1:]] if news else [])
        calls, _ = bulk.read_columns(columns, count, self._reader)
        self._lent.end()
        function, sayings, is_unchanged = self._functions[number], self._begin_bulk(number, count), self._book.watch()
        until = monotonic() + bulk.SECONDS
        try:
            for args in calls:
                try:
                    result = function(*args)
                except Fault:
                    raise
                except BaseException as error:
                    sayings.say()
                    self._line.send(*self._frame(self._write_error, error, 0))
                    return
                if self._warned or self._called_back or not is_unchanged() or not sayings.take(result):
                    sayings.say()
                    self._keeping = isinstance(function, type)
                    self._line.send(*self._frame(self._write_result, result, 0))
                    return
                if monotonic() >= until:
                    sayings.say()
                    until = monotonic() + bulk.SECONDS
            sayings.say()
        except UnsendableFault as fault:
            self._line.send(*self._unsendable(fault))

    def _begin_bulk(self, number: int, count: int) -> Sayings:
        """Begin to answer so many calls of one function; return what takes the answers."""
        self._called_back = self._keeping = False
        self._sayings.begin(count, not isinstance(self._functions[number], type))
        return self._sayings

    def _frame(self, write: Callable[[Any], str], outcome: Any, lent: int) -> tuple[str, bytes]:
        """Return the frame that says what came out of a call, as ``write`` puts it."""
        try:
            return self._finish(write(outcome), lent), self._writer.take_raw()
        except UnsendableFault as fault:
            return self._unsendable(fault)

    def _unsendable(self, fault: UnsendableFault) -> tuple[str, bytes]:
        self._writer.take_raw()
        return f'["x",{self._writer.write(fault.reason)}]', b""

    def _write_result(self, result: Any) -> str:
        return f'["=",{self._writer.write(result)}'

    def _finish(self, text: str, lent: int) -> str:
        """Return the header of an answer: what came out, and after it what became of lists, arrays and warnings."""
        changed = [number for number in range(lent) if self._lent.changed(number)] if lent else []
        arrays = self._book.changes([]) if self._book.entries else ()
        if not changed and not arrays and not self._warned and not self._drawn:
            return f"{text}]"
        lists = []
        for number in changed:
            thing = self._lent.things[number]
            if type(thing) is list:
                lists.append(f'{number},["l"{self._writer.write_all(thing)}]')
            else:
                lists.append(f'{number},["b",{self._writer.add_raw(bytes(thing))}]')
        warned, self._warned = self._warned, []
        drawn = f",{self._draws()}" if self._drawn else ""
        return f"{text},[{','.join(lists)}],{changes_text(arrays, self._writer)},[{','.join(warned)}]{drawn}]"

    def _draws(self) -> str:
        """Return how many numbers of each generator were drawn without being asked for, since this was last said."""
        counts, self._drawn = self._drawn, {}
        return f"[{','.join(f'{number},{count}' for number, count in counts.items())}]"

    def _catch_up(self, changes: list[Any], _named: object = None, gone: Any = (), filters: Any = None) -> None:
        """Make the caller's changes here: arrays that it wrote to, arrays that it lost, filters for warnings."""
        for number, writeable, count in zip(changes[::3], changes[1::3], changes[2::3], strict=True):
            self._book.apply(number, writeable, None if count is None else self._reader.take(count))
        self._book.forget(gone)
        if filters is not None:
            filter_warnings(filters)

    def _write_error(self, error: BaseException) -> str:
        for number, raised in enumerate(self._raised):
            if raised is error:
                return f'["!",{number},""'
        kinds, text = described(error, self._own)
        return f'["!",{kinds_text(kinds)},{self._writer.write(text)}'

    def _note_warning(self, message: Any, category: type, *_: object, **__: object) -> None:
        if len(self._warned) < _WARNINGS:
            text = self._writer.write(str(message)[:200])
            self._warned.append(f"[{kinds_text(kinds_of(category, {}))},{text}]")

    # --- objects that stay at their own end

    def _write_stranger(self, value: object) -> str:
        number = self._handle_numbers.get(id(value))
        if number is not None:
            return f'["H",{number}]'
        if self._keeping and len(self._kept) < _KEPT:
            self._keeping = False
            self._kept.append(value)
            return f'["o","{named(type(value))}",{len(self._kept) - 1}]'
        return f'["o","{named(type(value))}",null]'

    def _read_stranger(self, node: list[Any]) -> object:
        number = node[1]
        if node[0] == "H":
            self._look_ahead(number, node[2:])
            return self._handles[number]
        _tag, _, name, methods, *ahead = node
        self._look_ahead(number, ahead)
        key = (name, tuple(methods))
        if key not in self._handle_kinds:
            self._handle_kinds[key] = self._handle_kind(name, methods)
        handle = self._handle_kinds[key]()
        if len(self._handles) == _HANDLES:
            oldest = next(iter(self._handles))
            self._handle_numbers.pop(id(self._handles.pop(oldest)))
        self._handles[number] = handle
        self._handle_numbers[id(handle)] = number
        return handle

    def _look_ahead(self, number: int, ahead: list[list[float]]) -> None:
        if ahead:
            self._ahead[number] = ahead[0][::-1]

    def _handle_kind(self, name: str, methods: Sequence[str]) -> type:
        def method(name: str) -> Callable[..., object]:
            return lambda handle, *args: self._call_back(handle, name, args)

        namespace: dict[str, Any] = {each: method(each) for each in methods}
        if "__next__" in namespace:
            namespace["__iter__"] = lambda handle: handle
        return type(name, (), {"__slots__": (), **namespace})

    def _call_back(self, handle: object, method: str, args: tuple[object, ...]) -> object:
        """Ask the caller's object, and return or raise what it does."""
        number = self._handle_numbers.get(id(handle))
        if number is None:
            raise ReferenceError("this object was lent for an earlier call")
        if method == "random" and not args and (ahead := self._ahead.get(number)):
            self._drawn[number] = self._drawn.get(number, 0) + 1
            return ahead.pop()
        self._called_back = True
        self._sayings.say()
        self._ahead.clear()  # what was told may be drawn by another before the answer
        nodes = self._writer.write_all(args)
        self._line.send(f'["?",{number},"{method}",{self._draws()}{nodes}]', self._writer.take_raw())
        answer, raw = self._line.receive()
        self._reader.begin(raw)
        if answer[0] == "=":
            return self._reader.read(answer[1])
        if answer[0] != "!":
            raise ProtocolFault("protocol fault: an answer of no kind")
        kind = self._classes.kind(answer[1]) or RuntimeError
        error = kind(answer[2])
        self._raised.append(error)
        raise error
