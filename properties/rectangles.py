"""How much of a square of two uniforms each answer covers, where the answers form rectangles."""

import itertools
from collections import Counter
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass
from typing import TypeVar

T = TypeVar("T", bound=Hashable)
MAX_CALLS = 4000
SCATTERED = 256
"""So many points without two equal answers are no law of few outcomes: that is given up at once."""


class UndecidedError(Exception):
    """The answers do not form rectangles that can be told apart in the calls allowed: there is no number to report."""


@dataclass(frozen=True, slots=True)
class Rectangle:
    """Lattice points (k, j) with ``left <= k <= right`` and ``low <= j <= high``."""

    left: int
    right: int
    low: int
    high: int

    @property
    def area(self) -> int:
        """Return the number of its points."""
        return (self.right - self.left + 1) * (self.high - self.low + 1)

    def cut_before(self, k: int) -> tuple["Rectangle", "Rectangle"]:
        """Return the parts with first coordinate below ``k``, and from ``k`` on."""
        return Rectangle(self.left, k - 1, self.low, self.high), Rectangle(k, self.right, self.low, self.high)

    def cut_below(self, j: int) -> tuple["Rectangle", "Rectangle"]:
        """Return the parts with second coordinate below ``j``, and from ``j`` on."""
        return Rectangle(self.left, self.right, self.low, j - 1), Rectangle(self.left, self.right, j, self.high)


def first_points(cell: Rectangle) -> tuple[tuple[int, int], ...]:
    """Return where ``measure`` asks a cell that is constant: its corners and its middle."""
    left, right, low, high = cell.left, cell.right, cell.low, cell.high
    return (left, low), (right, low), (left, high), (right, high), ((left + right) // 2, (low + high) // 2)


def measure(decide: Callable[[int, int], T], cells: Iterable[Rectangle], max_calls: int = MAX_CALLS) -> dict[T, int]:
    """Return how many points of the cells give each answer.

    Each cell is asked at its four corners and in its middle. Five equal answers count for the whole cell; otherwise
    the change between two of them is located by bisection, to two neighbouring points, and the cell is cut there.
    Cells that start at a breakpoint thus ask on both sides of it. A border that is not parallel to an axis would be
    cut for ever: that is given up. A change that lies between equal corners and misses the middle is not seen, so
    what comes out is exact for answers that are constant on the given cells, or monotone along each axis of them.

    Raises:
        UndecidedError: ``max_calls`` distinct points were asked and some cell still is not constant, or no two of the
            first ``SCATTERED`` have equal answers.
    """
    answers: dict[tuple[int, int], T] = {}

    def ask(k: int, j: int) -> T:
        if (k, j) not in answers:
            if len(answers) == max_calls:
                raise UndecidedError(f"after {max_calls} calls the answer still changes within a cell of (u, u')")
            if len(answers) == SCATTERED and all(a != b for a, b in itertools.combinations(answers.values(), 2)):
                raise UndecidedError(f"no two of {SCATTERED} points (u, u') have the same answer")
            answers[k, j] = decide(k, j)
        return answers[k, j]

    areas: Counter[T] = Counter()
    todo = list(cells)
    while todo:
        cell = todo.pop()
        parts = _cut(ask, cell)
        if parts:
            todo.extend(parts)
        else:
            areas[ask(cell.left, cell.low)] += cell.area
    return dict(areas)


def _cut(ask: Callable[[int, int], T], cell: Rectangle) -> tuple[Rectangle, ...]:
    """Return the two parts of a cell that is not constant, or nothing."""
    left, right, low, high = cell.left, cell.right, cell.low, cell.high
    middle_k, middle_j = (left + right) // 2, (low + high) // 2

    def row(j: int) -> Callable[[int], T]:
        return lambda k: ask(k, j)

    def column(k: int) -> Callable[[int], T]:
        return lambda j: ask(k, j)

    for j in (low, high):
        if ask(left, j) != ask(right, j):
            return cell.cut_before(_change(row(j), left, right))
    if ask(left, low) != ask(left, high):
        return cell.cut_below(_change(column(left), low, high))
    if ask(middle_k, middle_j) == ask(left, low):
        return ()
    if ask(left, middle_j) != ask(left, low):
        return cell.cut_below(_change(column(left), low, middle_j))
    return cell.cut_before(_change(row(middle_j), left, middle_k))


def _change(ask: Callable[[int], T], start: int, end: int) -> int:
    """Return a point in (start, end] whose answer differs from its predecessor's; the two ends' answers differ."""
    first = ask(start)
    while end - start > 1:
        middle = (start + end) // 2
        if ask(middle) == first:
            start = middle
        else:
            end = middle
    return end
