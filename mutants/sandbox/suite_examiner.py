"""The process between a learner's suite and the implementations that it is shown.

Run as ``python -P -m acidtest.mutants.sandbox.suite_examiner``; JSON lines on standard input and output, as for a
worker. The first line says what it is for: ``reference`` (the texts of the implementation's modules), ``variants``
(for each name the texts that differ), ``tier``, ``slot``, ``memory_mb``, ``core``. Then, for each command:

- ``load``: a suite, its ``modules`` in base64 and the names of its ``tests``; ``limits`` of its guest. Answered by
  ``loaded``, or by ``ungradable`` and why;
- ``show``: one ``variant`` to one ``unit`` of the suite (null: to none; which units there are is told) under a
  ``seed``. ``sift`` names variants: those are told that would have said anything otherwise. Answered by ``shown``,
  which the process that speaks for the variant sends, and then ``end``.

A variant answers in a fork of its own, and the suite calls from one of its guest's, so that nothing goes from one
showing to the next. Neither is told what the other is.
"""

import base64
import json
import os
import select
import signal
import socket
import sys
import time
import types
from collections.abc import Mapping, Sequence
from typing import Any

from acidtest.mutants.channel import Channel, Record
from acidtest.mutants.children import fork, sweep
from acidtest.mutants.sandbox import launcher
from acidtest.mutants.sandbox.faults import DeadlineFault, EndedFault, Fault
from acidtest.mutants.sandbox.finding import Finder
from acidtest.mutants.sandbox.hosting import Host, RefusedError
from acidtest.mutants.sandbox.interior import InteriorError
from acidtest.mutants.sandbox.subject import CHAPTER, Subject
from acidtest.mutants.sandbox.suite_files import suite_files
from acidtest.mutants.sandbox.suite_serving import SuiteServer, forget
from acidtest.mutants.sandbox.suite_tape import Playing, RecordingLine, Tape, differs
from acidtest.mutants.sandbox.walls import GuestLimits
from acidtest.mutants.sandbox.wire import Caps, Line

_PLAYING = 1.0
_MARGIN = 5.0
Codes = dict[str, types.CodeType | None]


class SuiteHost(Host):
    """The hold on a suite's guest."""

    def load_suite(self, modules: Mapping[str, bytes], tests: Sequence[str]) -> None:
        """Hand over the suite.

        Raises:
            RefusedError: a module does not compile. EndedFault: the guest did not survive that.
        """
        packages = {name.rpartition(".")[0] for name in modules} - {""}
        parents = {".".join(name.split(".")[: depth + 1]) for name in packages for depth in range(name.count(".") + 1)}
        modules = {name: text for name, text in modules.items() if name not in parents}
        named = [[name, f"/suite/{name}.py", len(text), False] for name, text in modules.items()]
        order = json.dumps(["load", sorted(parents), named, list(tests)])
        answer = self._ask(order, b"".join(modules.values()))
        if answer[0] == "refused":
            raise RefusedError(f"{answer[1]}.py does not compile: {' '.join(str(answer[2]).split())[:300]}")

    def show(self, unit: str | None, seed: int, end: socket.socket) -> None:
        """Have a fork run one unit; what it calls comes by the socket whose other end is ``end``.

        Raises:
            EndedFault: the guest is gone.
        """
        self._child = int(self._ask(json.dumps(["fork", [unit, seed]]), b"", [end.fileno()])[1])

    def end(self, hung_up: bool) -> str:
        """End the fork, and return how it ended where it did so itself.

        Raises:
            Fault: the guest is gone.
        """
        if self._child is None:
            return ""
        return self._how_it_ended() if hung_up else str(self._end(dying=False) or "")


class Implementations:
    """The implementations that answer, each as compiled code for all modules that a suite can call.

    Args:
        reference: the modules' texts by full name. variants: for each name the texts that differ from these.
    """

    def __init__(
        self, subject: Subject, reference: Mapping[str, str], variants: Mapping[str, Mapping[str, str]]
    ) -> None:
        self._subject = subject
        self._reference: Codes = {**dict.fromkeys(subject.packages()), **_compiled(reference)}
        self._codes = {variant: _compiled(texts) for variant, texts in variants.items()}
        self._finder = Finder({})
        self._functions = [(subject.module, name) for name in subject.functions]
        self._functions += [(module, name) for module, names in subject.beside.items() for name in names]

    def install(self, variant: str | None) -> None:
        """Make a variant what imports give in this process from now on; None for the reference."""
        forget(self._subject.packages()[0])
        self._finder.codes = {**self._reference, **self._codes.get(variant or "", {})}
        if self._finder not in sys.meta_path:
            sys.meta_path.insert(0, self._finder)

    def server(self, line: Any, call_seconds: float | None = None) -> SuiteServer:
        """Return a server of what is installed."""
        subject = self._subject
        return SuiteServer(line, self._functions, subject.module, subject.promises, call_seconds)

    def differs(self, variant: str | None, tape: Tape, frames: int) -> bool:
        """Return whether a variant would have said anything otherwise than a tape has it."""
        self.install(variant)

        def server(playing: Playing) -> SuiteServer:
            return self.server(playing)

        return differs(server, tape, frames, _PLAYING)


def _compiled(texts: Mapping[str, str]) -> Codes:
    places = {name: f"/{name.replace('.', '/')}.py" for name in texts}
    return {name: compile(text, places[name], "exec", dont_inherit=True) for name, text in texts.items()}


class Examiner:
    """Shows variants to suites, one after the other.

    Args:
        spec: the first line. channel: the line.
    """

    def __init__(self, spec: Record, channel: Channel) -> None:
        self._spec = spec
        self._channel = channel
        self._known = Implementations(CHAPTER, spec["reference"], spec["variants"])
        self._host: SuiteHost | None = None

    def run(self) -> None:
        """Do what is ordered until the line is closed."""
        try:
            while (command := self._channel.receive()) is not None:
                if "load" in command:
                    self._load(command["load"])
                elif "show" in command:
                    self._show(command["show"])
        finally:
            self._close()

    def _close(self) -> None:
        if self._host is not None:
            self._host.close()
            self._host = None

    def _load(self, order: Record) -> None:
        self._close()
        self._limits = order["limits"]
        limits = GuestLimits(self._limits["memory_mb"], self._limits["cpu_seconds"])
        modules = {name: base64.b64decode(text) for name, text in order["modules"].items()}
        try:
            tier = launcher.Tier(self._spec["tier"])
            self._host = SuiteHost(launcher.launch(tier, self._spec["slot"], limits, suite_files()))
            self._host.load_suite(modules, order["tests"])
        except (launcher.LaunchError, InteriorError) as error:
            self._channel.send(kind="refused", why=str(error))
        except RefusedError as error:
            self._channel.send(kind="ungradable", why=str(error))
        except Fault as fault:
            self._channel.send(kind="broken", why=fault.reason)
        else:
            self._channel.send(kind="loaded")

    def _show(self, order: Record) -> None:
        """Let a variant answer a fork of the suite's guest, and say how both ended."""
        assert self._host is not None
        ours, theirs = socket.socketpair()
        try:
            with theirs:
                self._host.show(order["unit"], order["seed"], theirs)
            child = fork(self._channel, self._spec["memory_mb"], lambda: self._answer(order, ours))
        except Fault as fault:
            self._channel.send(kind="broken", why=fault.reason)
            return
        finally:
            ours.close()
        seconds = self._limits["test_seconds"] + self._limits["call_seconds"] + _PLAYING * (1 + len(order["sift"]))
        status, late = _wait(child, seconds + _MARGIN)
        try:
            how = self._host.end(hung_up=status == 0 and not late)
        except Fault as fault:
            self._channel.send(kind="broken", why=fault.reason)
            return
        self._channel.send(kind="end", status=status, late=late, guest=how)

    def _answer(self, order: Record, end: socket.socket) -> None:
        """Be the implementation; then, where there is something to it, find out who else would have said the same."""
        tape = Tape()
        self._known.install(order["variant"])
        line = RecordingLine(Line(end, Caps()), tape, time.monotonic() + self._limits["test_seconds"])
        server = self._known.server(line, self._limits["call_seconds"])
        fault = ["", ""]
        try:
            server.serve()
        except EndedFault:
            pass
        except DeadlineFault:
            fault = [DeadlineFault.outcome, f"it took longer than {self._limits['test_seconds']:g} s"]
        except Fault as error:
            fault = [error.outcome, error.reason]
        end.close()
        failed = next((at for at, record in tape.records if record[:1] == ["item"] and "failed" in record[2:3]), None)
        call = server.last_call()
        differing = None
        if failed is not None and order["against_reference"]:
            differing = self._known.differs(None, tape, failed)
        reached = [name for name in order["sift"] if self._known.differs(name, tape, len(tape.said))]
        records = [record for _, record in tape.records]
        shown = {"records": records, "fault": fault, "calls": len(tape.said), "call": call}
        self._channel.send(kind="shown", differs=differing, reached=reached, **shown)


def _wait(child: int, seconds: float) -> tuple[int, bool]:
    """Wait for a child, kill it when its time is up, and return its exit code and whether that was so."""
    handle = os.pidfd_open(child)
    try:
        late = not select.select([handle], [], [], seconds)[0]
    finally:
        os.close(handle)
    sweep(child)
    _, status = os.waitpid(child, 0)
    return os.waitstatus_to_exitcode(status), late


def main() -> None:
    """Serve whoever started this process until they close the line."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    channel = Channel.own()
    spec = channel.receive()
    if spec is None:
        return
    if spec.get("core") is not None:
        os.sched_setaffinity(0, {spec["core"]})
    try:
        tier = launcher.choose_tier() if spec["tier"] is None else launcher.Tier(spec["tier"])
        launcher.prepare(tier, suite_files())
        spec["tier"] = int(tier)
    except (launcher.NoTierError, launcher.LaunchError, InteriorError) as error:
        channel.send(kind="refused", why=str(error))
        return
    channel.send(kind="ready", tier=spec["tier"])
    Examiner(spec, channel).run()


if __name__ == "__main__":
    main()
