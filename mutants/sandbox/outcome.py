"""What a call comes to at the caller's end: a value, an exception, and what the submission changed on the way."""

import warnings
from collections.abc import Sequence
from typing import Any

from acidtest.mutants.sandbox.books import Book
from acidtest.mutants.sandbox.errors import Classes
from acidtest.mutants.sandbox.faults import ExitFault, ProtocolFault, UnsendableFault
from acidtest.mutants.sandbox.lending import Lent
from acidtest.mutants.sandbox.reading import Reader
from acidtest.mutants.sandbox.strangers import Handles


class Outcomes:
    """Makes of each answer what it says.

    Args:
        reader, lent, book, classes, handles: the conversation's. raised: what objects of the caller's raised meanwhile.

    Attributes:
        wrote: whether the submission ever changed an argument, or a result that it had handed out.
    """

    def __init__(
        self,
        reader: Reader,
        lent: Lent,
        book: Book,
        classes: Classes,
        handles: Handles,
        raised: Sequence[BaseException],
    ) -> None:
        self.wrote = False
        self._reader = reader
        self._lent = lent
        self._book = book
        self._classes = classes
        self._handles = handles
        self._raised = raised

    def of(self, header: Any, raw: bytes) -> Any:
        """Return or raise what an answer says, after making its changes here."""
        if type(header) is not list or len(header) < 2:
            raise ProtocolFault("protocol fault: an answer of no kind")
        reader, tag = self._reader, header[0]
        error = result = None
        if tag == "=" and len(header) in (2, 5, 6):
            reader.begin(raw)
            result = header[1] if type(header[1]) is not list else reader.read(header[1])
            if len(header) > 2:
                self._make_changes(*header[2:])
            elif raw:
                reader.end()
        elif tag == "!" and len(header) in (3, 6, 7):
            reader.begin(raw)
            error = self._error(header[1], header[2])
            self._make_changes(*(header[3:] or ([], [], [])))
        elif tag == "x" and len(header) == 2 and type(header[1]) is str:
            fault = UnsendableFault(f"the submission's answer cannot be carried: {header[1][:200]}")
            fault.outcome = "crashed"
            raise fault
        else:
            raise ProtocolFault("protocol fault: an answer of no kind")
        if error is None:
            return result
        try:
            raise error
        finally:
            del error  # it holds this frame, and with it everything that it was about, until the collector comes

    def _make_changes(self, lists: Any, arrays: Any, warned: Any, drawn: Any = ()) -> None:
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
        if drawn != ():
            self._handles.draw(drawn)
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
