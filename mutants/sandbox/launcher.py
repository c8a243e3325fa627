"""Starts guests: chooses the walls that this machine can raise, and ends all that a guest ever was.

Two tiers hold. *Bubblewrap* builds a root of its own for the guest, in namespaces of its own; *Landlock* does without
namespaces, which many containers refuse. No isolation at all is a third, for those who ask for it by name.
"""

import contextlib
import enum
import functools
import json
import os
import select
import socket
import subprocess
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Self

from acidtest.mutants.sandbox import bubblewrap, slots
from acidtest.mutants.sandbox.interior import InteriorError
from acidtest.mutants.sandbox.stage import GuestFiles, Stage, stage
from acidtest.mutants.sandbox.walls import GuestLimits

__all__ = [
    "GuestFiles",
    "GuestLimits",
    "GuestProcess",
    "LaunchError",
    "NoTierError",
    "Tier",
    "begin",
    "choose_tier",
    "launch",
    "prepare",
    "refusal",
    "refusals",
]

_PATIENCE = 30.0
_READY = b"the walls stand\n"
_TRIAL = GuestFiles(
    "acidtest.mutants.sandbox.trial", (("acidtest/mutants/sandbox/trial.py", Path(__file__).with_name("trial.py")),)
)
_TRIAL_SLOT = 63
_ENVIRONMENT = {"PYTHONHASHSEED": "0"}
"""Sets of texts in one order, or the same submission might get another grade."""


class Tier(enum.IntEnum):
    """How a guest is kept in."""

    UNSAFE = 0
    BUBBLEWRAP = 1
    LANDLOCK = 2


class LaunchError(Exception):
    """A guest's walls could not be raised; one line with the reason."""


class NoTierError(Exception):
    """No tier holds on this machine; one line with the reason for each."""


class GuestProcess:
    """A guest behind its walls.

    Attributes:
        tier: how it is kept in.
        control: the stream on which its main module is spoken to.
        pid: the process that was started: bubblewrap, or the guest itself.
    """

    def __init__(
        self,
        tier: Tier,
        process: "subprocess.Popen[bytes]",
        control: socket.socket,
        words: int,
        ending: contextlib.ExitStack,
    ) -> None:
        self.tier = tier
        self.control = control
        self.pid = process.pid
        self._process = process
        self._words = words
        self._ending = ending

    def stand(self) -> None:
        """Wait until its walls stand and its main module is imported; call it once.

        Raises:
            LaunchError: they will not, and the guest is ended.
        """
        try:
            _await(self._words)
        except BaseException:
            self.close()
            raise

    def poll(self) -> int | None:
        """Return how it ended (negative for a signal), or None while it runs."""
        return self._process.poll()

    def close(self) -> None:
        """End it, with everything that it started, and wait until nothing is left. Closing again does nothing.

        Raises:
            LaunchError: something of it would not die.
        """
        self._ending.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


def choose_tier(unsafe: bool = False) -> Tier:
    """Return the first tier whose walls a trial guest could raise here; tried once in a process.

    Raises:
        NoTierError: none; the message says why each was refused.
    """
    if unsafe:
        return Tier.UNSAFE
    reasons = refusals()
    for tier in (Tier.BUBBLEWRAP, Tier.LANDLOCK):
        if tier not in reasons:
            return tier
    words = "; ".join(f"{tier.name.lower()}: {reason}" for tier, reason in reasons.items())
    raise NoTierError(f"no sandbox can be built on this machine: {words}")


@functools.cache
def refusals() -> Mapping[Tier, str]:
    """Return which tiers failed their trial, and why. A tier behind one that held is not tried."""
    reasons: dict[Tier, str] = {}
    for tier in (Tier.BUBBLEWRAP, Tier.LANDLOCK):
        reason = refusal(tier)
        if reason is None:
            break
        reasons[tier] = reason
    return reasons


def refusal(tier: Tier) -> str | None:
    """Launch a guest that raises all walls, its fork's too, and return why that failed; None where it did not."""
    try:
        with launch(tier, _TRIAL_SLOT, GuestLimits(), _TRIAL) as guest:
            guest.control.settimeout(_PATIENCE)
            answer = guest.control.recv(4096).decode(errors="replace")
            return None if answer == "ok" else answer or "the trial guest ended without a word"
    except (LaunchError, OSError) as error:
        return str(error)


def prepare(tier: Tier, files: GuestFiles) -> None:
    """Do what all guests with these files share: call it in the process whose forks will launch them.

    Raises:
        LaunchError: the files, the interpreter or numpy cannot be had.
    """
    _staged(tier, files)


def _staged(tier: Tier, files: GuestFiles) -> Stage:
    try:
        return stage(files, tier is Tier.BUBBLEWRAP, tier is Tier.LANDLOCK and os.geteuid() == 0)
    except (OSError, InteriorError) as error:
        raise LaunchError(str(error)) from error


def launch(tier: Tier, slot: int, limits: GuestLimits, files: GuestFiles) -> GuestProcess:
    """Start a guest and return it once its walls stand and its main module is imported; see ``begin``.

    Raises:
        LaunchError: the walls cannot be raised.
    """
    guest = begin(tier, slot, limits, files)
    guest.stand()
    return guest


def begin(tier: Tier, slot: int, limits: GuestLimits, files: GuestFiles) -> GuestProcess:
    """Start a guest and return it at once; nothing is to be said to it before it stands.

    It dies with the thread that launches it.

    Args:
        slot: which of the guests that run at once; where root launches, each becomes a user of its own.

    Raises:
        LaunchError: it cannot be started.
    """
    staged = _staged(tier, files)
    with contextlib.ExitStack() as ending:
        uid = None
        if os.geteuid() == 0 and tier is not Tier.UNSAFE:
            try:
                claim = slots.claim(slot)
            except (OSError, slots.SlotTakenError) as error:
                raise LaunchError(str(error)) from error
            ending.callback(claim.release)
            uid = claim.uid
        ours, theirs = socket.socketpair()
        ending.callback(ours.close)
        heard, told = os.pipe()
        ending.callback(os.close, heard)
        with theirs, os.fdopen(told, "wb", buffering=0) as words:
            boxed = tier is Tier.BUBBLEWRAP
            settings = {
                "control": theirs.fileno(),
                "main": files.main,
                "path": bubblewrap.path(staged) if boxed else staged.path(),
                "held": [] if boxed else staged.held,
                "readable": staged.readable() if tier is Tier.LANDLOCK else None,
                "identity": None if uid is None else [uid, uid],
                "filtered": tier is not Tier.UNSAFE,
                "limits": limits._asdict(),
                "parent": None if boxed else os.getpid(),
            }
            process, end = (_start_boxed if boxed else _start_plain)(staged, settings, uid, words.fileno())
            ending.callback(end)
        return GuestProcess(tier, process, ours, heard, ending.pop_all())


def _command(staged: Stage, guest: str, settings: Mapping[str, Any]) -> list[str]:
    script = f"{guest}/acidtest/mutants/sandbox/start.py"
    return [str(staged.interior.python), "-P", "-s", "-S", "-B", "-X", "utf8", script, guest, json.dumps(settings)]


def _popen(command: list[str], words: int, *fds: int) -> "subprocess.Popen[bytes]":
    """Start a program whose environment says nothing: nobody can read there what nobody put there."""
    null = subprocess.DEVNULL
    return subprocess.Popen(
        command, stdin=null, stdout=null, stderr=words, env=_ENVIRONMENT, cwd="/", pass_fds=fds, start_new_session=True
    )


def _start_plain(
    staged: Stage, settings: Mapping[str, Any], uid: int | None, words: int
) -> tuple["subprocess.Popen[bytes]", Callable[[], None]]:
    process = _popen(_command(staged, str(staged.folder / "guest"), settings), words, settings["control"])

    def end() -> None:
        process.kill()
        process.wait()
        left = slots.sweep(process.pid, uid)
        if left:
            raise LaunchError(f"processes of the guest would not die: {left}")

    return process, end


def _start_boxed(
    staged: Stage, settings: Mapping[str, Any], uid: int | None, words: int
) -> tuple["subprocess.Popen[bytes]", Callable[[], None]]:
    try:
        bwrap = bubblewrap.find()
    except bubblewrap.NoBubblewrapError as error:
        raise LaunchError(str(error)) from error
    command = _command(staged, bubblewrap.GUEST, settings)
    with bubblewrap.options_file(staged, root=uid is not None) as (options, information, inherited):
        process = _popen([str(bwrap), "--args", str(options), "--", *command], words, settings["control"], *inherited)
    inner = bubblewrap.first_process(information)

    def end() -> None:
        gone = bubblewrap.kill(inner, _PATIENCE)
        process.kill()
        process.wait()
        if not gone:
            raise LaunchError("the guest's namespace would not end")

    return process, end


def _await(report: int) -> None:
    """Read what is said until the walls stand.

    Raises:
        LaunchError: they will not; the last line that was said.
    """
    said = b""
    end = time.monotonic() + _PATIENCE
    while _READY not in said:
        if not select.select([report], [], [], max(0.0, end - time.monotonic()))[0]:
            raise LaunchError(f"the guest's walls did not stand within {_PATIENCE:g} s")
        chunk = os.read(report, 4096)
        if not chunk:
            lines = said.decode(errors="replace").strip().splitlines()
            raise LaunchError(lines[-1] if lines else "the guest ended before its walls stood")
        said = said[-65536:] + chunk
