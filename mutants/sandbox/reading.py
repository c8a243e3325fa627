"""Values from the wire: the tags that ``writing`` lists, each checked before anything is made of it."""

import array
from collections.abc import Callable
from typing import Any

import numpy as np

from acidtest.mutants.sandbox.arrays import ArrayReader
from acidtest.mutants.sandbox.books import Book
from acidtest.mutants.sandbox.faults import ProtocolFault, TooLargeFault
from acidtest.mutants.sandbox.lending import Lent
from acidtest.mutants.sandbox.writing import DEEPEST, PLAIN

_COLLIDING = 256
_EXPONENTS = 2000


class Reader(ArrayReader):
    """One end's reading.

    Args:
        book, lent: what both ends know.
        stranger: returns the object for a node tagged ``h``, ``H`` or ``o``, or raises ``ProtocolFault``.
        room: how many elements an array may have, since a view of one number can have a billion. None: any.

    With ``room``, what is read is bounded in every other way too: the other end is not believed.
    """

    def __init__(self, book: Book, lent: Lent, stranger: Callable[[list[Any]], object], room: int | None) -> None:
        super().__init__(book, room)
        self._lent = lent
        self._stranger = stranger

    def read(self, node: Any, depth: int = 0) -> Any:
        """Return the value that a header's node stands for.

        Raises:
            ProtocolFault: it stands for none.
        """
        if type(node) is not list:
            return node
        tag = node[0] if node else None
        least, most, reader = _READERS.get(tag, _UNKNOWN) if type(tag) is str else _UNKNOWN
        if not least <= len(node) <= most:
            raise ProtocolFault(f"protocol fault: a value tagged {tag!r:.20}, in {len(node)} parts")
        if depth > DEEPEST:
            raise ProtocolFault("protocol fault: a value nested too deeply")
        return reader(self, node, depth)

    def read_all(self, nodes: list[Any], depth: int = 0) -> list[Any]:
        """Return the values of several nodes."""
        return [node if type(node) is not list else self.read(node, depth + 1) for node in nodes]

    def _list(self, node: list[Any], depth: int) -> list[Any]:
        value: list[Any] = []
        self._lent.lend(value)
        value += self.read_all(node[1:], depth)
        return value

    def _tuple(self, node: list[Any], depth: int) -> tuple[Any, ...]:
        return tuple(self.read_all(node[1:], depth))

    def _dict(self, node: list[Any], depth: int) -> dict[Any, Any]:
        value: dict[Any, Any] = {}
        self._lent.lend(value)
        parts = self._hashable(node, depth)
        if len(parts) % 2:
            raise ProtocolFault("protocol fault: a key without a value")
        try:
            value.update(zip(parts[::2], parts[1::2], strict=True))
        except TypeError:
            raise ProtocolFault("protocol fault: a key that cannot be hashed") from None
        return value

    def _set(self, node: list[Any], depth: int) -> set[Any]:
        value: set[Any] = set()
        self._lent.lend(value)
        try:
            value.update(self._hashable(node, depth))
        except TypeError:
            raise ProtocolFault("protocol fault: a set of what cannot be hashed") from None
        return value

    def _frozenset(self, node: list[Any], depth: int) -> frozenset[Any]:
        try:
            return frozenset(self._hashable(node, depth))
        except TypeError:
            raise ProtocolFault("protocol fault: a set of what cannot be hashed") from None

    def _hashable(self, node: list[Any], depth: int) -> list[Any]:
        """Return the parts of a node, few enough that it does not matter if they were chosen to collide."""
        if self.room is not None and len(node) > _COLLIDING:
            raise ProtocolFault(f"protocol fault: a set or dict of {len(node)} parts")
        return self.read_all(node[1:], depth)

    def _bytes(self, node: list[Any], _: int) -> bytes:
        return self.take(node[1])

    def _bytearray(self, node: list[Any], _: int) -> bytearray:
        value = bytearray(self.take(node[1]))
        self._lent.lend(value)
        return value

    def _buffer(self, node: list[Any], _: int) -> "array.array[Any]":
        if type(node[1]) is not str or len(node[1]) != 1 or node[1] not in "bBhHiIlLqQfd":
            raise ProtocolFault("protocol fault: an array.array of no kind")
        value = array.array(node[1])
        data = self.take(node[2])
        if len(data) % value.itemsize:
            raise ProtocolFault("protocol fault: an array.array cut short")
        value.frombytes(data)
        self._lent.lend(value)
        return value

    def _complex(self, node: list[Any], _: int) -> complex:
        if type(node[1]) is not float or type(node[2]) is not float:
            raise ProtocolFault("protocol fault: a complex number of other things")
        return complex(node[1], node[2])

    def _range(self, node: list[Any], _: int) -> range:
        start, stop, step = node[1:]
        if type(start) is not int or type(stop) is not int or type(step) is not int or step == 0:
            raise ProtocolFault("protocol fault: a range of other things")
        if self.room is not None and abs(stop - start) > self.room * abs(step):
            raise TooLargeFault("protocol fault: too long a range")
        return range(start, stop, step)

    def _fraction(self, node: list[Any], _: int) -> object:
        from fractions import Fraction  # few values need it, and it takes time to import

        if type(node[1]) is not int or type(node[2]) is not int or node[2] <= 0:
            raise ProtocolFault("protocol fault: a fraction of other things")
        return Fraction(node[1], node[2])

    def _decimal(self, node: list[Any], _: int) -> object:
        from decimal import Decimal, InvalidOperation

        try:
            value = Decimal(node[1] if type(node[1]) is str else "?")
        except InvalidOperation:
            raise ProtocolFault("protocol fault: a decimal number of other things") from None
        places = abs(value.adjusted()) + len(value.as_tuple()[1]) if value.is_finite() else 0
        if self.room is not None and places > _EXPONENTS:
            raise TooLargeFault("protocol fault: too large a decimal number")
        return value

    def _lent_thing(self, node: list[Any], _: int) -> object:
        return self._refer(self._lent.thing(node[1]))

    def _subclass(self, node: list[Any], depth: int) -> object:
        plain = self.read(node[2], depth + 1)
        base = type(plain)
        if base not in PLAIN and not isinstance(plain, np.generic):
            raise ProtocolFault("protocol fault: a subclass of what has none")
        value: object = self._class(base, node[1])(plain)
        return value

    def _foreign(self, node: list[Any], _: int) -> object:
        return self._refer(self._stranger(node))


def _nothing(_reader: Reader, _node: list[Any], _depth: int) -> object:
    raise ProtocolFault("protocol fault: a value of no kind")


_ANY = 1 << 40
_UNKNOWN: tuple[int, int, Callable[[Reader, list[Any], int], Any]] = (1, 0, _nothing)
_READERS: dict[str, tuple[int, int, Callable[[Reader, list[Any], int], Any]]] = {
    "l": (1, _ANY, Reader._list),
    "t": (1, _ANY, Reader._tuple),
    "d": (1, _ANY, Reader._dict),
    "e": (1, _ANY, Reader._set),
    "f": (1, _ANY, Reader._frozenset),
    "b": (2, 2, Reader._bytes),
    "B": (2, 2, Reader._bytearray),
    "A": (3, 3, Reader._buffer),
    "s": (3, 3, Reader._scalar),
    "v": (2, 2, Reader._vector),
    "a": (5, 5, Reader._array),
    "O": (4, _ANY, Reader._objects),
    "w": (8, 8, Reader._view),
    "k": (2, 2, Reader._known),
    "L": (2, 2, Reader._lent_thing),
    "c": (3, 3, Reader._complex),
    "q": (3, 3, Reader._fraction),
    "D": (2, 2, Reader._decimal),
    "r": (4, 4, Reader._range),
    "u": (3, 3, Reader._subclass),
    "h": (4, 5, Reader._foreign),
    "H": (2, 3, Reader._foreign),
    "o": (3, 3, Reader._foreign),
}
"""For each tag: how many parts its node has at least and at most, and what reads it."""
