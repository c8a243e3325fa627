"""A call's arguments as a value to compare, to keep and to make them from again: equal where no function could tell.

Narrower than ``answers``, which says an answer to people: whatever is not plain data has no image. Nor has what cannot
be made again as it was, such as arrays that share memory, and what is too large to be kept for every call.
"""

import functools
import hashlib
import marshal
import math
import struct
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

_EQUAL_BY_VALUE = frozenset({int, bool, str, bytes, type(None)})
_NUMBERS = "?bBhHiIlLqQefdFD"  # no long double: a part of its bytes is noise
_SCALARS = {np.dtype(char).type: np.dtype(char).type.__name__ for char in _NUMBERS}
_NAMED = {name: kind for kind, name in _SCALARS.items()}
_FLOATS = np.dtype(np.float64)
_BITS = struct.Struct("<d")
_WRITEABLE = 0x400
_IN_ORDER = 0x1 | 0x100
"""The flags of an array that is contiguous, row by row, and aligned."""
_USUAL = np.empty(2).flags.num & ~_WRITEABLE
"""The flags of a vector that owns its memory."""
_LARGEST = 2**16
_SHORT = 100
_LONGEST = 2**2000
"""Longer numbers have no image: Python may refuse to write them."""
_DEEPEST = 20
_AGAIN = "again"
_BY_VALUE = 2
"""A version of ``marshal`` in which equal values have equal bytes: later ones tell which objects are one."""
Image = tuple[Any, ...]
"""Nested tuples of numbers, texts and bytes, with the names of types beside them: what is equal is alike."""
Quick = Callable[[tuple[Any, ...]], Image | None]


class NoImageError(Exception):
    """The value is no plain data, or it cannot be made again as it is."""


def of_arguments(args: tuple[Any, ...]) -> Image:
    """Return the image of a call's arguments; ``made`` turns it into such arguments again.

    Raises:
        NoImageError: one is no plain data, two arrays share memory, or there is too much of it all.
    """
    return _Walk().all_of(args, 0)


def quickly(args: tuple[Any, ...]) -> Image | None:
    """Return an image of arguments that are all numbers, words and arrays of their own, in one go; None for any others.

    It is another one than ``of_arguments`` gives, the same for the same arguments, only where that gives one, and
    ``made`` turns it into such arguments too.
    """
    return quick_for(args)(args)


def quick_for(args: tuple[Any, ...]) -> Quick:
    """Return a ``quickly`` for arguments of just these types: one expression, three times as fast as a loop."""
    return _quick(tuple([_WORDS.get(id(type(value)), "") for value in args]))


@functools.cache
def _quick(words: tuple[str, ...]) -> Quick:
    tests, values = ["True"], [repr(" ".join(words))]
    for number, word in enumerate(words):
        test, value = _PARTS.get(word, ("False", "None"))
        tests += [f"type(a{number}) is {word or None}", test.format(number)]
        tests += [f"a{number} is not a{other}" for other in range(number) if word == words[other] == "ndarray"]
        values.append(value.format(number))
    lines = [
        "def quick(args):",
        f"  {''.join(f'a{number}, ' for number in range(len(words))) or '()'} = args",
        f"  return ({', '.join(values)},) if {' and '.join(tests)} else None",
    ]
    made: dict[str, Any] = {"ndarray": np.ndarray, "floats": _FLOATS, "is_usual": _is_usual, "bits": _BITS.pack}
    exec("\n".join(lines), made)
    quick: Quick = made["quick"]
    return quick


def _is_usual(dtype: "np.dtype[Any]") -> bool:
    return dtype.char in _NUMBERS and dtype.isnative and not dtype.metadata


_PARTS = {
    "ndarray": (
        f"(f{{0}} := a{{0}}.flags.num) & {~_WRITEABLE} == {_USUAL} and a{{0}}.ndim == 1"
        f" and a{{0}}.nbytes <= {_LARGEST // 8} and ((t{{0}} := a{{0}}.dtype) is floats or is_usual(t{{0}}))",
        "t{0}.char, f{0}, a{0}.tobytes()",
    ),
    "float": ("a{0} == a{0}", "a{0} or bits(a{0})"),  # two zeros are told apart by their bits
    "int": (f"{-_LONGEST} < a{{0}} < {_LONGEST}", "a{0}"),
    "bool": ("True", "a{0}"),
    "str": (f"len(a{{0}}) < {_SHORT}", "a{0}"),
}
"""For each type, the test that an argument has to pass, and what its image consists of."""
_WORDS = {id(kind): kind.__name__ for kind in (np.ndarray, float, int, bool, str)}
"""By ``id``: a class may say that it equals another."""


def digest(image: Image) -> bytes:
    """Return 16 bytes that stand for an image, in every process the same."""
    return _digest(marshal.dumps(image, _BY_VALUE))


def packed(image: Image) -> tuple[bytes, bytes]:
    """Return an image's digest, and bytes that ``unpacked`` turns into the image again."""
    data = marshal.dumps(image, _BY_VALUE)
    return _digest(data), data


def unpacked(data: bytes) -> Image:
    """Return the image that was packed."""
    image: Image = marshal.loads(data)
    return image


def _digest(data: bytes) -> bytes:
    return hashlib.blake2b(data, digest_size=16).digest()


def made(image: Image) -> tuple[Any, ...]:
    """Return new arguments that have this image: what is one object there is one object again."""
    if image and type(image[0]) is str:
        return tuple(_quickly_made(image))
    known: list[Any] = []

    def one(part: Any) -> Any:
        kind = part[0]
        if kind == _AGAIN:
            return known[part[1]]
        if kind == "list":
            items: list[Any] = []
            known.append(items)
            items += map(one, part[1:])
            return items
        if kind == "tuple":
            return tuple(map(one, part[1:]))
        if kind == "ndarray":
            known.append(_array(*part[1:]))
            return known[-1]
        if kind in _NAMED and type(part[1]) is bytes:
            return np.frombuffer(part[1], _NAMED[kind])[0]
        if kind == "float" and type(part[1]) is bytes:
            (value,) = _BITS.unpack(part[1])
            return value if value == value else math.nan
        return part[1]

    return tuple(map(one, image))


def _quickly_made(image: Image) -> Iterator[Any]:
    """Yield arguments that have a quick image."""
    words, *rest = image
    parts = iter(rest)
    for word in words.split():
        value = next(parts)
        if word == "ndarray":
            flags = next(parts)
            array = np.frombuffer(next(parts), value).copy()
            array.flags.writeable = bool(flags & _WRITEABLE)
            yield array
        elif word == "float" and type(value) is bytes:
            yield _BITS.unpack(value)[0]
        else:
            yield value


def plain(value: Any) -> Image | None:
    """Return the image of a number, a text, bytes or None, to the bit; None for any other value."""
    kind = type(value)
    if kind is float:
        # two zeros are told apart by their bits, and so are all NaNs
        return ("float", value) if value and value == value else ("float", _BITS.pack(value))
    if kind in _EQUAL_BY_VALUE:
        return (kind.__name__, value) if kind is not int or -_LONGEST < value < _LONGEST else None
    if kind in _SCALARS:
        return _SCALARS[kind], value.tobytes()
    return None


def dtype_key(array: "np.ndarray[Any, Any]") -> Image:
    """Return what stands for the type of an array's items.

    Raises:
        NoImageError: they are no plain numbers or texts, or not laid out as usual.
    """
    dtype = array.dtype
    if (dtype.char not in _NUMBERS and dtype.kind not in "SU") or not dtype.isnative or dtype.metadata:
        raise NoImageError
    if array.flags.num & _IN_ORDER != _IN_ORDER:
        raise NoImageError
    return dtype.char, dtype.itemsize


def _array(key: tuple[str, int], shape: tuple[int, ...], data: bytes, writeable: bool) -> "np.ndarray[Any, Any]":
    char, itemsize = key
    array = np.empty(shape, f"{char}{itemsize // np.dtype(f'{char}1').itemsize}" if char in "SU" else char)
    if data:
        array[...] = np.frombuffer(data, array.dtype).reshape(shape)
    array.flags.writeable = writeable
    return array


class _Walk:
    """One walk over a call's arguments."""

    def __init__(self) -> None:
        self._places: dict[int, int] = {}
        self._arrays: list[Any] = []
        self._views = False
        self._left = _LARGEST

    def all_of(self, values: tuple[Any, ...] | list[Any], depth: int) -> Image:
        self._spend(8 * len(values))
        if depth > _DEEPEST:
            raise NoImageError
        return tuple([self.one(value, depth) for value in values])

    def one(self, value: Any, depth: int) -> Image:
        found = plain(value)
        if found is not None:
            if value != value and value is not math.nan:
                # lists and sets tell one NaN from another; only this one is the same when it is made again
                raise NoImageError
            if type(value) in (str, bytes):
                self._spend(len(value))
            return found
        kind = type(value)
        if kind is tuple:
            return "tuple", *self.all_of(value, depth + 1)
        if kind is not list and kind is not np.ndarray:
            raise NoImageError
        place = self._places.get(id(value))
        if place is not None:
            return _AGAIN, place
        self._places[id(value)] = len(self._places)
        return ("list", *self.all_of(value, depth + 1)) if kind is list else self._array(value)

    def _array(self, array: Any) -> Image:
        key = dtype_key(array)
        if array.ndim != 1 and array.strides != np.empty(array.shape, array.dtype).strides:
            raise NoImageError
        self._spend(array.nbytes)
        self._views = self._views or array.base is not None
        if self._views and any(np.may_share_memory(array, other) for other in self._arrays):
            raise NoImageError
        self._arrays.append(array)
        return "ndarray", key, array.shape, array.tobytes(), array.flags.writeable

    def _spend(self, size: int) -> None:
        self._left -= size
        if self._left < 0:
            raise NoImageError
