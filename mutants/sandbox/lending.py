"""The things of one call that can be changed in place and are no arrays of numpy's: lists, above all."""

import array
import operator
from collections import Counter
from collections.abc import Sequence
from typing import Any

from acidtest.mutants.sandbox.faults import ProtocolFault, UnsendableFault


class Lent:
    """Numbers for the things that a call's arguments hold, alike at both ends, in the order of writing and reading.

    What an answer holds gets none: it is always new, so it cannot be in itself, nor be there a thousand times.
    """

    def __init__(self) -> None:
        self.things: list[Any] = []
        self._numbers: dict[int, int] = {}
        self._images: list[Any] = []
        self._lending = False

    def begin(self) -> None:
        """Forget what was lent in the call before, and give numbers from here on."""
        self._lending = True
        if self.things:
            self.things.clear()
            self._numbers.clear()
            self._images.clear()

    def end(self) -> None:
        """Give no more numbers: the arguments are complete."""
        self._lending = False

    def lend(self, thing: Any) -> int | None:
        """Return a thing's number; or None, and a thing without a number has got the next one if numbers are given."""
        number = self._numbers.get(id(thing))
        if number is None and self._lending:
            self._numbers[id(thing)] = len(self.things)
            self.things.append(thing)
            self._images.append(None)
        return number

    def picture(self) -> int:
        """Note how all things look now, and return how many there are."""
        for number, thing in enumerate(self.things):
            self._images[number] = _image(thing)
        return len(self.things)

    def changed(self, number: int) -> bool:
        """Return whether a thing looks otherwise than in its picture.

        Raises:
            UnsendableFault: what became of it cannot be told.
        """
        thing, image = self.things[number], self._images[number]
        now = _image(thing)
        if type(image) is bytes:
            if len(now) != len(image):
                raise UnsendableFault("the submission made a buffer longer or shorter, in place")
            return bool(now != image)
        same = len(now) == len(image) and not any(map(operator.is_not, now, image))
        if not same and type(thing) is not list:
            raise UnsendableFault(f"the submission changed a {type(thing).__name__} in place")
        return not same

    def thing(self, number: object) -> Any:
        """Return the thing of a number.

        Raises:
            ProtocolFault: there is none.
        """
        if type(number) is not int or not 0 <= number < len(self.things):
            raise ProtocolFault("protocol fault: a list that was not lent")
        return self.things[number]

    def change(self, number: object, now: object, referred: Sequence[object]) -> None:
        """Make a thing look as it does at the other end.

        A list may have new things in it, and those that it has had, in another order; nothing else that is known here.
        So no number of changes can put a list into itself, or make it much longer than what came over the wire.

        Args:
            now: what it looks like: a list, or bytes. referred: the known things that were met while that was read.

        Raises:
            ProtocolFault: there is none, or it cannot look like that.
        """
        thing = self.thing(number)
        if type(thing) is list and type(now) is list:
            had = Counter(map(id, thing))
            met = Counter(map(id, referred))
            if any(had[each] < count or count != sum(id(one) == each for one in now) for each, count in met.items()):
                raise ProtocolFault("protocol fault: a list with things in it that it had not")
            thing[:] = now
        elif type(thing) is bytearray and type(now) is bytes and len(now) == len(thing):
            thing[:] = now
        elif type(thing) is array.array and type(now) is bytes and len(now) == len(thing) * thing.itemsize:
            thing[:] = array.array(thing.typecode, now)
        else:
            raise ProtocolFault("protocol fault: a change that the argument cannot take")


def _image(thing: Any) -> Any:
    if type(thing) is list:
        return thing.copy()
    if type(thing) is dict:
        return [part for item in thing.items() for part in item]
    if type(thing) is set:
        return sorted(thing, key=id)
    return bytes(thing) if type(thing) is bytearray else thing.tobytes()
