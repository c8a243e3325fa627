"""The first guest: it is started before it is known what it is for, and proves the tier that it came up in."""

import os
import socket
from typing import Any

import pytest

from acidtest.mutants.sandbox import launcher
from acidtest.mutants.sandbox.faults import EndedFault
from acidtest.mutants.sandbox.forerunner import Forerunner
from acidtest.mutants.sandbox.guest import Zygote
from acidtest.mutants.sandbox.hosting import GuestProcess as Guest
from acidtest.mutants.sandbox.hosting import Host
from acidtest.mutants.sandbox.launcher import GuestProcess, LaunchError, NoTierError, Tier
from acidtest.mutants.sandbox.limits import Limits
from acidtest.mutants.sandbox.proxy import Proxies, parts_of
from acidtest.mutants.sandbox.subject import CHAPTER
from acidtest.mutants.tests.talks import REFERENCE, TARGET

LIMITS = Limits().of_forks()
OTHERS = Limits(memory_mb=128).of_forks()
SLOT = 9
SOURCE = (TARGET / "rejection.py").read_bytes()


@pytest.fixture
def boxed() -> None:
    """Go on only where a guest of the first tier can be had."""
    if why := launcher.refusal(Tier.BUBBLEWRAP):
        pytest.skip(why)


@pytest.mark.usefixtures("boxed")
def test_the_first_guest_proves_its_tier_and_holds_a_submission(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(launcher, "refusal", lambda tier: pytest.fail("a trial guest was launched"))
    forerunner = Forerunner(SLOT, LIMITS)
    try:
        assert forerunner.settle() is Tier.BUBBLEWRAP
        assert forerunner.guest(LIMITS) is None
        forerunner.open(LIMITS)
        assert forerunner.guest(OTHERS) is None
        lodging = forerunner.guest(LIMITS)
        assert lodging is not None
        assert first_answer(lodging, SOURCE) is True
    finally:
        forerunner.close()
    assert forerunner.guest(LIMITS) is None
    forerunner.close()


@pytest.mark.usefixtures("boxed")
def test_a_guest_lodges_submissions_one_after_another(started: list[GuestProcess]) -> None:
    forerunner = Forerunner(SLOT, LIMITS)
    try:
        forerunner.settle()
        for source, answer in (
            (SOURCE, True),
            (SOURCE.replace(b"return u < p_x / q_x", b"return 3"), 3),
            (SOURCE, True),
        ):
            forerunner.open(LIMITS)
            lodging = forerunner.guest(LIMITS)
            assert lodging is not None
            assert first_answer(lodging, source) == answer
            forerunner.clear()
            assert forerunner.guest(LIMITS) is None
        assert len(started) == 1
        forerunner.open(OTHERS)
        assert len(started) == 2
        assert started[0].poll() is not None
        assert forerunner.guest(LIMITS) is None
        assert forerunner.guest(OTHERS) is not None
    finally:
        forerunner.close()
    assert started[1].poll() is not None


@pytest.mark.usefixtures("boxed")
@pytest.mark.parametrize("why", ["it is not as it was", "it does not answer", "it answers something else"])
def test_a_guest_that_does_not_prove_that_nothing_is_left_is_ended(
    why: str, started: list[GuestProcess], monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_answer(host: Host) -> bool:
        raise EndedFault("gone")

    forerunner = Forerunner(SLOT, LIMITS)
    try:
        forerunner.settle()
        forerunner.open(LIMITS)
        with monkeypatch.context() as patching:
            if why == "it answers something else":
                patching.setattr(Host, "_ask", lambda host, *order: ["opened"])
            else:
                patching.setattr(Host, "clear", no_answer if why == "it does not answer" else lambda host: False)
            forerunner.clear()
        assert started[0].poll() is not None
        forerunner.open(LIMITS)
        lodging = forerunner.guest(LIMITS)
        assert lodging is not None
        assert first_answer(lodging, SOURCE) is True
        assert len(started) == 2
    finally:
        forerunner.close()


@pytest.mark.usefixtures("boxed")
def test_a_guest_that_opens_nothing_is_ended(started: list[GuestProcess], monkeypatch: pytest.MonkeyPatch) -> None:
    forerunner = Forerunner(SLOT, LIMITS)
    try:
        forerunner.settle()
        monkeypatch.setattr(Host, "_ask", lambda host, *order: ["cleared", True])
        forerunner.open(LIMITS)
        assert forerunner.guest(LIMITS) is None
        assert started[0].poll() is not None
    finally:
        forerunner.close()


def test_where_guests_have_no_namespace_of_processes_each_submission_gets_one() -> None:
    forerunner = Forerunner(SLOT, LIMITS, Tier.UNSAFE)
    forerunner.settle()
    forerunner.open(LIMITS)
    assert forerunner.guest(LIMITS) is None
    forerunner.clear()


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[GuestProcess]:
    """Return the guests that have been started, as they are."""
    found: list[GuestProcess] = []
    begin = launcher.begin

    def noted(*how: Any) -> GuestProcess:
        found.append(begin(*how))
        return found[-1]

    monkeypatch.setattr(launcher, "begin", noted)
    return found


def first_answer(guest: Guest, source: bytes) -> Any:
    """Return what a submission answers to a call of its first function, in a guest that it is handed to."""
    host = Host(guest)
    host.load(CHAPTER, Proxies(CHAPTER).functions, REFERENCE, parts_of(CHAPTER, {"rejection.py": source}, False))
    conversation = host.converse(5.0, 20.0, 1)
    conversation.hello()
    try:
        return conversation.call(0, (0.25, 0.5, 0.25), {})
    finally:
        host.finish(conversation)


@pytest.mark.usefixtures("boxed")
@pytest.mark.parametrize("broken", ["the guest stands", "its forks cannot", "it never stands"])
def test_a_guest_that_proves_nothing_is_ended_and_the_tiers_are_tried(
    broken: str, started: list[GuestProcess], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(launcher, "refusals", lambda: {Tier.BUBBLEWRAP: "not today"})
    if broken == "its forks cannot":
        monkeypatch.setattr(Host, "try_walls", lambda host: "in the fork: no")
    if broken == "it never stands":
        monkeypatch.setattr(launcher, "_READY", b"other words")
        monkeypatch.setattr(launcher, "_PATIENCE", 0.3)
    forerunner = Forerunner(SLOT, LIMITS)
    tier = forerunner.settle()
    assert tier is (Tier.BUBBLEWRAP if broken == "the guest stands" else Tier.LANDLOCK)
    if tier is Tier.LANDLOCK:
        assert started[0].poll() is not None
        assert forerunner.guest(LIMITS) is None
    forerunner.close()
    assert started[0].poll() is not None


def test_where_no_guest_can_be_started_the_reasons_are_said(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuses(*how: object) -> GuestProcess:
        raise LaunchError("no guest today")

    monkeypatch.setattr(launcher, "begin", refuses)
    launcher.refusals.cache_clear()
    forerunner = Forerunner(SLOT, LIMITS)
    with pytest.raises(NoTierError, match="bubblewrap: no guest today; landlock: no guest today"):
        forerunner.settle()
    launcher.refusals.cache_clear()
    assert forerunner.guest(LIMITS) is None
    forerunner.close()


def test_a_tier_that_was_asked_for_needs_no_proof(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(launcher, "begin", lambda *how: pytest.fail("a guest was launched"))
    forerunner = Forerunner(SLOT, LIMITS, Tier.UNSAFE)
    assert forerunner.settle() is Tier.UNSAFE
    assert forerunner.guest(LIMITS) is None


def test_a_fork_that_cannot_raise_its_walls_says_why() -> None:
    class NoWalls:
        def measure(self) -> None: ...

        def enter_zygote(self) -> None: ...

        def enter_fork(self) -> None:
            raise OSError("no filter here")

    class Worse(NoWalls):
        def enter_fork(self) -> None:
            raise ValueError("no such limit")

    class Dying(NoWalls):
        def enter_fork(self) -> None:
            os._exit(3)

    ours, theirs = socket.socketpair()
    with ours, theirs:
        assert Zygote(theirs, NoWalls())._try() == "in the fork: no filter here"
        assert Zygote(theirs, Worse())._try() == "in the fork: it ended with 1"
        assert Zygote(theirs, Dying())._try() == "in the fork: it ended with 3"
