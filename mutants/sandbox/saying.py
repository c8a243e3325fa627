"""What a guest says of many calls: answers are collected, and go out together where each stands for itself.

Such an answer is a plain value, or one whose node speaks of nothing that both ends know: a number of numpy's, an object
that stays at the guest's end and of which nothing can be asked, a tuple of these.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from acidtest.mutants.sandbox import bulk
from acidtest.mutants.sandbox.faults import ProtocolFault
from acidtest.mutants.sandbox.wire import Line
from acidtest.mutants.sandbox.writing import ATOMS, Writer, has_no_form


class Sayings:
    """The answers of one bulk after the other.

    Args:
        line: where they are said. writer: for those that are no plain values.
        draws: returns what a frame ends with: what was drawn of generators since the last time.
    """

    def __init__(self, line: Line, writer: Writer, draws: Callable[[], str]) -> None:
        self._line = line
        self._writer = writer
        self._draws = draws
        self._due = 0
        self._values: list[Any] = []
        self._nodes: list[str] = []
        self._written = False

    def begin(self, due: int, written: bool) -> None:
        """Begin a bulk in which ``due`` answers are asked for; ``written``: those that are no plain values may go."""
        self._due, self._written = due, written

    def take(self, answer: Any) -> bool:
        """Keep an answer to be said among others; return whether it can be."""
        if not self._nodes and bulk.is_plain(answer):
            self._values.append(answer)
            return True
        node = self._node(answer) if self._written else ""
        if not node:
            return False
        if self._values:
            self.say()
        self._nodes.append(node)
        return True

    def say(self) -> None:
        """Say the answers that are kept, and wait to be told to go on where more are due.

        Raises:
            UnsendableFault: an integer is too long to be written. ProtocolFault: it is told something else.
        """
        values, nodes = self._values.copy(), self._nodes.copy()
        self._values.clear()
        self._nodes.clear()
        for text, count in (*bulk.nodes_texts(nodes), *(bulk.answers_texts(values) if values else ())):
            self._line.send(f"{text}{self._draws()}]")
            self._due -= count
            if self._due and self._line.receive()[0] != bulk.GO_ON:
                raise ProtocolFault("protocol fault: another call in the middle of many")

    def is_all(self) -> bool:
        """Return whether what is kept is all that is still due."""
        return len(self._values) + len(self._nodes) == self._due

    def drop(self) -> None:
        """Forget what is kept: it will be asked for again."""
        self._values.clear()
        self._nodes.clear()

    def _node(self, answer: Any) -> str:
        if type(answer) is not tuple:
            return self._part(answer)
        parts = [*map(self._part, answer)]
        return f'["t",{",".join(parts)}]' if all(parts) else ""

    def _part(self, value: Any) -> str:
        """Return the node of a value that is no tuple; nothing where it would not stand for itself."""
        kind = type(value)
        try:
            if kind in ATOMS:
                return self._writer.write(value)
            if not (kind is value.dtype.type if issubclass(kind, np.generic) else has_no_form(value)):
                return ""
            node = self._writer.write(value)
        except Exception:  # too long an integer, or a class that minds being looked at: it will be met alone
            return ""
        return node if node.startswith(bulk.ALONE) else ""
