"""The arrays that both ends of a conversation know, by number, and how each end learns what the other changed.

An array goes over the wire once and has a number from then on, for as long as the caller's end has it: so it is the
same object at every call, a result that is an argument comes back as the caller's own, and an edit on one side is made
on the other before it looks. Both ends give numbers in the order in which arrays are written and read: none is sent.
"""

import weakref
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from acidtest.mutants.sandbox.faults import ProtocolFault, UnsendableFault

Array = NDArray[Any]
MOST_ARRAYS = 64
"""How many arrays stay known at most. Past it all become strangers, those of the call at hand to be met anew."""


class Entry:
    """What is known of one array: how it looked when both ends agreed.

    ``image`` is None where another array owns the memory, or where objects lie in it.
    """

    __slots__ = ("dtype", "find", "image", "shape", "writeable")

    def __init__(self, array: Array, find: Callable[[], Array | None], owner: bool) -> None:
        self.find = find
        self.image = array.tobytes() if owner and not array.dtype.hasobject else None
        self.shape = array.shape
        self.dtype = array.dtype
        self.writeable = array.flags.writeable


class Book:
    """Numbers for arrays. The guest's holds them; the caller's does not, and notes which are gone.

    Args:
        holds: whether an array stays alive because it is in here.

    Attributes:
        numbers: of the known arrays, by ``id``. entries: what is known of each, by number.
        gone: the numbers of arrays that are no more, until they are taken away.
    """

    def __init__(self, holds: bool) -> None:
        self._holds = holds
        self._next = 0
        self.entries: dict[int, Entry] = {}
        self.numbers: dict[int, int] = {}
        self.gone: list[int] = []
        self._lost: list[tuple[int, int, int]] = []
        self._begun = 0

    def settle(self) -> None:
        """Take away the arrays that are no more; they are only noted where it happens.

        That may be anywhere, in the middle of a look at these very tables too.
        """
        while self._lost:
            begun, number, where = self._lost.pop()
            if begun == self._begun:
                self._lose(number, where)

    def enter(self, array: Array, owner: bool = True) -> None:
        """Give an array the next number; ``owner`` says that no other known array has its memory."""
        self.settle()
        number = self._next
        self._next += 1
        where = id(array)
        begun = self._begun

        def lose(_: object) -> None:
            self._lost.append((begun, number, where))

        find: Callable[[], Array | None] = _holder(array) if self._holds else weakref.ref(array, lose)
        self.entries[number] = Entry(array, find, owner)
        self.numbers[where] = number

    def _lose(self, number: int, where: int) -> None:
        if self.entries.pop(number, None) is not None:
            if self.numbers.get(where) == number:
                del self.numbers[where]
            self.gone.append(number)

    def number_of(self, array: Array) -> int | None:
        """Return an array's number, or None for a stranger."""
        self.settle()
        return self.numbers.get(id(array))

    def array(self, number: object) -> Array:
        """Return the array of a number.

        Raises:
            ProtocolFault: there is none.
        """
        self.settle()
        entry = self.entries.get(number) if type(number) is int else None
        array = entry.find() if entry is not None else None
        if array is None:
            raise ProtocolFault(f"protocol fault: an array numbered {number!r:.20}, which there is not")
        return array

    def owners(self) -> Iterator[Array]:
        """Yield the known arrays that own their memory."""
        self.settle()
        for entry in list(self.entries.values()):
            array = entry.find()
            if array is not None and entry.image is not None:
                yield array

    def forget(self, numbers: list[int]) -> None:
        """Drop arrays that the other end has lost."""
        for number in numbers:
            entry = self.entries.pop(number, None)
            array = entry.find() if entry is not None else None
            if array is not None:
                self.numbers.pop(id(array), None)

    def clear(self) -> None:
        """Make strangers of all arrays."""
        self.settle()
        self.gone += self.entries
        self.entries.clear()
        self.numbers.clear()

    def restart(self) -> None:
        """Make strangers of all arrays and begin to number anew; the other end does so too, without being told."""
        if not self._next and not self.gone:
            return
        self._begun += 1
        self._next = 0
        self.gone.clear()
        self.entries.clear()
        self.numbers.clear()

    def changes(self, held: list[Array]) -> list[tuple[int, bool, bytes | None]]:
        """Return what changed since both ends agreed: number, whether it may be written, and its bytes if they did.

        Args:
            held: takes every array that is known now, so that none is lost before the answer is there.

        An array whose shape or type was set anew by its owner is a stranger to the other end from then on.

        Raises:
            UnsendableFault: the shape or type of an array was set anew by whoever it was lent to.
        """
        found: list[tuple[int, bool, bytes | None]] = []
        self.settle()
        for number, entry in list(self.entries.items()):
            array = entry.find()
            if array is None:
                continue
            held.append(array)
            if array.shape != entry.shape or array.dtype is not entry.dtype:
                if self._holds:
                    raise UnsendableFault("the submission set the shape or the type of an array anew, in place")
                self._lose(number, id(array))
                continue
            image, writeable = entry.image, array.flags.writeable
            if image is None or array.tobytes() == image:
                if writeable is not entry.writeable:
                    entry.writeable = writeable
                    found.append((number, writeable, None))
            else:
                entry.image, entry.writeable = array.tobytes(), writeable
                found.append((number, writeable, entry.image))
        return found

    def watch(self) -> Callable[[], bool]:
        """Return what tells whether all arrays known by now still look as both ends agreed; many times, and quickly."""
        self.settle()
        looks = []
        for entry in self.entries.values():
            array = entry.find()
            if array is not None:
                looks.append((array, entry.image, entry.writeable, entry.shape, entry.dtype))

        def is_unchanged() -> bool:
            for array, image, writeable, shape, dtype in looks:
                if image is not None and array.tobytes() != image:
                    return False
                if array.flags.writeable is not writeable or array.shape != shape or array.dtype is not dtype:
                    return False
            return True

        return is_unchanged

    def apply(self, number: object, writeable: object, data: bytes | None) -> None:
        """Make a change of the other end's here.

        Raises:
            ProtocolFault: there is no such array, or it cannot look like that.
        """
        array = self.array(number)
        entry = self.entries[self.numbers[id(array)]]
        if type(writeable) is not bool:
            raise ProtocolFault("protocol fault: an array that may be written perhaps")
        try:
            if data is not None:
                if entry.image is None or len(data) != len(entry.image):
                    raise ProtocolFault("protocol fault: a change of the wrong size")
                _write(array, np.frombuffer(data, array.dtype))
                entry.image = array.tobytes()
            if array.flags.writeable is not writeable:
                array.flags.writeable = writeable
        except ValueError:
            raise ProtocolFault("protocol fault: a change that the array cannot take") from None
        entry.writeable = writeable


def _holder(array: Array) -> Callable[[], Array]:
    return lambda: array


def _write(array: Array, values: Array) -> None:
    plain = array.view(np.ndarray)
    if array.flags.writeable:
        plain[...] = values.reshape(plain.shape)
        return
    array.flags.writeable = True
    try:
        array.view(np.ndarray)[...] = values.reshape(plain.shape)
    finally:
        array.flags.writeable = False
