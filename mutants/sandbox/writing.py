"""Values to the wire: each as one JSON value, its numbers' bytes beside it, its exact type named.

JSON's own numbers, strings, ``true``, ``false`` and ``null`` stand for ``float``, ``int``, ``str``, ``bool`` and
``None``; NaN is one of its numbers here, and its payload is not kept. All else is a JSON array that opens with a tag:

``l`` a list, ``t`` a tuple, ``f`` a frozenset, ``e`` a set, ``d`` a dict (keys and values in turn): items
``b`` bytes, ``B`` a bytearray: how many raw bytes; ``A`` an ``array.array``: typecode, how many raw bytes
``s`` a scalar of numpy's: dtype, its bytes in hexadecimal
``v`` a float64 vector: length; ``a`` another array: dtype, shape, flags, class; ``O`` one of objects
``w`` a view: the array that owns its memory, dtype, shape, offset, strides, whether it may be written, class
``k`` an array that both ends know: number; ``L`` a list, bytearray or the like of this call: number
``c`` a complex number; ``q`` a Fraction; ``D`` a Decimal; ``r`` a range
``u`` a value of a subclass: class, value. It arrives as a subclass of that name without methods
``h`` an object of the caller's: number, class, methods; ``H`` the same again: number; both may have a list of floats
more, the next that a generator will draw
``o`` an object of the submission's, which stays where it is: class, number or null
"""

import array
import re
from collections.abc import Callable, Iterable, Sequence
from json.encoder import encode_basestring_ascii
from typing import Any

import numpy as np

from acidtest.mutants.sandbox.books import Array, Book
from acidtest.mutants.sandbox.faults import UnsendableFault
from acidtest.mutants.sandbox.lending import Lent

DEEPEST = 24
TOO_LONG = "an integer of more than 4300 digits has no form on the wire"
PLAIN_VIEW = 2
"""The most dimensions of a view that a submission hands out: whether two views of more share memory is hard to tell."""
WRITEABLE, FORTRAN = 1, 2
_FLOAT64 = np.dtype(np.float64)
_NUMBERS = re.compile(r"[<>|=]?[biufc][0-9]{1,2}")
_TEXTS_TOO = re.compile(r"[<>|=]?[biufcSU][0-9]{1,4}")
NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,63}")
_SPARE = 4096
_NOT_NUMBERS = {"nan": "NaN", "inf": "Infinity", "-inf": "-Infinity"}


def _float(value: float) -> str:
    text = float.__repr__(value)
    return text if text[-1] <= "9" else _NOT_NUMBERS[text]


ATOMS: dict[type, Callable[[Any], str]] = {
    float: _float,
    int: int.__repr__,
    bool: {True: "true", False: "false"}.__getitem__,
    type(None): lambda _: "null",
    str: encode_basestring_ascii,
}


class Writer:
    """One end's writing.

    Args:
        book, lent: what both ends know.
        stranger: returns the JSON text of an object that has no form of its own here.
        guest: whether this is the submission's end, which keeps text arrays to itself.
    """

    def __init__(self, book: Book, lent: Lent, stranger: Callable[[object], str], guest: bool) -> None:
        self._book = book
        self._lent = lent
        self._stranger = stranger
        self._guest = guest
        self._dtype = _NUMBERS if guest else _TEXTS_TOO
        self._raw: list[bytes] = []
        self._number_of = book.number_of

    def take_raw(self) -> bytes:
        """Return the raw bytes of what was written since the last time."""
        if not self._raw:
            return b""
        raw = b"".join(self._raw)
        self._raw.clear()
        return raw

    def add_raw(self, data: bytes) -> int:
        """Append raw bytes, and return how many."""
        self._raw.append(data)
        return len(data)

    def write(self, value: Any, depth: int = 0) -> str:
        """Return a value as JSON text; its raw bytes are kept for ``take_raw``.

        Raises:
            UnsendableFault: it has no form on the wire, or is nested too deeply.
        """
        kind = type(value)
        if kind is np.ndarray:
            number = self._number_of(value)
            return self._array(value, depth) if number is None else f'["k",{number}]'
        atom = ATOMS.get(kind)
        if atom is not None:
            try:
                return atom(value)
            except ValueError:
                raise UnsendableFault(TOO_LONG) from None
        if depth > DEEPEST:
            raise UnsendableFault("a value nested too deeply, or in itself, has no form on the wire")
        writer = _WRITERS.get(kind)
        if writer is not None:
            return writer(self, value, depth)
        if isinstance(value, np.ndarray):
            return self._array(value, depth)
        return self._scalar(value, depth) if isinstance(value, np.generic) else self._other(value, depth)

    def write_all(self, items: Iterable[Any], depth: int = 0) -> str:
        """Return values as JSON texts, each with a comma before it."""
        write, deeper = self.write, depth + 1
        return "".join([f",{write(item, deeper)}" for item in items])

    def write_strangers(self, values: Sequence[Any]) -> list[str]:
        """Return values as JSON texts where no array is known yet, without getting to know those that are among them.

        Nothing is returned, and nothing written, where one of them is neither an atom nor a vector of its own, nor an
        object that has no form on the wire.
        """
        others = [value for value in values if type(value) not in ATOMS]
        if len(set(map(id, others))) < len(others) or not all(_is_vector(one) or has_no_form(one) for one in others):
            return []
        texts = []
        for value in values:
            if type(value) is np.ndarray:
                self._raw.append(value.tobytes())
                texts.append(f'["v",{value.size}]')
            else:
                texts.append(self.write(value))
        return texts

    def _loan(self, value: Any) -> str:
        """Return the node of a thing that was lent already; lend it and return nothing otherwise."""
        number = self._lent.lend(value)
        return "" if number is None else f'["L",{number}]'

    def _list(self, value: list[Any], depth: int) -> str:
        return self._loan(value) or f'["l"{self.write_all(value, depth)}]'

    def _tuple(self, value: tuple[Any, ...], depth: int) -> str:
        return f'["t"{self.write_all(value, depth)}]'

    def _dict(self, value: dict[Any, Any], depth: int) -> str:
        return self._loan(value) or f'["d"{self.write_all((x for item in value.items() for x in item), depth)}]'

    def _set(self, value: set[Any], depth: int) -> str:
        return self._loan(value) or f'["e"{self.write_all(value, depth)}]'

    def _frozenset(self, value: frozenset[Any], depth: int) -> str:
        return f'["f"{self.write_all(value, depth)}]'

    def _bytes(self, value: bytes, _: int) -> str:
        return f'["b",{self.add_raw(value)}]'

    def _bytearray(self, value: bytearray, _: int) -> str:
        return self._loan(value) or f'["B",{self.add_raw(bytes(value))}]'

    def _buffer(self, value: "array.array[Any]", _: int) -> str:
        return self._loan(value) or f'["A","{value.typecode}",{self.add_raw(value.tobytes())}]'

    def _complex(self, value: complex, _: int) -> str:
        return f'["c",{_float(value.real)},{_float(value.imag)}]'

    def _range(self, value: range, _: int) -> str:
        return f'["r",{value.start},{value.stop},{value.step}]'

    def _scalar(self, value: "np.generic[Any]", depth: int) -> str:
        dtype = value.dtype
        if type(value) is not dtype.type:
            return self._subclass(value, np.array(value)[()], depth)
        if not self._dtype.fullmatch(dtype.str):
            return self._stranger(value)
        return f'["s","{dtype.str}","{value.tobytes().hex()}"]'

    def _array(self, value: Array, depth: int) -> str:
        number = self._book.number_of(value)
        if number is not None:
            return f'["k",{number}]'
        dtype, flags = value.dtype, value.flags
        name = "" if type(value) is np.ndarray else named(type(value))
        if dtype.kind == "O":
            self._book.enter(value)
            items = self.write_all(value.reshape(-1).tolist(), depth)
            return f'["O",{_numbers(value.shape)},{int(flags.writeable)},"{name}"{items}]'
        if not self._dtype.fullmatch(dtype.str):
            return self._stranger(value)
        owner = None if value.base is None or (self._guest and value.ndim > PLAIN_VIEW) else self._owner(value)
        if owner is not None:
            node = self._array(owner, depth)
            self._book.enter(value, owner=False)
            place = f"{_numbers(value.shape)},{_address(value) - _address(owner)},{_numbers(value.strides)}"
            return f'["w",{node},"{dtype.str}",{place},{int(flags.writeable)},"{name}"]'
        fortran = flags.f_contiguous and not flags.c_contiguous
        self._raw.append(value.tobytes("F" if fortran else "C"))
        self._book.enter(value)
        if dtype is _FLOAT64 and value.ndim == 1 and flags.writeable and not name:
            return f'["v",{value.size}]'
        bits = WRITEABLE * flags.writeable + FORTRAN * fortran
        return f'["a","{dtype.str}",{_numbers(value.shape)},{bits},"{name}"]'

    def _owner(self, view: Array) -> Array | None:
        """Return the array whose memory a view shows; None for one that is sent as if it stood alone.

        That is where the owner is no array, or is much larger than the view: its sharing is then not seen.
        """
        base: Any = view.base
        while isinstance(base, np.ndarray) and base.base is not None:
            base = base.base
        if not isinstance(base, np.ndarray):
            return next((known for known in self._book.owners() if np.may_share_memory(known, view)), None)
        if self._book.number_of(base) is not None:
            return base
        flags = base.flags
        whole = flags.owndata and (flags.c_contiguous or flags.f_contiguous)
        small = base.nbytes <= 4 * view.nbytes + _SPARE
        return base if whole and small and self._dtype.fullmatch(base.dtype.str) else None

    def _other(self, value: Any, depth: int) -> str:
        kind = type(value)
        home = (kind.__module__, kind.__qualname__)
        if home == ("fractions", "Fraction"):
            return f'["q",{self.write(value.numerator)},{self.write(value.denominator)}]'
        if home == ("decimal", "Decimal"):
            return f'["D",{encode_basestring_ascii(str(value))}]'
        for base, plain in PLAIN.items():
            if isinstance(value, base):
                return self._subclass(value, plain(value), depth)
        return self._stranger(value)

    def _subclass(self, value: object, plain: object, depth: int) -> str:
        return f'["u","{named(type(value))}",{self.write(plain, depth + 1)}]'


_WRITERS: dict[type, Callable[[Writer, Any, int], str]] = {
    list: Writer._list,
    tuple: Writer._tuple,
    dict: Writer._dict,
    set: Writer._set,
    frozenset: Writer._frozenset,
    bytes: Writer._bytes,
    bytearray: Writer._bytearray,
    array.array: Writer._buffer,
    complex: Writer._complex,
    range: Writer._range,
}
PLAIN: dict[type, Callable[[Any], object]] = {
    int: int.__int__,
    float: float.__float__,
    str: str.__str__,
    list: list.copy,
    tuple: lambda value: (*value,),
    dict: dict.copy,
    set: lambda value: {*value},
    frozenset: lambda value: frozenset({*value}),
    bytes: lambda value: b"" + value,
    complex: complex.__complex__,
}
"""The types whose subclasses can be sent, and how a value of one loses its own class."""
_FORMS = (np.ndarray, np.generic, *PLAIN, *_WRITERS)
_WITH_FORMS = frozenset({"builtins", "numpy", "fractions", "decimal"})


def _is_vector(value: object) -> bool:
    """Return whether a value is an array that owns its memory and is written as ``v``."""
    if type(value) is not np.ndarray or value.dtype is not _FLOAT64 or value.ndim != 1:
        return False
    return value.base is None and value.flags.writeable


def has_no_form(value: object) -> bool:
    """Return whether a value can only be lent; for what may or may not be, that it cannot."""
    return type(value).__module__.partition(".")[0] not in _WITH_FORMS and not isinstance(value, _FORMS)


def changes_text(changes: Iterable[tuple[int, bool, bytes | None]], writer: Writer) -> str:
    """Return the header's part for arrays that changed."""
    parts = []
    for number, writeable, data in changes:
        count = "null" if data is None else writer.add_raw(data)
        parts.append(f"{number},{'true' if writeable else 'false'},{count}")
    return f"[{','.join(parts)}]"


def named(kind: type) -> str:
    """Return a class's name as it goes over the wire."""
    name = kind.__name__
    return name if NAME.fullmatch(name) else "unnamed"


def _numbers(values: Iterable[int]) -> str:
    return f"[{','.join(map(str, values))}]"


def _address(value: Array) -> int:
    return int(value.__array_interface__["data"][0])
