"""One submission before the tests: its guest, a fork for each test, and what is made of a fork that breaks off."""

import base64
import gc
import time
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import hypothesis

from acidtest.mutants.calling import Speaker
from acidtest.mutants.channel import Channel, Record
from acidtest.mutants.sandbox import launcher
from acidtest.mutants.sandbox.battery import Questions, answer_texts
from acidtest.mutants.sandbox.conversation import Conversation
from acidtest.mutants.sandbox.faults import DeadlineFault, Fault, ProtocolFault, TooLargeFault
from acidtest.mutants.sandbox.forerunner import Forerunner
from acidtest.mutants.sandbox.hosting import FILES, Host, RefusedError
from acidtest.mutants.sandbox.limits import Limits
from acidtest.mutants.sandbox.proxy import Proxies, missing, parts_of
from acidtest.mutants.sandbox.subject import CHAPTER
from acidtest.mutants.session import Session

_LONGEST = 4000
_BREAKS = 5
_GARBAGE = 20_000
"""How many more objects there may be before they are looked through for garbage: 700 are made by every few examples."""


class UngradableError(Exception):
    """There is nothing to judge: the submission does not compile, cannot be imported, or lacks a function."""


class Judge:
    """Judges one submission, in a process of its own.

    Args:
        spec: the grader's first line. session: the collected tests. proxies: what the tests call.
        command: what to judge, and by what. forerunner: may have a guest for it. questions: the command's battery.
    """

    def __init__(
        self,
        spec: Record,
        channel: Channel,
        session: Session,
        proxies: Proxies,
        command: Record,
        forerunner: Forerunner,
        questions: Questions,
    ) -> None:
        self._spec = spec
        self._forerunner = forerunner
        self._channel = channel
        self._session = session
        self._proxies = proxies
        self._command = command
        self._questions = questions
        self._limits = Limits(**command.get("limits", {}))
        self._until = time.monotonic() + self._limits.seconds
        self._subject = CHAPTER
        self._forges = False
        self._split: dict[str, float] = {"start": 0.0, "forks": 0.0, "tests": 0.0}

    def run(self, _: Record) -> None:
        """Do what the command says and send what came of it."""
        gc.set_threshold(_GARBAGE)
        limits = self._limits.of_forks()
        begun = time.monotonic()
        guest = self._forerunner.guest(limits)
        if guest is None:
            self._forerunner.close()  # it would be in the way of another one in its slot
            guest = launcher.launch(launcher.Tier(self._spec["tier"]), self._spec["slot"], limits, FILES)
        host = Host(guest)
        try:
            try:
                self._load(host)
            except Fault as fault:
                raise UngradableError(f"compiling it takes the guest down: {fault.reason}") from None
            self._split["start"] = time.monotonic() - begun
            self._channel.send(kind="ready")
            absent = self._test(host, self._command.get("tests", ()))
            if self._questions.asked:
                self._answer(host)
            self._channel.send(kind="end", missing=absent, split=self._split)
        except (RefusedError, UngradableError) as error:
            self._channel.send(kind="ungradable", why=str(error))
        except Fault as fault:  # the guest's first process: no submission should be able to bring that about
            self._channel.send(kind="broken", why=fault.reason)
        finally:
            host.close()

    def _load(self, host: Host) -> None:
        files = {name: base64.b64decode(text) for name, text in self._command["submission"].items()}
        parts = parts_of(self._subject, files, self._command.get("own_deps", False))
        self._brought = frozenset(parts)
        paths = {name: Path(self._spec["source"], *name.split(".")).with_suffix(".py") for name in self._subject.beside}
        reference = {name: path.read_text("utf-8") for name, path in paths.items()}
        host.load(self._subject, self._proxies.functions, reference, parts)

    def _test(self, host: Host, tests: Sequence[str]) -> dict[str, str]:
        """Run tests and send their trials; return those that are not there, and why."""
        known = [test for test in tests if test in self._session.items]
        self._session.seed = self._command["seed"]
        self._session.directly = True  # what pytest does around a bare test takes longer than most of these tests
        for item in self._session.items.values():
            function: Any = getattr(item, "obj", None)
            if hypothesis.is_hypothesis_test(function):
                hypothesis.seed(self._command["seed"])(getattr(function, "__func__", function))
        for test in known:
            record = self._trial(host, test)
            if self._command.get("explain") and record["outcome"] == "failed" and self._session.let_shrink(test):
                self._trial(host, test)
                record["detail"] = self._session.example() or record["detail"]
            self._channel.send(**record)
        return {test: self._session.why_missing(test) for test in tests if test not in self._session.items}

    def _trial(self, host: Host, test: str) -> Record:
        """Run one test on a fresh fork and return its trial."""
        begun = time.monotonic()
        try:
            conversation = self._converse(host, test)
        except Fault as fault:
            return _faulty({"kind": "trial", "test": test, "detail": "", "seconds": 0.0, "examples": None}, fault)
        met = time.monotonic()
        try:
            record = self._session.run(test, None)
        finally:
            self._proxies.disconnect()
        ran = time.monotonic()
        host.finish(conversation)
        self._split["tests"] += ran - met
        self._split["forks"] += met - begun + time.monotonic() - ran
        record |= {"calls": conversation.calls, "wrote": conversation.wrote}
        broke = conversation.fault
        if isinstance(broke, DeadlineFault) and time.monotonic() >= self._until:  # how much was left is chance
            broke = _OutOfTime(f"the {self._limits.seconds:g} s for all tests were used up in this one")
        return _faulty(record, broke) if broke is not None else record

    def _converse(self, host: Host, about: str) -> Conversation:
        """Return a conversation with a fresh fork, connected to the proxies.

        Raises:
            UngradableError: the submission cannot be imported, or lacks a function. Fault: it did not come so far.
        """
        limits = self._limits
        seconds = min(limits.test_seconds, self._until - time.monotonic())
        if seconds <= 0:
            raise _OutOfTime(f"the {limits.seconds:g} s for all tests were used up before this one")
        seed = zlib.crc32(f"{self._command['seed']}:{about}".encode())
        conversation = host.converse(limits.call_seconds, seconds, seed)
        try:
            there = conversation.hello()
            if isinstance(there, str):
                raise UngradableError(f"it cannot be imported: {there}")
            if len(there) != len(self._proxies.functions):
                raise UngradableError("it does not say what it has")
            if lacking := missing(self._subject, self._proxies.functions, there):
                raise UngradableError(f"it lacks {', '.join(lacking)}")
        except BaseException:
            host.finish(conversation)
            raise
        self._proxies.connect(conversation, there, self._brought)
        return conversation

    def _answer(self, host: Host) -> None:
        """Answer calls by one fork; after one that breaks it, the rest by another; none by one that forges answers.

        Which of those that are on their way a forged one is taken for, is chance.
        """
        count = len(self._questions.asked)
        answers: list[str] = []
        breaks: dict[int, str] = {}
        while len(answers) < count:
            for text in self._answers(host, breaks, len(answers)):
                answers.append(text)
            if len(breaks) > _BREAKS:
                answers += [""] * (count - len(answers))
            if self._forges:
                answers = [""] * count
        self._channel.send(kind="answers", answers=answers, faults={str(at): why for at, why in breaks.items()})

    def _answers(self, host: Host, breaks: dict[int, str], first: int) -> Iterator[str]:
        """Yield answers until one breaks the fork; that one is empty, and its reason goes to ``breaks``."""
        begun = time.monotonic()
        try:
            conversation = self._converse(host, f"battery {first}")
        except Fault as fault:
            breaks[first] = fault.reason
            yield ""
            return
        self._split["forks"] += time.monotonic() - begun
        begun = time.monotonic()
        speaker = Speaker(self._questions.calls, by_place=True)
        for at, text in enumerate(answer_texts(conversation, speaker, self._questions, first), start=first):
            if conversation.fault is not None:
                breaks[at] = conversation.fault.reason
                yield ""
                break
            yield text if len(text) <= _LONGEST else f"{text[:_LONGEST]}… {zlib.crc32(text.encode()):08x}"
        self._proxies.disconnect()
        self._split["tests"] += time.monotonic() - begun
        host.finish(conversation)
        broke = conversation.fault
        self._forges |= isinstance(broke, ProtocolFault) and not isinstance(broke, TooLargeFault)


class _OutOfTime(Fault):
    outcome = "timed_out"


def _faulty(record: Record, fault: Fault) -> Record:
    return record | {"outcome": fault.outcome, "reason": fault.reason, "detail": ""}
