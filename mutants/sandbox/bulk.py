"""Many calls of one function in one frame, and their answers in as few as they fit in: for both ends.

Nothing but speed comes of it: the calls are made one after another, as if each had been sent alone. Whatever more there
is to an answer than its value (an exception, a change, a warning, a call back) stops the bulk there and goes over the
wire as it does alone, and so does a value that has to do with what both ends know.

``["*", function, how many, [a column for each place]]`` is a bulk; what else has to be known follows as for one call.
A column is ``["=", node]`` where every call has the same there, ``["f"]`` for floats, which are raw bytes, and
``["n", node, ...]`` otherwise. ``["+", [answers]]`` has the next answers, where an array is a tuple; ``["&", [nodes]]``
has them where some are no plain values but stand for themselves: numbers of numpy's, objects that stay where they are.
What was drawn of generators comes behind them, if anything was. The other end says ``"+"`` where more are due.

``["~", ...]`` is a bulk too, in whose columns ``["c", node]`` is an array of which each call gets a copy of its own. It
is answered like the other as long as nothing but such answers comes of it, and otherwise by ``["-"]``, after which the
caller asks again, one by one.

``["#", [[function, nodes, how many raw bytes], ...], filters]`` are calls that have nothing in common. Before each,
both ends forget the arrays that they know; each is answered by a frame of its own, as soon as it can be.

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
from acidtest.mutants.sandbox.faults import Fault, ProtocolFault, UnsendableFault
from acidtest.mutants.sandbox.reading import Reader
from acidtest.mutants.sandbox.writing import ATOMS, TOO_LONG, Writer

SECONDS = 0.02
"""How long a guest may collect answers before it says them: so much longer than one call's limit one frame may take."""
MOST = 2048
"""How many calls a bulk has at most."""
APART = 32
"""How many calls that have nothing in common a frame has at most; so many objects can stay lent meanwhile."""
VALUES, NODES = "+", "&"
GO_ON, GIVEN_UP = "+", "-"
ALONE = ('["s",', '["o",')
"""How the nodes begin that stand for themselves."""
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
    places, alike = len(calls[0]) if calls else 0, len(calls)
    if len(set(map(len, calls))) > 1:
        alike = next(at for at, call in enumerate(calls) if len(call) != places)
    return min((_run(column, book, lendable) for column in zip(*calls[:alike], strict=False)), default=0)


def _run(column: Sequence[Any], book: Book, lendable: Callable[[object], bool]) -> int:
    """Return how many values of a column, from the first on, can go in a bulk."""

    def can_go(value: Any) -> bool:
        if type(value) in _ATOMS:
            return type(value) is not int or _is_short(value)
        return isinstance(value, np.ndarray) and book.number_of(value) is not None

    if _is_one(column):
        return len(column) if can_go(column[0]) or lendable(column[0]) else 0
    kinds = set(map(type, column))
    if kinds <= _SHORT or (kinds == {int} and max(map(int.bit_length, column)) <= _LONGEST):
        return len(column)
    return next((at for at, value in enumerate(column) if not can_go(value)), len(column))


def copyable(calls: Sequence[Sequence[Any]]) -> bool:
    """Return whether the calls can go in one frame, each on copies: atoms, and in all calls the same plain arrays."""
    if not 1 < len(calls) <= MOST or any(len(call) != len(calls[0]) for call in calls):
        return False
    return all(
        _is_copied(column)
        or (_ATOMS.issuperset(map(type, column)) and all(_is_short(value) for value in column if type(value) is int))
        for column in zip(*calls, strict=True)
    )


def _is_copied(column: Sequence[Any]) -> bool:
    first = column[0]
    if type(first) is not np.ndarray or first.dtype.kind not in "fiub" or not first.flags.carray:
        return False
    return _is_one(column)


def _is_short(value: int) -> bool:
    return value.bit_length() <= _LONGEST


def _is_one(column: Sequence[Any]) -> bool:
    return all(map(operator.is_, column, itertools.repeat(column[0])))


def columns_text(calls: Sequence[Sequence[Any]], writer: Writer, copied: bool = False) -> str:
    """Return the arguments of sendable calls as JSON, or of copyable ones."""
    return f"[{','.join(_column(column, writer, copied) for column in zip(*calls, strict=False))}]"


def _column(column: Sequence[Any], writer: Writer, copied: bool) -> str:
    if _is_one(column):
        tag = "c" if copied and type(column[0]) is np.ndarray else "="
        return f'["{tag}",{writer.write(column[0])}]'
    kinds = set(map(type, column))
    if kinds == {float}:
        writer.add_raw(array.array("d", column).tobytes())
        return '["f"]'
    if kinds == {int}:
        return f'["n",{str(column)[1:-1]}]'
    return f'["n"{writer.write_all(column)}]'


def read_columns(columns: list[Any], count: int, reader: Reader) -> tuple[Iterator[tuple[Any, ...]], list["Copies"]]:
    """Return the arguments of each of ``count`` calls, and what copies arrays for them; the other end is believed."""
    found = [_read_column(column, count, reader) for column in columns]
    copies = [column for column in found if type(column) is Copies]
    return itertools.islice(zip(*found, strict=False), count), copies


def _read_column(column: list[Any], count: int, reader: Reader) -> Any:
    if column[0] == "=":
        return itertools.repeat(reader.read(column[1]))
    if column[0] == "c":
        return Copies(reader.read(column[1]))
    if column[0] == "f":
        return array.array("d", reader.take(8 * count)).tolist()
    return reader.read_all(column[1:])


class Copies:
    """Copies of one array, one after the other without end.

    Args:
        array: contiguous, and no subclass.
    """

    def __init__(self, array: "np.ndarray[Any, Any]") -> None:
        self._array = array
        self._image = array.tobytes()
        self._last = array

    def __iter__(self) -> "Copies":
        return self

    def __next__(self) -> "np.ndarray[Any, Any]":
        self._last = self._array.copy()
        return self._last

    def is_unchanged(self) -> bool:
        """Return whether the latest copy still looks as it did."""
        last, array = self._last, self._array
        if last.shape != array.shape or last.dtype is not array.dtype or not last.flags.writeable:
            return False
        return last.tobytes() == self._image


def until_odd(
    function: Callable[..., Any], calls: Iterator[tuple[Any, ...]], copies: Sequence[Copies]
) -> Iterator[Any]:
    """Yield what the function answers to each call, up to one that raises or changes its copies."""
    for args in calls:
        try:
            answer = function(*args)
        except Fault:
            raise
        except BaseException:  # whatever it is, it will be raised again when this is asked for alone
            return
        if not all(each.is_unchanged() for each in copies):
            return
        yield answer


def is_plain(value: Any) -> bool:
    """Return whether an answer can go among others: an atom, or a tuple of them."""
    if type(value) is not tuple:
        return type(value) in _ATOMS
    for part in value:  # noqa: SIM110 - a generator for each answer would take twice as long
        if type(part) not in _ATOMS:
            return False
    return True


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
        yield f'["{VALUES}",{text}', len(answers)


def nodes_texts(nodes: Sequence[str]) -> Iterator[tuple[str, int]]:
    """Yield headers that have the nodes of answers, as ``answers_texts`` does."""
    first, size = 0, 0
    for at, node in enumerate(nodes):
        if at > first and size + len(node) > _LARGEST:
            yield f'["{NODES}",[{",".join(nodes[first:at])}]', at - first
            first, size = at, 0
        size += len(node) + 1
    if nodes:
        yield f'["{NODES}",[{",".join(nodes[first:])}]', len(nodes) - first


def read_answers(header: list[Any], raw: bytes, due: int, reader: Reader) -> list[Any]:
    """Return the answers that a frame has, of which no more than ``due`` are expected.

    Raises:
        ProtocolFault: it has other things, or none, or too many.
    """
    answers = header[1] if len(header) in (2, 3) and not raw else None
    if type(answers) is not list or not 0 < len(answers) <= due:
        raise ProtocolFault("protocol fault: answers that were not asked for")
    if header[0] == NODES:
        return [_read_alone(node, reader) for node in answers]
    kinds = set(map(type, answers))
    if list not in kinds:
        return answers
    tuples = answers if kinds == {list} else [answer for answer in answers if type(answer) is list]
    if list in set(map(type, itertools.chain.from_iterable(tuples))):
        raise ProtocolFault("protocol fault: an answer that does not go among others")
    if tuples is answers:
        return [*map(tuple, answers)]
    return [(*answer,) if type(answer) is list else answer for answer in answers]


def _read_alone(node: Any, reader: Reader) -> Any:
    """Return the value of a node, which must speak of nothing that both ends know."""
    parts = node[1:] if type(node) is list and node[:1] == ["t"] else [node]
    if not all(map(_is_alone, parts)):
        raise ProtocolFault("protocol fault: an answer that does not go among others")
    reader.begin(b"")
    return reader.read(node)


def _is_alone(node: Any) -> bool:
    if type(node) is not list:
        return True
    return node[:1] == ["s"] or (node[:1] == ["o"] and len(node) == 3 and node[2] is None)
