"""The trusted end of a suite's conversation: a variant answers, and every frame that comes is doubted.

The suite is the caller here, so that the roles of `conversation` and `serving` are kept and the trust is turned round:
whatever comes is checked before it is looked at, one call has one deadline, and a frame that is none ends it all.
"""

import signal
import sys
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from acidtest.mutants.sandbox.faults import ProtocolFault
from acidtest.mutants.sandbox.reading import Reader
from acidtest.mutants.sandbox.serving import Server
from acidtest.mutants.sandbox.strangers import HANDLED, REMOTE
from acidtest.mutants.sandbox.writing import NAME

_ROOM = 1 << 21
_ARRAYS = 4096
_ARGUMENTS = 64
_LONGEST = 300


class SuiteServer(Server):
    """Answers a suite until it hangs up.

    Args:
        line: where frames come from: a `suite_tape.RecordingLine`, or one that is `Playing`.
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
        if type(number) is not int or len(node) not in (2, 4):
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
        self._line.send(f'["?",{number},"{method}",[]{nodes}]', self._writer.take_raw())
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
