"""The guest's end of a conversation: it runs the submission and answers calls. In here nothing can be trusted."""

import os
import socket
import sys
import types
import warnings
from collections.abc import Callable, Sequence
from importlib import import_module
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from typing import Any, NoReturn

from acidtest.mutants.sandbox.books import Book
from acidtest.mutants.sandbox.errors import Classes, described, kinds_of, kinds_text
from acidtest.mutants.sandbox.faults import Fault, ProtocolFault, UnsendableFault
from acidtest.mutants.sandbox.lending import Lent
from acidtest.mutants.sandbox.reading import Reader
from acidtest.mutants.sandbox.wire import Caps, Line
from acidtest.mutants.sandbox.writing import Writer, changes_text, named

_CAPS = Caps(header=1 << 26, raw=1 << 26)
_HANDLES = 64
_KEPT = 4096
_WARNINGS = 100


class Finder(MetaPathFinder, Loader):
    """Finds modules that are compiled already and lie in no file.

    Args:
        codes: the modules' code by full name; None for a package.
    """

    def __init__(self, codes: dict[str, types.CodeType | None]) -> None:
        self.codes = codes

    def find_spec(self, fullname: str, path: Sequence[str] | None, target: object = None) -> ModuleSpec | None:
        """Return the spec of a module of ours."""
        if fullname not in self.codes:
            return None
        code = self.codes[fullname]
        spec = ModuleSpec(fullname, self, origin=code.co_filename if code is not None else None)
        spec.submodule_search_locations = [] if code is None else None
        spec.has_location = code is not None
        return spec

    def exec_module(self, module: types.ModuleType) -> None:
        """Run a module's code."""
        code = self.codes[module.__name__]
        if code is not None:
            exec(code, vars(module))


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
        self._raised: list[BaseException] = []
        self._warned: list[str] = []

    def run(self) -> NoReturn:
        """Import the submission, say what it has, and answer calls; the process ends with the line."""
        warnings.showwarning = self._note_warning
        try:
            self._line.send(self._hello())
            while True:
                header, raw = self._line.receive()
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

    def _answer(self, header: Any, raw: bytes) -> tuple[str, bytes]:
        """Return the frame that answers a call."""
        self._lent.begin()
        if self._raised:
            self._raised.clear()
        reader = self._reader
        reader.begin(raw)
        if len(header) > 2:
            self._catch_up(*header[2:])
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
            try:
                result = function(*args, **named_args)
            except Fault:
                raise
            except BaseException as error:
                text = self._write_error(error)
            else:
                self._keeping = isinstance(function, type)
                text = f'["=",{self._writer.write(result)}'
            return self._finish(text, lent), self._writer.take_raw()
        except UnsendableFault as fault:
            self._writer.take_raw()
            return f'["x",{self._writer.write(fault.reason)}]', b""

    def _finish(self, text: str, lent: int) -> str:
        """Return the header of an answer: what came out, and after it what became of lists, arrays and warnings."""
        changed = [number for number in range(lent) if self._lent.changed(number)] if lent else []
        arrays = self._book.changes([]) if self._book.entries else ()
        if not changed and not arrays and not self._warned:
            return f"{text}]"
        lists = []
        for number in changed:
            thing = self._lent.things[number]
            if type(thing) is list:
                lists.append(f'{number},["l"{self._writer.write_all(thing)}]')
            else:
                lists.append(f'{number},["b",{self._writer.add_raw(bytes(thing))}]')
        warned, self._warned = self._warned, []
        return f"{text},[{','.join(lists)}],{changes_text(arrays, self._writer)},[{','.join(warned)}]]"

    def _catch_up(self, changes: list[Any], _named: object = None, gone: Any = (), filters: Any = None) -> None:
        """Make the caller's changes here: arrays that it wrote to, arrays that it lost, filters for warnings."""
        for number, writeable, count in zip(changes[::3], changes[1::3], changes[2::3], strict=True):
            self._book.apply(number, writeable, None if count is None else self._reader.take(count))
        self._book.forget(gone)
        if filters is not None:
            _filter_warnings(filters)

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
        if node[0] == "H":
            return self._handles[node[1]]
        _tag, number, name, methods = node
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
        nodes = self._writer.write_all(args)
        self._line.send(f'["?",{number},"{method}"{nodes}]', self._writer.take_raw())
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


def _filter_warnings(filters: list[Any]) -> None:
    """Make the warning filters those of the caller; a category that is not known here cannot be raised here."""
    warnings.resetwarnings()
    for action, message, name, place, line in reversed(filters):
        home, _, kind = name.rpartition(".")
        category = getattr(sys.modules.get(home), kind, None)
        if category is not None:
            warnings.filterwarnings(action, message or "", category, place or "", line)
