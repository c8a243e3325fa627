"""The first guest: it is started before it is known what it is for, and proves the tier that it came up in."""

import os
import socket

import pytest

from acidtest.mutants.sandbox import launcher
from acidtest.mutants.sandbox.forerunner import Forerunner
from acidtest.mutants.sandbox.guest import Zygote
from acidtest.mutants.sandbox.hosting import Host
from acidtest.mutants.sandbox.launcher import GuestProcess, LaunchError, NoTierError, Tier
from acidtest.mutants.sandbox.limits import Limits
from acidtest.mutants.sandbox.proxy import Proxies, parts_of
from acidtest.mutants.sandbox.subject import CHAPTER
from acidtest.mutants.tests.talks import REFERENCE, TARGET

LIMITS = Limits().of_forks()
OTHERS = Limits(memory_mb=128).of_forks()
SLOT = 9


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
        assert forerunner.guest(OTHERS) is None
        guest = forerunner.guest(LIMITS)
        assert guest is not None
        host = Host(guest)
        source = (TARGET / "rejection.py").read_bytes()
        host.load(CHAPTER, Proxies(CHAPTER).functions, REFERENCE, parts_of(CHAPTER, {"rejection.py": source}, False))
        conversation = host.converse(5.0, 20.0, 1)
        conversation.hello()
        assert conversation.call(0, (0.25, 0.5, 0.25), {}) is True
        host.finish(conversation)
        assert guest.poll() is None
    finally:
        forerunner.close()
    assert guest.poll() is not None
    assert forerunner.guest(LIMITS) is None
    forerunner.close()


@pytest.mark.usefixtures("boxed")
@pytest.mark.parametrize("broken", ["the guest stands", "its forks cannot", "it never stands"])
def test_a_guest_that_proves_nothing_is_ended_and_the_tiers_are_tried(
    broken: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[GuestProcess] = []
    begin = launcher.begin

    def noted(*how: object) -> GuestProcess:
        started.append(begin(*how))  # type: ignore[arg-type]
        return started[-1]

    monkeypatch.setattr(launcher, "begin", noted)
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
