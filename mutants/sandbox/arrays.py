"""Arrays from the wire, and what they and all else that comes over it share: raw bytes, classes, what is known."""

import math
import re
from abc import ABC, abstractmethod
from typing import Any, Literal, cast

import numpy as np

from acidtest.mutants.sandbox.books import Array, Book
from acidtest.mutants.sandbox.faults import ProtocolFault, TooLargeFault
from acidtest.mutants.sandbox.writing import FORTRAN, NAME, PLAIN_VIEW, WRITEABLE

_FLOAT64 = np.dtype(np.float64)
_DTYPE = re.compile(r"[<>|=]?[biufcSU][0-9]{1,4}")
_CLASSES = 256
_REFERRED = 256
"""How often an answer may speak of what is known: a list of one array, a thousand times, is short on the wire only."""


class ArrayReader(ABC):
    """One end's reading of arrays and scalars of numpy's.

    Args:
        book: the arrays that both ends know. room: how many elements one may have; None: any.

    Attributes:
        referred: the things known before that were met since ``begin``, each as often as it was.
    """

    def __init__(self, book: Book, room: int | None) -> None:
        self.room = room
        self.referred: list[object] = []
        self._book = book
        self._classes: dict[tuple[type, str], type] = {}
        self._raw = b""
        self._at = 0

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

    @abstractmethod
    def read(self, node: Any, depth: int = 0) -> Any:
        """Return the value that a header's node stands for."""

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

    def _refer(self, thing: object) -> object:
        if self.room is not None:
            if len(self.referred) == _REFERRED:
                raise ProtocolFault("protocol fault: known things over and over")
            self.referred.append(thing)
        return thing

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
            raise TooLargeFault("protocol fault: too large an array")
        return tuple(sizes)


def _clean(flat: Array) -> Array:
    """Return booleans made of whatever bytes came; other numbers as they are."""
    return flat.view(np.uint8) != 0 if flat.dtype.kind == "b" else flat
