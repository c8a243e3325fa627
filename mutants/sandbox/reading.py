"""Values from the wire: the tags that ``writing`` lists, each checked before anything is made of it."""

import array
import math
import re
from collections.abc import Callable
from typing import Any, Literal, cast

import numpy as np

from acidtest.mutants.sandbox.books import Array, Book
from acidtest.mutants.sandbox.faults import ProtocolFault
from acidtest.mutants.sandbox.lending import Lent
from acidtest.mutants.sandbox.writing import DEEPEST, FORTRAN, NAME, PLAIN, PLAIN_VIEW, WRITEABLE

_FLOAT64 = np.dtype(np.float64)
_DTYPE = re.compile(r"[<>|=]?[biufcSU][0-9]{1,4}")
_COLLIDING = 256
_CLASSES = 256
_EXPONENTS = 2000
_REFERRED = 256
"""How often an answer may speak of what is known: a list of one array, a thousand times, is short on the wire only."""


class Reader:
    """One end's reading.

    Args:
        book, lent: what both ends know.
        stranger: returns the object for a node tagged ``h``, ``H`` or ``o``, or raises ``ProtocolFault``.
        room: how many elements an array may have, since a view of one number can have a billion. None: any.

    With ``room``, what is read is bounded in every other way too: the other end is not believed.

    Attributes:
        referred: the things known before that were met since ``begin``, each as often as it was.
    """

    def __init__(self, book: Book, lent: Lent, stranger: Callable[[list[Any]], object], room: int | None) -> None:
        self.room = room
        self._book = book
        self._lent = lent
        self._stranger = stranger
        self._classes: dict[tuple[type, str], type] = {}
        self._raw = b""
        self._at = 0
        self.referred: list[object] = []

    def begin(self, raw: bytes) -> None:
        """Note the raw bytes of what is read next."""
        self._raw, self._at = raw, 0
        if self.referred:
            self.referred.clear()

    def end(self) -> None:
        """Check that all raw bytes were used.

        Raises:
            ProtocolFault: some were not.
        """
        if self._at != len(self._raw):
            raise ProtocolFault("protocol fault: bytes that belong to no value")

    def take(self, count: object) -> bytes:
        """Return the next raw bytes.

        Raises:
            ProtocolFault: there are not so many.
        """
        if type(count) is not int or not 0 <= count <= len(self._raw) - self._at:
            raise ProtocolFault("protocol fault: fewer bytes than announced")
        self._at += count
        return self._raw[self._at - count : self._at]

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
            raise ProtocolFault("protocol fault: too long a range")
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
            raise ProtocolFault("protocol fault: too large a decimal number")
        return value

    def _scalar(self, node: list[Any], _: int) -> object:
        dtype = self._dtype(node[1])
        try:
            data = bytes.fromhex(node[2])
        except (TypeError, ValueError):
            raise ProtocolFault("protocol fault: a scalar that is not hexadecimal") from None
        if len(data) != dtype.itemsize:
            raise ProtocolFault("protocol fault: a scalar of the wrong size")
        value: object = _clean(np.frombuffer(data, dtype))[0]
        return value

    def _vector(self, node: list[Any], _: int) -> Array:
        count = node[1]
        if type(count) is not int or count < 0:
            raise ProtocolFault("protocol fault: a vector without a length")
        data = self.take(8 * count)
        value = np.frombuffer(data, _FLOAT64).copy() if count else np.empty(0)
        self._book.enter(value)
        return value

    def _array(self, node: list[Any], _: int) -> Array:
        _tag, text, sizes, bits, name = node
        dtype, shape, kind = self._dtype(text), self._shape(sizes), self._kind(name)
        if type(bits) is not int or not 0 <= bits <= WRITEABLE + FORTRAN:
            raise ProtocolFault("protocol fault: an array with unknown flags")
        order: Literal["F", "C"] = "F" if bits & FORTRAN else "C"
        data = self.take(math.prod(shape) * dtype.itemsize)
        value: Array = np.ndarray.__new__(kind, shape, dtype, order=order)
        if data:
            value[...] = _clean(np.frombuffer(data, dtype)).reshape(shape, order=order)
        value.flags.writeable = bool(bits & WRITEABLE)
        self._book.enter(value)
        return value

    def _objects(self, node: list[Any], depth: int) -> Array:
        shape, kind = self._shape(node[1]), self._kind(node[3])
        value: Array = np.ndarray.__new__(kind, shape, np.dtype(object))
        if len(node) - 4 != value.size or type(node[2]) is not int:
            raise ProtocolFault("protocol fault: an array of fewer objects than it has")
        self._book.enter(value)
        flat = value.reshape(-1)
        for index, part in enumerate(node[4:]):
            flat[index] = self.read(part, depth + 1)
        value.flags.writeable = bool(node[2])
        return value

    def _view(self, node: list[Any], depth: int) -> Array:
        _tag, inner, text, sizes, offset, steps, writeable, name = node
        if type(inner) is not list or not inner or inner[0] not in ("k", "v", "a"):
            raise ProtocolFault("protocol fault: a view of what is no array")
        owner = self.read(inner, depth + 1)
        dtype, shape, kind = self._dtype(text), self._shape(sizes), self._kind(name)
        if type(steps) is not list or len(steps) != len(shape) or any(type(step) is not int for step in steps):
            raise ProtocolFault("protocol fault: a view with other strides")
        if self.room is not None and len(shape) > PLAIN_VIEW:
            raise ProtocolFault("protocol fault: a view of too many dimensions")
        if type(offset) is not int or owner.dtype.hasobject or (self.room is not None and owner.dtype.kind in "SU"):
            raise ProtocolFault("protocol fault: a view from nowhere")
        ways = [(size - 1) * step for size, step in zip(shape, steps, strict=True)]
        low = offset + sum(min(0, way) for way in ways)
        high = offset + sum(max(0, way) for way in ways) + dtype.itemsize
        if math.prod(shape) and not 0 <= low < high <= owner.nbytes:
            raise ProtocolFault("protocol fault: a view past its array's memory")
        flat = owner if owner.flags.c_contiguous else owner.T
        try:
            value: Array = np.ndarray.__new__(kind, shape, dtype, flat, offset, tuple(steps))
        except (TypeError, ValueError, OverflowError):
            raise ProtocolFault("protocol fault: a view that cannot be made") from None
        value.flags.writeable = bool(writeable) and value.flags.writeable
        self._book.enter(value, owner=False)
        return value

    def _known(self, node: list[Any], _: int) -> Array:
        return cast("Array", self._refer(self._book.array(node[1])))

    def _lent_thing(self, node: list[Any], _: int) -> object:
        return self._refer(self._lent.thing(node[1]))

    def _refer(self, thing: object) -> object:
        if self.room is not None:
            if len(self.referred) == _REFERRED:
                raise ProtocolFault("protocol fault: known things over and over")
            self.referred.append(thing)
        return thing

    def _subclass(self, node: list[Any], depth: int) -> object:
        plain = self.read(node[2], depth + 1)
        base = type(plain)
        if base not in PLAIN and not isinstance(plain, np.generic):
            raise ProtocolFault("protocol fault: a subclass of what has none")
        value: object = self._class(base, node[1])(plain)
        return value

    def _foreign(self, node: list[Any], _: int) -> object:
        return self._refer(self._stranger(node))

    def _kind(self, name: object) -> Any:
        return np.ndarray if name == "" else self._class(np.ndarray, name)

    def _class(self, base: type, name: object) -> Any:
        """Return the one class of this name under ``base``; it has nothing of its own but its name."""
        if type(name) is not str or not NAME.fullmatch(name):
            raise ProtocolFault(f"protocol fault: a class {name!r:.20}")
        if (base, name) not in self._classes:
            if len(self._classes) == _CLASSES:
                raise ProtocolFault("protocol fault: too many classes")
            try:
                self._classes[base, name] = type(name, (base,), {})
            except TypeError:
                raise ProtocolFault("protocol fault: a subclass of what has none") from None
        return self._classes[base, name]

    def _dtype(self, text: object) -> "np.dtype[Any]":
        if type(text) is str and _DTYPE.fullmatch(text):
            try:
                dtype = np.dtype(text)
            except TypeError:
                dtype = np.dtype("V1")
            if dtype.itemsize and dtype.kind in ("biufc" if self.room is not None else "biufcSU"):
                return dtype
        raise ProtocolFault(f"protocol fault: a dtype {text!r:.20}")

    def _shape(self, sizes: object) -> tuple[int, ...]:
        if type(sizes) is not list or len(sizes) > 8 or any(type(size) is not int or size < 0 for size in sizes):
            raise ProtocolFault("protocol fault: an array without a shape")
        if self.room is not None and math.prod(max(1, size) for size in sizes) > self.room:
            raise ProtocolFault("protocol fault: too large an array")
        return tuple(sizes)


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
    "h": (4, 4, Reader._foreign),
    "H": (2, 2, Reader._foreign),
    "o": (3, 3, Reader._foreign),
}
"""For each tag: how many parts its node has at least and at most, and what reads it."""


def _clean(flat: Array) -> Array:
    """Return booleans made of whatever bytes came; other numbers as they are."""
    return flat.view(np.uint8) != 0 if flat.dtype.kind == "b" else flat
