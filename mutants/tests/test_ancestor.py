"""A guest that lodges one submission after another: what the one before may have left, and that it is gone."""

import json
import os
import resource
import socket
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from acidtest.mutants.sandbox import ancestor, launcher, rehearsal
from acidtest.mutants.sandbox.ancestor import Ancestor, end_all, standing
from acidtest.mutants.sandbox.faults import EndedFault, ProtocolFault
from acidtest.mutants.sandbox.hosting import FILES, Host
from acidtest.mutants.sandbox.launcher import GuestLimits, GuestProcess, Tier, launch
from acidtest.mutants.sandbox.proxy import parts_of
from acidtest.mutants.sandbox.stage import GuestFiles
from acidtest.mutants.sandbox.subject import CHAPTER
from acidtest.mutants.tests.talks import ANYTHING, FUNCTIONS, REFERENCE
from acidtest.mutants.tests.test_walls import descendants, run

SLOT = 11
BEHIND = GuestFiles("behind", (("behind.py", Path(__file__).with_name("behind.py")), *FILES.modules))
"""A guest that does as a zygote might that a submission has taken over: it runs what it is sent."""


@pytest.fixture(autouse=True)
def boxed(request: pytest.FixtureRequest) -> None:
    """Go on only where a guest of the first tier can be had, if the test needs one."""
    if {"guest", "taken"} & set(request.fixturenames) and (why := launcher.refusal(Tier.BUBBLEWRAP)):
        pytest.skip(why)


@pytest.fixture
def guest() -> Iterator[GuestProcess]:
    with launch(Tier.BUBBLEWRAP, SLOT, GuestLimits(), FILES) as process:
        yield process


@pytest.fixture
def taken() -> Iterator[GuestProcess]:
    with launch(Tier.BUBBLEWRAP, SLOT, GuestLimits(), BEHIND) as process:
        process.control.settimeout(60)
        yield process


class Lent:
    """A zygote, as the forerunner lends it."""

    def __init__(self, control: socket.socket) -> None:
        self.control = control

    def poll(self) -> int | None:
        return None

    def close(self) -> None:
        self.control.close()


def lodged(guest: GuestProcess, source: str) -> Host:
    """Return the zygote of a submission in a guest."""
    host = Host(Lent(Host(guest).open()))
    host.load(CHAPTER, FUNCTIONS, REFERENCE, parts_of(CHAPTER, {"rejection.py": source.encode()}, False))
    return host


def told(guest: GuestProcess, source: str, text: str) -> Any:
    """Return what a submission that does as it is told makes of a function's text."""
    host = lodged(guest, source)
    conversation = host.converse(5.0, 20.0, 1)
    conversation.hello()
    try:
        return conversation.call(0, (text,), {})
    finally:
        host.finish(conversation)
        host.close()


def test_zygotes_are_processes_of_their_own_and_the_first_one_runs_nothing(guest: GuestProcess) -> None:
    line = "lambda: (os.getppid(), os.getpgid(0) == os.getpid(), 'left' in dir(np))"
    first = told(guest, f"{ANYTHING}\nnp.left = 1\n", line)
    assert Host(guest).clear()
    second = told(guest, ANYTHING, line)
    assert first[0] not in (1, 2, second[0])
    assert (first[1:], second[1:]) == ((True, True), (True, False))


def test_nothing_that_a_submission_started_is_there_after_it(guest: GuestProcess) -> None:
    family = 3
    assert len([guest.pid, *descendants(guest.pid)]) == family
    host = lodged(guest, ANYTHING)
    conversation = host.converse(0.2, 20.0, 1)
    conversation.hello()
    with pytest.raises(BaseException, match="longer"):
        conversation.call(0, ("lambda: time.sleep(60)",), {})
    assert len([guest.pid, *descendants(guest.pid)]) == family + 2
    assert Host(guest).clear()
    assert len([guest.pid, *descendants(guest.pid)]) == family
    host.finish(conversation)
    host.close()


def test_a_zygote_that_is_gone_takes_nobody_with_it(guest: GuestProcess) -> None:
    host = lodged(guest, ANYTHING)
    host.close()
    assert Host(guest).clear()
    assert told(guest, ANYTHING, "lambda: 5") == 5


def test_what_a_zygote_could_start_and_hide_is_found_and_ended(taken: GuestProcess) -> None:
    hiding = (
        "import os, signal, time\n"
        "from acidtest.mutants.sandbox.ancestor import end_all\n"
        "heard, told = os.pipe()\n"
        "for number in range(3):\n"
        "    if os.fork() == 0:\n"
        "        os.setsid()\n"
        "        for which in (signal.SIGTERM, signal.SIGHUP): signal.signal(which, signal.SIG_IGN)\n"
        "        if os.fork() == 0:\n"
        "            os.fork()\n"
        "            os.write(told, b'.')\n"
        "            while True: time.sleep(60)\n"
        "        os._exit(0) if number else time.sleep(60)\n"
        "seen = 0\n"
        "while seen < 6: seen += len(os.read(heard, 6))\n"
        "value = end_all()\n"
    )
    before = len(list(descendants(taken.pid)))
    assert run(taken, hiding, fork=False) == {"value": True}
    assert len(list(descendants(taken.pid))) == before
    assert run(taken, hiding.replace("value = end_all()", "value = seen"), fork=False) == {"value": 6}
    assert len(list(descendants(taken.pid))) == before + 9
    again = "from acidtest.mutants.sandbox.ancestor import end_all\nvalue = end_all()"
    assert run(taken, again, fork=False) == {"value": True}
    assert len(list(descendants(taken.pid))) == before


def test_a_process_may_not_change_the_one_that_it_was_forked_from(taken: GuestProcess) -> None:
    code = (
        "import os, resource\n"
        "parent, value = os.getpid(), []\n"
        "heard, told = os.pipe()\n"
        "if os.fork() == 0:\n"
        "    for attempt in (\n"
        "        lambda: resource.prlimit(parent, resource.RLIMIT_CPU, (1, 1)),\n"
        "        lambda: os.sched_setaffinity(parent, os.sched_getaffinity(0)),\n"
        "        lambda: os.setpriority(os.PRIO_PROCESS, parent, 19),\n"
        "        lambda: os.sched_setscheduler(parent, os.SCHED_BATCH, os.sched_param(0)),\n"
        "    ):\n"
        "        try:\n"
        "            attempt()\n"
        "            os.write(told, b'!')\n"
        "        except PermissionError:\n"
        "            os.write(told, b'.')\n"
        "    os._exit(0)\n"
        "os.close(told)\n"
        "while words := os.read(heard, 9): value.append(words.decode())\n"
        "os.wait()\n"
        "value = ''.join(value)\n"
    )
    assert run(taken, code, fork=False) == {"value": "...."}


def test_nothing_is_killed_where_the_namespace_is_not_the_guest_s_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "kill", lambda *_: pytest.fail("something was killed"))
    with pytest.raises(PermissionError):
        end_all()


class Standing:
    """Walls that stand."""

    def __init__(self, alone: bool) -> None:
        self.alone = alone

    def measure(self) -> None: ...

    def enter_zygote(self) -> None: ...

    def enter_fork(self) -> None: ...


def test_a_guest_whose_limits_have_changed_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        first = Ancestor(theirs, Standing(alone=True))
        monkeypatch.setattr(ancestor, "end_all", lambda: False)
        assert json.loads(first._obey("clear", [], b"", [])) == ["cleared", False]
        monkeypatch.setattr(ancestor, "end_all", lambda: True)
        assert json.loads(first._obey("clear", [], b"", [])) == ["cleared", True]
        soft, hard = resource.getrlimit(resource.RLIMIT_CORE)
        resource.setrlimit(resource.RLIMIT_CORE, (0 if soft else min(4096, hard) if hard >= 0 else 4096, hard))
        try:
            assert json.loads(first._obey("clear", [], b"", [])) == ["cleared", False]
        finally:
            resource.setrlimit(resource.RLIMIT_CORE, (soft, hard))
        assert first._standing == standing()


@pytest.mark.parametrize("order", ["open", "clear"])
def test_a_guest_among_others_is_for_one_submission(order: str) -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs, pytest.raises(ProtocolFault):
        Ancestor(theirs, Standing(alone=False))._obey(order, [], b"", [])
    with launch(Tier.UNSAFE, 0, GuestLimits(), FILES) as process, pytest.raises(EndedFault):
        Host(process).open()


def test_a_guest_that_holds_a_submission_lodges_no_other(guest: GuestProcess) -> None:
    host = Host(guest)
    host.load(CHAPTER, FUNCTIONS, REFERENCE, parts_of(CHAPTER, {"rejection.py": ANYTHING.encode()}, False))
    with pytest.raises(EndedFault):
        host.open()


def test_the_rehearsal_goes_to_its_end_and_leaves_no_filter(monkeypatch: pytest.MonkeyPatch) -> None:
    heard: list[Any] = []

    def send(script: object, frame: bytes) -> int:
        heard.append(json.loads(frame[8:]))
        return len(frame)

    monkeypatch.setattr(rehearsal._Script, "send", send)
    monkeypatch.setattr(rehearsal, "_ROUNDS", 1)
    before = (list(warnings.filters), warnings.showwarning)
    rehearsal.rehearse()
    assert (list(warnings.filters), warnings.showwarning) == before
    assert [answer[0] for answer in heard] == ["hello", "=", "=", "=", "=", "!", "+", "="]
    assert heard[6][1] == [[number, True] for number in range(1, 9)]
