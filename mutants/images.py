"""Arguments and answers as values to compare and keep: equal only where a caller could not tell them apart.

Narrower than ``answers``, which says an answer to people: whatever is not plain data has no image, and the message of
an error counts, since a test may read it.
"""

import warnings
from collections.abc import Callable, Hashable
from typing import Any

import numpy as np

_EQUAL_BY_VALUE = frozenset({int, bool, str, bytes, type(None)})
Image = tuple[Hashable, ...]


class NoImageError(Exception):
    """The value is no plain data, or it shares memory in a way that a copy would not."""


def of_arguments(args: tuple[Any, ...]) -> Image:
    """Return the image of a call's arguments.

    Raises:
        NoImageError: one is no plain data, or two arrays share memory.
    """
    return _Walk().all_of(args)


def quickly(args: tuple[Any, ...]) -> Image | None:
    """Return an image of arguments that are all numbers and arrays of their own, in one go; None for any others.

    It is another one than ``of_arguments`` gives, and the same for the same arguments.
    """
    parts: list[Any] = [len(args)]
    arrays: list[int] = []
    for value in args:
        kind = type(value)
        if kind is np.ndarray:
            flags = value.flags
            if value.base is not None or not flags.c_contiguous or value.dtype.hasobject or id(value) in arrays:
                return None
            arrays.append(id(value))
            parts += (value.dtype, value.shape, value.tobytes(), flags.writeable)
        elif kind is float:
            if not value or value != value:
                return None
            parts += (kind, value)
        elif kind is int or kind is bool:
            parts += (kind, value)
        else:
            return None
    return tuple(parts)


def of_answer(function: Callable[..., object], args: tuple[Any, ...]) -> Image | None:
    """Call ``function(*args)``; return the image of what came of it, or None where it has none.

    That is the value or the error with its message; what is left in the arguments; and which part of the result is a
    part of an argument. A call that warns has no image.
    """
    walk = _Walk()
    try:
        walk.all_of(args)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            try:
                outcome: Image = ("returns", walk.one(function(*args), shared=True))
            except NoImageError:
                raise
            except Exception as error:
                outcome = _of_error(error)
        return None if caught else (outcome, of_arguments(args))
    except NoImageError:
        return None


def _of_error(error: Exception) -> Image:
    if vars(error):
        raise NoImageError
    cause = type(error.__cause__).__qualname__
    return ("raises", f"{type(error).__module__}.{type(error).__qualname__}", of_arguments(error.args), cause)


class _Walk:
    """One walk over arguments, and perhaps over a result that may share parts with them."""

    def __init__(self) -> None:
        self._places: dict[int, int] = {}
        self._arrays: list[Any] = []
        self._views = False

    def all_of(self, values: tuple[Any, ...]) -> Image:
        return tuple([self.one(value) for value in values])

    def one(self, value: Any, shared: bool = False) -> Hashable:
        kind = type(value)
        if kind is float:
            # two zeros and all NaNs are told apart by how they are written
            return (kind, value) if value and value == value else (kind, value.hex())
        if kind in _EQUAL_BY_VALUE:
            return kind, value
        if kind is np.ndarray:
            return self._array(value, shared)
        if kind is tuple:
            return kind, *[self.one(item, shared) for item in value]
        if kind is list:
            place = self._place(value)
            return (list, place) if place is not None else (kind, *[self.one(item, shared) for item in value])
        if isinstance(value, np.generic) and kind.__module__ == "numpy" and not value.dtype.hasobject:
            return kind, value.tobytes()
        raise NoImageError

    def _array(self, array: Any, shared: bool) -> Hashable:
        place = self._place(array)
        if place is not None:
            return np.ndarray, place
        flags = array.flags
        if array.dtype.hasobject or not flags.c_contiguous:
            raise NoImageError
        self._views = self._views or array.base is not None
        if self._views:
            touched = [index for index, other in enumerate(self._arrays) if np.may_share_memory(array, other)]
            if touched and not shared:
                raise NoImageError
        else:
            touched = []
        self._arrays.append(array)
        return np.ndarray, array.dtype.str, array.shape, array.tobytes(), flags.writeable, *touched

    def _place(self, value: object) -> int | None:
        """Return which of the objects seen before this is."""
        place = self._places.get(id(value))
        if place is None:
            self._places[id(value)] = len(self._places)
        return place
