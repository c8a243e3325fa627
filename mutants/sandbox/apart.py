"""Calls that have nothing in common: many are on their way at once, and each is answered as if it had gone alone."""

import warnings
from collections.abc import Sequence
from typing import Any

from acidtest.mutants.sandbox import bulk
from acidtest.mutants.sandbox.books import Book
from acidtest.mutants.sandbox.exchange import Exchange, tag_of
from acidtest.mutants.sandbox.faults import Fault, UnsendableFault
from acidtest.mutants.sandbox.filters import filters_text
from acidtest.mutants.sandbox.lending import Lent
from acidtest.mutants.sandbox.writing import Writer

Written = tuple[str, bytes]
"""How the arguments of a call go out that is apart from all others: their nodes, and the raw bytes of these."""
Apartness = tuple[int, Sequence[Any], Written | None]
"""A function's number, arguments by place, and how these go out if that is known."""


def written(args: Sequence[Any]) -> Written | None:
    """Return how arguments go out in any conversation, as they are now; None where that depends on the conversation."""
    writer = Writer(Book(holds=False), Lent(), _refuse, guest=False)
    try:
        nodes = writer.write_strangers(args)
    except UnsendableFault:
        return None
    return (",".join(nodes), writer.take_raw()) if nodes else None


def _refuse(_: object) -> str:
    raise UnsendableFault("an object is lent under a number, which each conversation gives it anew")


class Apart(Exchange):
    """Sends such calls, and hears their answers in turn."""

    def call_apart(self, calls: Sequence[Apartness]) -> "list[Awaited]":
        """Send the first of the calls, one at least; return for each what takes its answer, to be used in turn.

        What is taken is what ``call`` returns or raises, with all that comes of it at that moment and not before.
        The calls must have nothing in common: both ends forget all arrays before each of them and after the last, so
        that no later change of one is seen.
        """
        sent: list[Awaited] = []
        if self.fault is None:
            try:
                sent = self._send_apart(calls)
                sent[-1].more = False
            except Fault as fault:
                self._ending(fault)
        return sent or [Awaited(self, (), 0, {})]

    def _send_apart(self, calls: Sequence[Apartness]) -> "list[Awaited]":
        self._deadline()
        texts: list[str] = []
        data: list[bytes] = []
        sent: list[Awaited] = []
        lent = self._handles.lent
        self._forget()
        for function, args, known in calls[: bulk.APART]:
            if known is not None:
                texts.append(f"[{function},[{known[0]}],{len(known[1])}]")
                data.append(known[1])
                sent.append(Awaited(self, args, len(texts[-1]) + len(known[1]), {}))
                continue
            if self._handles.lent - lent >= bulk.APART:
                break  # the first objects would be forgotten before they are asked
            self._forget()
            self._handles.begin()
            try:
                nodes = ",".join(self._writer.write_strangers(args) or self._nodes(args))
            except UnsendableFault:
                if not sent:
                    raise
                self._writer.take_raw()
                break
            self._handles.end()
            raw = self._writer.take_raw()
            texts.append(f"[{function},[{nodes}],{len(raw)}]")
            data.append(raw)
            sent.append(Awaited(self, args, len(texts[-1]) + len(raw), self._handles.take_told()))
        filters = "null"
        if self._filters != warnings.filters:
            self._filters = list(warnings.filters)
            filters = filters_text(self._filters, self._writer)
        self._lent.end()
        self._line.send(f'["#",[{",".join(texts)}],{filters}]', b"".join([*data, self._writer.take_raw()]))
        return sent

    def _hear(self, one: "Awaited") -> tuple[Any, bytes]:
        """Return what comes first of a call, when its turn has come: the answer, or a call back."""
        if self.fault is not None:
            raise self.fault
        try:
            one.deadline = self._deadline()
            self.calls += 1
            self._forget()
            self._raised.clear()
            self._expect(one.size)
            answer, raw = self._listen(one.deadline, True, one.more)
            if not _is_simple(answer):
                self._nodes(one.args)  # so that both ends know the same things again
                self._writer.take_raw()
            self._lent.end()
            self._handles.expect(one.told)
            return answer, raw
        except Fault as fault:
            raise self._ending(fault) from None

    def _make(self, one: "Awaited", answer: Any, raw: bytes) -> Any:
        """Return or raise what comes of a call in the end."""
        try:
            if tag_of(answer) == "?":
                answer, raw = self._serve_callbacks(answer, raw, one.deadline, one.more)
            return self._outcomes.of(answer, raw)
        except Fault as fault:
            raise self._ending(fault) from None
        finally:
            self._book.restart()

    def _forget(self) -> None:
        """Know nothing any more, and give numbers from the first one on."""
        self._book.restart()
        self._lent.begin()


class Awaited:
    """One call's answer.

    Args:
        args: the call's. size: of the call, in bytes. told: how many numbers of each generator went out with it.

    Attributes:
        more: whether other answers follow it. deadline: until when it must be there, once that is known.
    """

    __slots__ = ("_conversation", "_heard", "args", "deadline", "more", "size", "told")

    def __init__(self, conversation: Apart, args: Sequence[Any], size: int, told: dict[int, int]) -> None:
        self._conversation = conversation
        self._heard: tuple[Any, bytes] | None = None
        self.args, self.size, self.told, self.more, self.deadline = args, size, told, True, 0.0

    def is_bare(self) -> bool:
        """Wait for the answer; return whether nothing is asked back, changed, shared or warned of.

        Raises:
            Fault: there is none.
        """
        self._heard = self._conversation._hear(self)
        header, _ = self._heard
        if tag_of(header) not in ("=", "!"):
            return False
        first = 2 if header[0] == "=" else 3
        return _is_simple(header[:first]) and all(part == [] for part in header[first : first + 3])

    def take(self) -> Any:
        """Return or raise what is answered, once.

        Raises:
            Fault: there is no answer.
        """
        heard = self._heard or self._conversation._hear(self)
        return self._conversation._make(self, *heard)


def _is_simple(header: Any) -> bool:
    """Return whether an answer has no changes with it, and speaks of nothing that both ends know."""
    if type(header) is not list or not header:
        return True
    if header[0] == "!":
        return len(header) == 3
    if header[0] != "=" or len(header) != 2:
        return False
    node = header[1]
    return type(node) is not list or (node[:1] in (["t"], ["v"]) and list not in map(type, node))
