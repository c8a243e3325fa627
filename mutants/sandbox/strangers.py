"""Objects that stay at their own end of a conversation, as the caller's end keeps and sees them."""

import itertools
import math
import random
from collections import OrderedDict
from collections.abc import Callable
from typing import Any, TypeGuard

import numpy as np

from acidtest.mutants.sandbox.faults import ProtocolFault, UnsendableFault
from acidtest.mutants.sandbox.writing import NAME, named

HANDLED = (
    "random",
    "__index__",
    "__int__",
    "__float__",
    "__complex__",
    "__bool__",
    "__len__",
    "__getitem__",
    "__next__",
)
"""What of an object of the caller's can be called by the submission; all else of it stays hidden."""
REMOTE = ("random", "next_uint32")
"""What of an object of the submission's can be called by the caller."""
AHEAD = 8
"""How many numbers of a generator that tells them go out with it, for each call: few are then asked for."""
_MOST_AHEAD = 1 << 13
MOST_HANDLES = 64
_TWIN = random.Random(0)


class Foreign:
    """An object of the submission's that has no form on the wire; nothing can be asked of it.

    Attributes:
        kind: its class's name.
    """

    def __init__(self, kind: str) -> None:
        self.kind = kind

    def __repr__(self) -> str:
        return f"<{self.kind} object of the submission>"


class Remote(Foreign):
    """One of which a few methods can be called.

    Args:
        call: asks for a method: its target, arguments by place and by name.
        number: the object's, where it lives.
    """

    def __init__(self, kind: str, call: Callable[..., object], number: int) -> None:
        super().__init__(kind)
        self._call = call
        self._number = number

    def __getattr__(self, name: str) -> object:
        if name not in REMOTE:
            raise AttributeError(f"{self!r} has no attribute {name!r}")
        return lambda *args, **named: self._call([self._number, name], args, named)


class Handles:
    """The objects of the caller's that the submission was lent, by number; the latest 64 of them.

    A ``random.Random`` that is an argument goes out with the next numbers that it will draw. The submission's end says
    how many of them were drawn, with its answer and before it asks anything else, and only then are they drawn here.
    A submission that says that it drew k of them leaves the generator as k draws would, so to lie about it is to draw
    otherwise. To look ahead is what ``getstate`` lets anyone do who shares a process with the caller. So whatever a
    caller concludes from an answer, and from where its generator stands, it could conclude there. The same holds for an
    object whose class has, beside its ``random``, a ``coming`` that returns the next numbers, as far as it knows them.

    Attributes:
        ahead: how many those are.
    """

    def __init__(self) -> None:
        self.ahead = AHEAD
        self._calling = False
        self._things: OrderedDict[int, Any] = OrderedDict()
        self._numbers: dict[int, int] = {}
        self._methods: dict[type, tuple[str, ...]] = {}
        self._told: dict[int, int] = {}
        self._due = 0
        self._next = 0

    def begin(self, calls: int = 1) -> None:
        """Let what is written from here on be the arguments of so many calls, until ``end``."""
        self._calling = True
        self._due = min(self.ahead * calls, _MOST_AHEAD)
        self._told.clear()

    def end(self) -> None:
        """The arguments are complete: what is written from here on answers the submission."""
        self._calling = False

    def take_told(self) -> dict[int, int]:
        """Return what was told since ``begin``: how many numbers of each generator; for ``expect``."""
        told, self._told = self._told, {}
        return told

    def expect(self, told: dict[int, int]) -> None:
        """Let the other end say how many it drew of what it was told with one call of several."""
        self._told = told

    @property
    def lent(self) -> int:
        """Return how many objects were lent so far."""
        return self._next

    def write(self, value: object) -> str:
        """Return the node of an object, and lend it if it is not lent yet.

        Raises:
            UnsendableFault: it is an array, which is sent or not at all.
        """
        number = self._numbers.get(id(value))
        if number is not None:
            return f'["H",{number}{self._future(number, value)}]'
        if isinstance(value, np.ndarray | np.generic):
            raise UnsendableFault(f"an array of dtype {value.dtype} has no form on the wire")
        kind = type(value)
        if kind not in self._methods:
            self._methods[kind] = tuple(name for name in HANDLED if hasattr(kind, name))
        if len(self._things) == MOST_HANDLES:
            _, oldest = self._things.popitem(last=False)
            del self._numbers[id(oldest)]
        number = self._next
        self._next += 1
        self._things[number] = value
        self._numbers[id(value)] = number
        methods = ",".join(f'"{name}"' for name in self._methods[kind])
        return f'["h",{number},"{named(kind)}",[{methods}]{self._future(number, value)}]'

    def _future(self, number: int, value: object) -> str:
        """Return the part of a generator's node that has its next numbers; nothing for other objects."""
        if not self._calling or not self._due:
            return ""
        if is_generator(value):
            _TWIN.setstate(value.getstate())
            numbers = [_TWIN.random() for _ in range(self._due)]
        else:
            numbers = _coming(value, self._due)
        if not numbers:
            return ""
        self._told[number] = len(numbers)
        return f",[{','.join(map(repr, numbers))}]"

    def draw(self, counts: Any, more: bool = False) -> None:
        """Draw what was drawn at the other end: numbers of generators, each with how many.

        Args:
            more: whether the other end goes on with what is left; else it has thrown that away.

        Raises:
            ProtocolFault: it was not told of so many, or says so twice.
        """
        if type(counts) is not list or len(counts) % 2:
            raise ProtocolFault("protocol fault: draws of no kind")
        left = {}
        for number, count in zip(counts[::2], counts[1::2], strict=True):
            told = self._told.pop(number, 0) if type(number) is int else 0
            if type(count) is not int or not 0 < count <= told:
                raise ProtocolFault("protocol fault: draws of what was not there")
            left[number] = told - count
            generator = self.thing(number)
            for _ in range(count):
                generator.random()
        self._told = self._told | left if more else {}

    def thing(self, number: object) -> Any:
        """Return the object of a number.

        Raises:
            ProtocolFault: there is none.
        """
        if type(number) is not int or number not in self._things:
            raise ProtocolFault("protocol fault: an object that was not lent")
        return self._things[number]

    def method(self, number: object, name: object) -> Callable[..., Any]:
        """Return a method that the submission asks for.

        Raises:
            ProtocolFault: it was not told of such an object, or of such a method.
        """
        thing = self.thing(number)
        if type(name) is not str or name not in self._methods[type(thing)]:
            raise ProtocolFault(f"protocol fault: a call back of {name!r:.40}")
        found: Callable[..., Any] = getattr(thing, name)
        return found


def is_generator(value: object) -> TypeGuard[random.Random]:
    """Return whether a thing is a generator of the standard library's, whose next numbers can be told beforehand."""
    return type(value) is random.Random and "random" not in vars(value)


def _coming(value: object, most: int) -> list[float]:
    """Return the next numbers of an object that tells them; none where a class below it has changed what they are."""
    own = vars(type(value))
    if "coming" not in own or "random" not in own or "random" in getattr(value, "__dict__", ()):
        return []
    told: Any = own["coming"](value, most)
    plain = itertools.takewhile(lambda number: type(number) is float and math.isfinite(number), told)
    return list(itertools.islice(plain, most))


def foreign(node: list[Any], call: Callable[..., object]) -> Foreign:
    """Return what stands here for an object of the submission's, from its node.

    Raises:
        ProtocolFault: the node is none of an object.
    """
    if node[0] != "o" or type(node[1]) is not str or not NAME.fullmatch(node[1]):
        raise ProtocolFault("protocol fault: an object of no kind")
    _tag, kind, number = node
    if number is None:
        return Foreign(kind)
    if type(number) is not int:
        raise ProtocolFault("protocol fault: an object of no kind")
    return Remote(kind, call, number)
