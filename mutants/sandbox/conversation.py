"""The grader's end of a conversation with one fork of a guest: calls go out, and whatever comes back is doubted.

An answer becomes a value, an exception, or a ``Fault``. A fault ends the conversation and is raised again by every
further call, so that a test that swallowed it is found out.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from acidtest.mutants.sandbox import bulk
from acidtest.mutants.sandbox.apart import Apart
from acidtest.mutants.sandbox.books import Array
from acidtest.mutants.sandbox.exchange import tag_of
from acidtest.mutants.sandbox.faults import Fault, ProtocolFault
from acidtest.mutants.sandbox.strangers import is_generator

_FIRST = 64
"""How many calls the first bulk has; the next ones are larger, or smaller where answers are not plain."""


class Conversation(Apart):
    """Speaks with one fork."""

    def hello(self) -> list[bool] | str:
        """Return which functions the submission has; or, where its import raised, what it raised, as one line.

        Raises:
            Fault: it did not come so far.
        """
        try:
            return self._hello(self._listen(self._deadline(), True)[0])
        except Fault as fault:
            raise self._ending(fault) from None

    def _hello(self, header: Any) -> list[bool] | str:
        if type(header) is list and len(header) == 3 and header[0] == "!" and type(header[2]) is str:
            kind = self._classes.kind(header[1])
            name = header[1][0][1] if kind is None else kind.__name__
            return f"{name}: {' '.join(header[2].split())}"
        if type(header) is not list or len(header) != 3 or header[0] != "hello":
            raise ProtocolFault("protocol fault: a greeting of another kind")
        there, promised = header[1:]
        if type(there) is not list or any(type(each) is not bool for each in there) or type(promised) is not list:
            raise ProtocolFault("protocol fault: a greeting of another kind")
        for item in promised[:16]:
            if type(item) is not list or len(item) != 2 or type(item[0]) is not str:
                raise ProtocolFault("protocol fault: a promised exception without a name")
            self._classes.promise(*item)
        return there

    def call(self, target: int | list[Any], args: Sequence[Any], named_args: Mapping[str, Any]) -> Any:
        """Return what the submission answers, or raise what it raises.

        Args:
            target: the function's number, or an object's number and a method's name.

        Raises:
            Fault: there is no answer.
        """
        if self.fault is not None:
            raise self.fault
        try:
            return self._call(target, args, named_args)
        except Fault as fault:
            raise self._ending(fault) from None

    def call_each(self, function: int, calls: Iterable[Sequence[Any]]) -> list[Any]:
        """Return what the submission answers to each of the calls, or raise what it raises at the first that raises.

        As ``[call(function, args, {}) for args in calls]``, but for the time it takes: where an answer is plain, the
        next call is made before it is here. So of a guest that ends, none of the last few answers is seen; and none
        would be by a caller to whom a list of all answers is given or none. A call's limit is longer by
        ``bulk.SECONDS``.

        Args:
            function: its number. calls: the arguments of each call, by place.

        Raises:
            Fault: there is no answer to one of the calls.
        """
        calls, size = list(calls), _FIRST
        answers: list[Any] = []
        if self.fault is not None:
            raise self.fault
        try:
            while len(answers) < len(calls):
                asked = calls[len(answers) : len(answers) + size]
                some = self._call_some(function, asked)
                answers += some
                size = min(2 * size, bulk.MOST) if len(some) == len(asked) else max(1, size // 8)
        except Fault as fault:
            raise self._ending(fault) from None
        return answers

    def call_ahead(self, function: int, calls: Iterable[Sequence[Any]]) -> list[Any] | None:
        """Return what the submission answers to each of the calls; None where more than plain answers comes of them.

        That is where one of them raises, warns, asks back or changes an argument, too, or where the arguments are not
        as ``bulk.copyable`` has them. The calls then have to be made one by one, and some have been made in vain.

        Args:
            function: its number. calls: the arguments of each call, by place; each gets copies of the arrays.

        Raises:
            Fault: there is no answer to one of the calls.
        """
        if self.fault is not None:
            raise self.fault
        calls = list(calls)
        if not bulk.copyable(calls):
            return None
        try:
            answers, last = self._ask_many("~", function, calls)
        except Fault as fault:
            raise self._ending(fault) from None
        if last is None:
            return answers
        if tag_of(last[0]) not in (bulk.GIVEN_UP, "x"):
            raise self._ending(ProtocolFault("protocol fault: an answer of no kind"))
        return None

    def _call(self, target: int | list[Any], args: Sequence[Any], named_args: Mapping[str, Any]) -> Any:
        deadline = self._deadline()
        self.calls += 1
        self._lent.begin()
        if self._raised:
            self._raised.clear()
        held: list[Array] = []
        rest = self._news(held)
        write = self._writer.write
        self._handles.begin()
        nodes = self._nodes(args)
        if named_args or rest:
            given = ",".join(f"{write(name)},{write(value)}" for name, value in named_args.items())
            changes, gone, filters = rest or ("[]", "[]", "null")
            header = f"[{_target_text(target)},[{','.join(nodes)}],{changes},[{given}],{gone},{filters}]"
        else:
            header = f"[{_target_text(target)},[{','.join(nodes)}]]"
        self._handles.end()
        self._lent.end()
        self._speak(header)
        answer, raw = self._listen(deadline, True)
        if type(answer) is list and answer and answer[0] == "?":
            answer, raw = self._serve_callbacks(answer, raw, deadline)
        return self._outcomes.of(answer, raw)

    def _call_some(self, function: int, calls: Sequence[Sequence[Any]]) -> list[Any]:
        """Return the answers to the first of several calls: to one at least, and to all of them if all are plain."""
        count = bulk.sendable(calls, self._book, is_generator) if len(calls) > 1 else 0
        if count < 2:
            return [self._call(function, calls[0], {})]
        answers, last = self._ask_many("*", function, calls[:count])
        if last is not None:
            self.calls += 1
            answers.append(self._outcomes.of(*last))
        return answers

    def _ask_many(
        self, tag: str, function: int, calls: Sequence[Sequence[Any]]
    ) -> tuple[list[Any], tuple[Any, bytes] | None]:
        """Return the answers that go among others to the first calls, and the frame that has none; None if all do."""
        count = len(calls)
        deadline = self._deadline(bulk.SECONDS)
        self._lent.begin()
        if self._raised:
            self._raised.clear()
        held: list[Array] = []
        rest = self._news(held)
        self._handles.begin(count)
        columns = bulk.columns_text(calls, self._writer, tag == "~")
        self._handles.end()
        self._lent.end()
        self._speak(f'["{tag}",{function},{count},{columns}{"," if rest else ""}{",".join(rest or ())}]')
        answers: list[Any] = []
        while True:
            header, raw = self._listen(deadline, True)
            if tag_of(header) == "?":
                header, raw = self._serve_callbacks(header, raw, deadline)
            if tag_of(header) not in (bulk.VALUES, bulk.NODES):
                return answers, (header, raw)
            some = bulk.read_answers(header, raw, count - len(answers), self._reader)
            if len(header) > 2:
                self._handles.draw(header[2], more=True)
            self.calls += len(some)
            answers += some
            if len(answers) == count:
                return answers, None
            deadline = self._deadline(bulk.SECONDS)
            self._line.send(f'"{bulk.GO_ON}"')


def _target_text(target: int | list[Any]) -> str:
    return f"{target}" if type(target) is int else json.dumps(target)
