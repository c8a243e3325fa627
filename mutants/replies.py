"""What came of a call, as a value to compare: equal only where a test that made the call could not tell them apart.

A test sees the value, to the bit, and which objects it is made of: an argument, a constant of the module, or new ones;
what is left in the arguments and in whatever was taken out of them; where memory is shared; or the error, with its
words, its fields, what it came from and through which functions. What has no such value is never the same.
"""

import contextlib
import functools
import types
import warnings
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from typing import Any

import numpy as np

from acidtest.mutants.images import Image, NoImageError, dtype_key, plain

_NOT_SEEN = -1


class TooLongError(BaseException):
    """The time for repeating calls is over; no answer, and no ``except Exception`` of a variant may take it."""


Caught = list[warnings.WarningMessage]
"""What was warned of since the last call."""


@contextlib.contextmanager
def listening() -> Iterator[Caught]:
    """Hear every warning, numpy's too, for calls of ``reply``."""
    with warnings.catch_warnings(record=True) as caught, np.errstate(all="warn"):
        warnings.simplefilter("always")
        yield caught


def reply(
    function: Callable[..., object], args: tuple[Any, ...], fixed: Mapping[int, str], caught: Caught
) -> Image | None:
    """Call ``function(*args)``; return the image of what came of it, or None where it has none.

    None too where the call warns, or where numpy would have something to say that a test may ask it to say aloud; and
    where memory or stack were at an end, which is not the call's doing alone.

    Args:
        args: plain data that ``images.made`` made, for this call alone.
        fixed: objects that are the same at every call, by ``id``, such as constants, and a name for each.
        caught: what ``listening`` gives.
    """
    try:
        look = _Look(fixed)
        look.at_arguments(args)
        try:
            outcome: Image = ("returns", look.one(function(*args)))
        except (NoImageError, TooLongError, MemoryError, RecursionError):
            raise
        except (KeyboardInterrupt, SystemExit, GeneratorExit):
            return None
        except BaseException as error:
            outcome = ("raises", look.error(error))
        return None if caught else (outcome, *look.again_at_arguments())
    except (NoImageError, MemoryError, RecursionError):
        return None
    finally:
        caught.clear()


class _Look:
    """One look at a call's arguments, and then at its result and at the same arguments."""

    def __init__(self, fixed: Mapping[int, str]) -> None:
        self._fixed = fixed
        self._places: dict[int, int] = {}
        self._alive: list[Any] = []  # no other object shall get the address of one that was dropped
        self._changeable: list[Any] = []
        self._arrays: list[Any] = []
        self._views = False

    def at_arguments(self, args: tuple[Any, ...]) -> None:
        """Take down which objects there are before the call."""
        for value in args:
            self._note(value)
        self._changeable = [value for value in self._alive if type(value) in (list, np.ndarray)]

    def again_at_arguments(self) -> Image:
        """Return the image of all that was there before the call and could be changed by it."""
        return tuple([self._content(value) for value in self._changeable])

    def _note(self, value: Any) -> None:
        """Take down a value, and what it is made of, as ``one`` does, without its image."""
        places, alive, kind = self._places, self._alive, type(value)
        whole = kind is float or (kind is np.ndarray and value.base is None)
        if not whole and kind is not list and kind is not tuple:
            self.one(value)
            return
        if id(value) in places:
            return
        places[id(value)] = len(places)
        alive.append(value)
        if kind is np.ndarray:
            self._arrays.append(value)
        for item in () if whole else value:
            if type(item) is not float:
                self._note(item)
            elif id(item) not in places:
                places[id(item)] = len(places)
                alive.append(item)

    def one(self, value: Any) -> Hashable:
        """Return the image of a value; what it is made of is told by its place where it was seen before."""
        if _is_one_everywhere(value):
            return plain(value)
        place = self._places.get(id(value))
        if place is not None:
            return "again", place
        self._places[id(value)] = len(self._places)
        self._alive.append(value)
        name = self._fixed.get(id(value))
        return self._content(value) if name is None else ("fixed", name, self._content(value))

    def error(self, error: BaseException | None) -> Hashable:
        """Return the image of an error, with all that it came from."""
        if error is None:
            return None
        kind: Any = type(error)
        if id(error) in self._places or vars(error) or issubclass(kind, BaseExceptionGroup):
            raise NoImageError
        self._places[id(error)] = len(self._places)
        self._alive.append(error)
        through = []
        step = error.__traceback__
        while step is not None:
            if step.tb_frame.f_code is not reply.__code__:
                through.append((step.tb_frame.f_code.co_name, step.tb_lineno))
            step = step.tb_next
        return (
            f"{kind.__module__}.{kind.__qualname__}",
            *[self.one(getattr(error, name, None)) for name in _fields(kind)],
            error.__suppress_context__,
            self.error(error.__cause__),
            self.error(error.__context__) if error.__context__ is not error.__cause__ else _NOT_SEEN,
            *through,
        )

    def _content(self, value: Any) -> Hashable:
        kind = type(value)
        if kind is tuple or kind is list:
            return kind.__name__, *self._items(value)
        if kind is np.ndarray:
            return self._array(value)
        found = plain(value)
        if found is None:
            raise NoImageError
        return found

    def _items(self, values: Iterable[Any]) -> Iterator[Hashable]:
        places, alive, fixed = self._places, self._alive, self._fixed
        for item in values:  # mostly numbers
            if type(item) is not float or id(item) in fixed:
                yield self.one(item)
            elif (place := places.get(id(item))) is not None:
                yield "again", place
            else:
                places[id(item)] = len(places)
                alive.append(item)
                yield plain(item)

    def _array(self, array: Any) -> Hashable:
        key = dtype_key(array)
        base = None if array.base is None else self.one(array.base)
        self._views = self._views or array.base is not None
        shared = []
        if self._views:
            begin = _address(array)
            shared = [
                (index, begin - _address(other))
                for index, other in enumerate(self._arrays)
                if other is not array and np.may_share_memory(array, other)
            ]
        self._arrays.append(array)
        return "ndarray", key, array.shape, array.strides, array.flags.num, array.tobytes(), base, *shared


def _is_one_everywhere(value: Any) -> bool:
    """Return whether Python has only one object of this value, so that nobody can tell where it is from."""
    kind: type[Any] = type(value)
    if kind is int:
        return bool(-5 <= value <= 256)
    if kind is str or kind is bytes:
        return not value or (len(value) == 1 and (kind is bytes or bool(value <= "\xff")))
    return value is None or kind is bool or kind is np.bool_


def _address(array: Any) -> int:
    return int(array.__array_interface__["data"][0])


@functools.cache
def _fields(kind: type[Any]) -> tuple[str, ...]:
    """Return what an error of this kind says of itself besides its class: its arguments, a file's name and so on."""
    described = (types.GetSetDescriptorType, types.MemberDescriptorType)
    return tuple(
        name
        for owner in kind.__mro__
        for name, value in vars(owner).items()
        if isinstance(value, described) and not name.startswith("_")
    )
