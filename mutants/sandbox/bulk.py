"""Many calls of one function in one frame, and their answers in as few as they fit in: for both ends.

Nothing but speed comes of it: the calls are made one after another, as if each had been sent alone, and whatever more
there is to an answer than a plain value (an exception, a change, a warning, a call back) stops the bulk there and goes
over the wire as it does alone.

``["*", function, how many, [a column for each place]]`` is a bulk; what else has to be known follows as for one call.
A column is ``["=", node]`` where every call has the same there, ``["f"]`` for floats, which are raw bytes, and
``["n", node, ...]`` otherwise. ``["+", [answers]]`` has the next answers, where an array is a tuple; what was drawn of
generators comes behind them, if anything was. The other end says ``"+"`` where more are due.

Answers carry no number: the n-th is the answer to the n-th call. A guest that says them in another order answers the
n-th call with something else, which it may as well return there. What it gains is to see the calls of a bulk before it
answers the first. It is judged by its answers, which must be right all the same, and all that goes into a bulk was
settled before: nothing that is asked later depends on what it says now.
"""

import array
import itertools
import json
import operator
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from acidtest.mutants.sandbox.books import Book
from acidtest.mutants.sandbox.faults import ProtocolFault, UnsendableFault
from acidtest.mutants.sandbox.reading import Reader
from acidtest.mutants.sandbox.writing import ATOMS, TOO_LONG, Writer

SECONDS = 0.02
"""How long a guest may collect answers before it says them: so much longer than one call's limit one frame may take."""
MOST = 2048
"""How many calls a bulk has at most."""
GO_ON = "+"
_LARGEST = 1 << 16
_LONGEST = 14_000
"""Bits of an integer that Python writes in decimal without being asked twice."""
_ATOMS = frozenset(ATOMS)
_SHORT = _ATOMS - {int}
_encode = json.JSONEncoder(check_circular=False, separators=(",", ":")).encode


def sendable(calls: Sequence[Sequence[Any]], book: Book, lendable: Callable[[object], bool]) -> int:
    """Return how many of the calls, from the first on, can go in one bulk.

    That is as long as they have as many arguments, all of them atoms or arrays that the other end knows; or one thing
    in all calls that ``lendable`` holds for.
    """
    places = len(calls[0]) if calls else 0
    alike = next((at for at, call in enumerate(calls) if len(call) != places), len(calls))
    return min((_run(column, book, lendable) for column in zip(*calls[:alike], strict=True)), default=0)


def _run(column: Sequence[Any], book: Book, lendable: Callable[[object], bool]) -> int:
    """Return how many values of a column, from the first on, can go in a bulk."""

    def can_go(value: Any) -> bool:
        if type(value) in _ATOMS:
            return type(value) is not int or value.bit_length() <= _LONGEST
        return isinstance(value, np.ndarray) and book.number_of(value) is not None

    kinds = set(map(type, column))
    if kinds <= _SHORT or (kinds == {int} and max(map(int.bit_length, column)) <= _LONGEST):
        return len(column)
    if _is_one(column):
        return len(column) if can_go(column[0]) or lendable(column[0]) else 0
    return next((at for at, value in enumerate(column) if not can_go(value)), len(column))


def _is_one(column: Sequence[Any]) -> bool:
    return all(map(operator.is_, column, itertools.repeat(column[0])))


def columns_text(calls: Sequence[Sequence[Any]], writer: Writer) -> str:
    """Return the arguments of sendable calls as JSON."""
    return f"[{','.join(_column(column, writer) for column in zip(*calls, strict=True))}]"


def _column(column: Sequence[Any], writer: Writer) -> str:
    if _is_one(column):
        return f'["=",{writer.write(column[0])}]'
    kinds = set(map(type, column))
    if kinds == {float}:
        writer.add_raw(array.array("d", column).tobytes())
        return '["f"]'
    if kinds == {int}:
        return f'["n",{",".join(map(repr, column))}]'
    return f'["n"{writer.write_all(column)}]'


def read_columns(columns: list[Any], count: int, reader: Reader) -> Iterator[tuple[Any, ...]]:
    """Return the arguments of each of ``count`` calls; the other end is believed."""
    return itertools.islice(zip(*[_read_column(column, count, reader) for column in columns], strict=False), count)


def _read_column(column: list[Any], count: int, reader: Reader) -> Any:
    if column[0] == "=":
        return itertools.repeat(reader.read(column[1]))
    if column[0] == "f":
        return array.array("d", reader.take(8 * count)).tolist()
    return reader.read_all(column[1:])


def is_plain(value: Any) -> bool:
    """Return whether an answer can go among others: an atom, or a tuple of them."""
    return type(value) in _ATOMS or (type(value) is tuple and _ATOMS.issuperset(map(type, value)))


def answers_texts(answers: Sequence[Any]) -> Iterator[tuple[str, int]]:
    """Yield headers that say plain answers, each as small as one end may have to read, and how many each says.

    The headers lack their ends: what was drawn may come there.

    Raises:
        UnsendableFault: an integer is too long to be written; the answers before it are out by then.
    """
    try:
        text = _encode(answers)
    except ValueError:
        if len(answers) == 1:
            raise UnsendableFault(TOO_LONG) from None
        text = ""
    if len(answers) > 1 and not 0 < len(text) <= _LARGEST:
        half = len(answers) // 2
        yield from answers_texts(answers[:half])
        yield from answers_texts(answers[half:])
    else:
        yield f'["+",{text}', len(answers)


def read_answers(header: list[Any], raw: bytes, due: int) -> list[Any]:
    """Return the answers that a frame has, of which no more than ``due`` are expected.

    Raises:
        ProtocolFault: it has other things, or none, or too many.
    """
    answers = header[1] if len(header) in (2, 3) and not raw else None
    if type(answers) is not list or not 0 < len(answers) <= due:
        raise ProtocolFault("protocol fault: answers that were not asked for")
    kinds = set(map(type, answers))
    if list not in kinds:
        return answers
    if list in map(type, itertools.chain.from_iterable(answer for answer in answers if type(answer) is list)):
        raise ProtocolFault("protocol fault: an answer that does not go among others")
    return [(*answer,) if type(answer) is list else answer for answer in answers]
