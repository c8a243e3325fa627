"""Two more ways to ask for many calls in one frame, at the guest's end: on copies, and with nothing in common."""

from collections.abc import Callable, Mapping
from time import monotonic
from typing import TYPE_CHECKING, Any

from acidtest.mutants.sandbox import bulk
from acidtest.mutants.sandbox.faults import UnsendableFault
from acidtest.mutants.sandbox.filters import filter_warnings

if TYPE_CHECKING:
    from acidtest.mutants.sandbox.serving import Server


def _answer_ahead(server: "Server", header: list[Any], raw: bytes) -> None:
    """Answer calls on copies, as long as nothing but plain answers comes of them; then say that more does."""
    _, number, count, columns, *news = header
    server._begin(raw, [news[0], None, *news[1:]] if news else [])
    calls, copies = bulk.read_columns(columns, count, server._reader)
    server._lent.end()
    function, sayings = server._functions[number], server._begin_bulk(number, count)
    is_unchanged, until = server._book.watch(), monotonic() + bulk.SECONDS
    try:
        for answer in bulk.until_odd(function, calls, copies):
            if server._warned or server._called_back or not is_unchanged() or not sayings.take(answer):
                break
            if monotonic() >= until:
                sayings.say()
                until = monotonic() + bulk.SECONDS
        if sayings.is_all():
            sayings.say()
            return
    except UnsendableFault:
        pass  # as for whatever else is not plain
    sayings.drop()
    server._warned.clear()
    server._line.send(f'["{bulk.GIVEN_UP}"]')


def _answer_apart(server: "Server", header: list[Any], raw: bytes) -> None:
    """Answer calls that have nothing in common, each by a frame of its own."""
    _, calls, filters = header
    if filters is not None:
        filter_warnings(filters)
    at = 0
    for number, nodes, size in calls:
        server._book.restart()
        server._line.send(*server._answer([number, nodes], raw[at : at + size]))
        at += size
    server._book.restart()


MANY: Mapping[str, Callable[["Server", list[Any], bytes], None]] = {"~": _answer_ahead, "#": _answer_apart}
"""What answers each kind of frame."""
