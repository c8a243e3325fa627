"""The grader's hold on one guest: hands it the submission, has it fork, learns how forks ended."""

import contextlib
import json
import signal
import socket
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

from acidtest.mutants.sandbox.conversation import Conversation
from acidtest.mutants.sandbox.faults import EndedFault, Fault, ProtocolFault
from acidtest.mutants.sandbox.stage import GuestFiles
from acidtest.mutants.sandbox.subject import Subject
from acidtest.mutants.sandbox.wire import Caps, Line, send_with_descriptor

_PATIENCE = 20.0
_ANSWERS = ("loaded", "refused", "forked", "ended", "tried", "opened", "cleared")
_MODULES = (
    *("faults", "wire", "books", "lending", "writing", "arrays", "reading", "bulk", "saying", "many"),
    *("filters", "errors", "finding", "serving", "guest", "rehearsal", "ancestor"),
)
FILES = GuestFiles(
    "acidtest.mutants.sandbox.ancestor",
    tuple((f"acidtest/mutants/sandbox/{name}.py", Path(__file__).with_name(f"{name}.py")) for name in _MODULES),
)
"""What a guest imports of ours, beside the walls."""


class GuestProcess(Protocol):
    """What the launcher returns, or the forerunner lends."""

    control: socket.socket

    def poll(self) -> int | None: ...

    def close(self) -> None: ...


class RefusedError(Exception):
    """The submission does not compile; one line with the reason."""


class Host:
    """One guest.

    Args:
        guest: as the launcher returned it.
    """

    def __init__(self, guest: GuestProcess) -> None:
        self._guest = guest
        self._line = Line(guest.control, Caps(1 << 16, 0))
        self._child: int | None = None

    def try_walls(self) -> str:
        """Return why a fork of the guest cannot raise the last walls; empty where it can.

        Raises:
            EndedFault: the guest is gone.
        """
        return str(self._ask('["try"]')[1])

    def open(self) -> socket.socket:
        """Have the guest, which must be a boxed one, fork a zygote for a submission; return the line to it.

        Raises:
            EndedFault: the guest is gone. ProtocolFault: it speaks of something else.
        """
        ours, theirs = socket.socketpair()
        with theirs, contextlib.ExitStack() as failing:
            failing.callback(ours.close)
            if self._ask('["open"]', b"", [theirs.fileno()])[0] != "opened":
                raise ProtocolFault("protocol fault: an answer to another order")
            failing.pop_all()
        return ours

    def clear(self) -> bool:
        """Have the guest end its zygotes and all that these started; return whether it is as it was before them.

        Raises:
            EndedFault: the guest is gone.
        """
        return bool(self._ask('["clear"]') == ["cleared", True])

    def load(
        self,
        subject: Subject,
        functions: Sequence[tuple[str, str]],
        reference: Mapping[str, str],
        parts: Mapping[str, bytes],
    ) -> None:
        """Hand over the modules: the reference's, which are imported before forks, and the submission's.

        Args:
            functions: what will be called by number.
            reference: texts of the modules beside the one under test, by full name.
            parts: the submission's modules by full name, in bytes; one of ``reference``'s name stands in its place.

        Raises:
            RefusedError: one does not compile. EndedFault: the guest did not survive that.
        """
        trusted = {name: text.encode() for name, text in reference.items() if name not in parts}
        modules, raw = [], b""
        for texts, is_trusted in ((trusted, True), (parts, False)):
            for name, text in texts.items():
                modules.append([name, f"/{name.replace('.', '/')}.py", len(text), is_trusted])
                raw += text
        spec = [[list(pair) for pair in functions], subject.module, list(subject.promises)]
        answer = self._ask(json.dumps(["load", list(subject.packages()), modules, spec]), raw)
        if answer[0] == "refused":
            name = str(answer[1]).rpartition(".")[2]
            raise RefusedError(f"{name}.py does not compile: {' '.join(str(answer[2]).split())[:300]}")

    def converse(self, call_seconds: float, seconds: float, seed: int) -> Conversation:
        """Return a conversation with a fresh fork; it must be finished by ``finish`` before the next.

        Raises:
            EndedFault: the guest is gone.
        """
        ours, theirs = socket.socketpair()
        with theirs, contextlib.ExitStack() as failing:
            failing.callback(ours.close)
            self._child = int(self._ask(f'["fork",{seed}]', b"", [theirs.fileno()])[1])
            failing.pop_all()
        return Conversation(ours, call_seconds, seconds, self._how_it_ended)

    def finish(self, conversation: Conversation) -> None:
        """End a conversation, and its fork. A guest that is gone is found out by whoever needs it next."""
        conversation.finish()
        if self._child is not None:
            try:
                self._end(dying=False)
            except Fault as fault:
                conversation.fault = conversation.fault or fault

    def close(self) -> None:
        """End the guest with all its forks."""
        self._guest.close()

    def _how_it_ended(self) -> str:
        if self._child is None:
            return "is gone"
        try:
            status = self._end(dying=True)
        except EndedFault as fault:
            return fault.reason.removeprefix("the guest ")
        if status is None:
            return "hung up"
        if status < 0:
            return f"was killed: {_signal(-status)}"
        return f"ended: exit status {status}"

    def _end(self, dying: bool) -> int | None:
        child, self._child = self._child, None
        status = self._ask(f'["end",{child},{"true" if dying else "false"}]')[1]
        return status if type(status) is int else None

    def _ask(self, header: str, raw: bytes = b"", descriptors: Sequence[int] = ()) -> Any:
        """Return the zygote's answer.

        Raises:
            EndedFault: there is none, which a submission can bring about by nothing but an attack.
        """
        try:
            self._line.patience(_PATIENCE)
            send_with_descriptor(self._line.end, header, raw, descriptors)
            answer, _ = self._line.receive(time.monotonic() + _PATIENCE)
        except (OSError, Fault):
            status = self._guest.poll()
            how = "" if status is None else f": exit status {status}" if status >= 0 else f": {_signal(-status)}"
            raise EndedFault(f"the guest's first process does not answer{how}") from None
        if type(answer) is not list or len(answer) < 1 or answer[0] not in _ANSWERS:
            raise EndedFault("the guest's first process answers otherwise than it should")
        return answer


def _signal(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
