"""One examiner and the clock over it: a suite is put down on the desk, and shown one variant after another."""

import base64
import signal
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from acidtest.mutants.executors import Record, WorkerDiedError, WorkerProcess, status_in_words
from acidtest.mutants.model import Outcome
from acidtest.mutants.sandbox.desk import DeskError, SandboxRefusedError
from acidtest.mutants.sandbox.suite_intake import Suite

_MODULE = "acidtest.mutants.sandbox.suite_examiner"
_START = 60.0
_MARGIN = 60.0
_MEMORY_MB = 1024
_MOST_UNITS = 500
_LONGEST = 300


class UngradableSuiteError(Exception):
    """There is nothing to grade: a module does not compile or cannot be imported, or there is no test; one line."""


@dataclass(frozen=True, slots=True)
class SuiteLimits:
    """What one showing may use.

    Attributes:
        call_seconds, test_seconds: wall clock of one answer, and of one test against one variant.
        memory_mb, cpu_seconds: of the suite's process.
    """

    call_seconds: float = 5.0
    test_seconds: float = 20.0
    memory_mb: int = 512
    cpu_seconds: float = 15.0


@dataclass(frozen=True, slots=True)
class Unit:
    """A test function of a suite, with all its parameters. ``name`` is ``module::Class::function``."""

    name: str
    items: int


@dataclass(frozen=True, slots=True)
class Shown:
    """What one unit made of one variant.

    Attributes:
        outcome: ``FAILED`` where an item failed, whatever came of others.
        reason: ``assertion`` or the exception's class, or what stopped it.
        call: the last call that it made, as Python. calls: how many there were, calls back included.
        differs: whether the variant said anything otherwise than the reference would have, before the test failed;
            None where that was not asked for, or the test did not fail.
        reached: those of the sifted variants that would have said anything otherwise.
    """

    outcome: Outcome
    reason: str = ""
    call: str = ""
    calls: int = 0
    differs: bool | None = None
    reached: tuple[str, ...] = ()


class SuiteDesk:
    """An examiner for one suite at a time.

    Args:
        reference: the implementation's modules as texts. variants: for each name the texts that differ from these.
        tier, slot, core: as for `desk.Desk`.

    Attributes:
        tier: the sandbox's, once the examiner has started; -1 until then.
    """

    def __init__(
        self,
        reference: Mapping[str, str],
        variants: Mapping[str, Mapping[str, str]],
        tier: int | None = None,
        slot: int = 0,
        core: int | None = None,
    ) -> None:
        self._spec = {"reference": reference, "variants": variants, "memory_mb": _MEMORY_MB, "slot": slot, "core": core}
        self.tier = -1 if tier is None else tier
        self._asked = tier
        self._limits = SuiteLimits()
        self._worker: WorkerProcess | None = None
        self._ready = False

    def begin(self) -> None:
        """Start the examiner; nobody need wait for it yet.

        Raises:
            DeskError: it cannot be started.
        """
        if self._worker is None:
            try:
                self._worker = WorkerProcess({**self._spec, "tier": self._asked}, module=_MODULE)
            except WorkerDiedError as error:
                raise DeskError(f"the examiner died at its start: {error}") from error
            self._ready = False

    def load(self, suite: Suite, limits: SuiteLimits) -> None:
        """Put a suite on the desk.

        Raises:
            UngradableSuiteError: it does not compile. SandboxRefusedError: nothing untrusted can be run here.
            DeskError: the examiner failed.
        """
        self.begin()
        if not self._ready:
            self.tier = int(self._receive(_START, "the examiner's start")["tier"])
            self._ready = True
        self._limits = limits
        modules = {name: base64.b64encode(text).decode("ascii") for name, text in suite.modules.items()}
        self._send({"load": {"modules": modules, "tests": suite.tests, "limits": asdict(limits)}})
        self._receive(_START, "the start of a guest")

    def units(self, seed: int) -> tuple[Unit, ...]:
        """Return the tests that the suite says it has.

        Raises:
            UngradableSuiteError: it cannot be imported, or says nothing of the kind. DeskError: as ``load``.
        """
        shown, end = self._show("reference", None, seed, (), False)
        for word, *rest in _records(shown):
            if word == "broken":
                raise UngradableSuiteError(f"it cannot be imported: {_words(rest[:1])}")
            if word == "units" and rest and type(rest[0]) is list:
                return _units(rest[0])
        why = _stopped(end, self._limits) or (shown["fault"][1] if shown is not None else "")
        why = why or (f"its process {end['guest']}" if end["guest"] else "it says nothing")
        raise UngradableSuiteError(f"its tests cannot be collected: {why}")

    def show(self, unit: str, variant: str, seed: int, sift: Sequence[str] = (), mutant: bool = False) -> Shown:
        """Show a variant to a unit.

        Args:
            sift: variants to be told of if they would have said anything otherwise.
            mutant: whether a failure is held against what the reference would have said.

        Raises:
            DeskError: the examiner failed.
        """
        record, end = self._show(variant, unit, seed, sift, mutant)
        stopped = _stopped(end, self._limits)
        if record is None or stopped:
            late = end["late"] or end["status"] == -signal.SIGALRM
            return Shown(Outcome.TIMED_OUT if late else Outcome.CRASHED, stopped or "the showing has no end")
        outcome, reason = _outcome(record, str(end["guest"]))
        reached = tuple(map(str, record["reached"]))
        return Shown(outcome, reason, record["call"], int(record["calls"]), record["differs"], reached)

    def close(self, patience: float = 5.0) -> None:
        """End the examiner."""
        if self._worker is not None:
            self._worker.close(patience)
            self._worker = None

    def _show(
        self, variant: str, unit: str | None, seed: int, sift: Sequence[str], mutant: bool
    ) -> tuple[Record | None, Record]:
        order = {"variant": variant, "unit": unit, "seed": seed, "sift": list(sift), "against_reference": mutant}
        self._send({"show": order})
        shown = None
        while True:
            record = self._receive(self._limits.test_seconds + len(sift) + _MARGIN, "a showing")
            if record["kind"] == "end":
                return shown, record
            shown = record

    def _send(self, command: Mapping[str, Any]) -> None:
        assert self._worker is not None
        try:
            self._worker.send(command)
        except WorkerDiedError as error:
            self.close(0.5)
            raise DeskError(f"the examiner died: {error}") from error

    def _receive(self, seconds: float, what: str) -> Record:
        assert self._worker is not None
        try:
            record = self._worker.receive(seconds)
        except WorkerDiedError as error:
            self.close(0.5)
            raise DeskError(f"the examiner died during {what}: {error}") from error
        if record is None:
            self.close(0.5)
            raise DeskError(f"no end of {what} within {seconds:g} s")
        if record["kind"] == "refused":
            self.close(0.5)
            raise SandboxRefusedError(record["why"])
        if record["kind"] == "ungradable":
            raise UngradableSuiteError(record["why"])
        if record["kind"] == "broken":
            self.close(0.5)
            raise DeskError(f"the guest's first process failed: {record['why']}")
        return record


def _stopped(end: Record, limits: SuiteLimits) -> str:
    """Return what stopped a variant from answering; empty where it answered to the end."""
    if end["late"]:
        return f"it took longer than {limits.test_seconds:g} s"
    if end["status"] == -signal.SIGALRM:
        return f"one call took longer than {limits.call_seconds:g} s"
    return f"the implementation's process ended: {status_in_words(end['status'])}" if end["status"] else ""


def _outcome(record: Record, guest: str) -> tuple[Outcome, str]:
    """Return what the suite's side told, read with doubt: a failure counts, everything else has to be complete."""
    told = _records(record)
    items = [(str(words[2]), _words(words[3:4])) for words in told if words[0] == "item" and len(words) > 2]
    failed = [reason for outcome, reason in items if outcome == Outcome.FAILED]
    if failed:
        return Outcome.FAILED, failed[0]
    for words in told:
        if words[0] == "broken":
            return Outcome.CRASHED, f"cannot be imported: {_words(words[1:2])}"
    stopped, why = record["fault"]
    if stopped:
        return Outcome(stopped), why
    if ["done"] not in told:
        return Outcome.CRASHED, f"its process {guest or 'ended'}"
    known = {str(outcome) for outcome in Outcome}
    others = [(outcome, reason) for outcome, reason in items if outcome != Outcome.PASSED]
    if others:
        outcome, reason = next((each for each in others if each[0] != Outcome.SKIPPED), others[0])
        return Outcome(outcome) if outcome in known else Outcome.CRASHED, reason
    return (Outcome.PASSED, "") if items else (Outcome.UNDECIDED, "the test is not there")


def _records(record: Record | None) -> list[list[Any]]:
    return [words for words in record["records"] if words and type(words[0]) is str] if record is not None else []


def _words(parts: Sequence[object]) -> str:
    return str(parts[0])[:_LONGEST] if parts else ""


def _units(told: Sequence[Any]) -> tuple[Unit, ...]:
    units = [Unit(pair[0], pair[1]) for pair in told if _is_unit(pair)]
    if not units:
        raise UngradableSuiteError("it has no test; a test is a function whose name begins with test_")
    if len(units) > _MOST_UNITS or len({unit.name for unit in units}) < len(units):
        raise UngradableSuiteError(f"it has more than {_MOST_UNITS} tests, or two of one name")
    return tuple(units)


def _is_unit(pair: Any) -> bool:
    return (
        type(pair) is list
        and len(pair) == 2
        and type(pair[0]) is str
        and len(pair[0]) < _LONGEST
        and pair[0].isprintable()
        and type(pair[1]) is int
    )
