"""Whom a guest becomes where root starts it, and how everything of it is found again and ended."""

import contextlib
import errno
import os
import signal
import socket
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_HIGH, _LOW = 1_900_000_000, 60_600
"""Where the users begin that guests become: numbers that no system hands out. The low ones serve in containers that
map 65536 users."""
_STRIDE, _TRIES = 64, 9


class SlotTakenError(Exception):
    """Every user that the slot could use has a guest of somebody else's."""


@dataclass(frozen=True, slots=True)
class Claim:
    """A user that no other guest of this machine has, as long as ``lock`` is open."""

    uid: int
    lock: socket.socket

    def release(self) -> None:
        """Let others have the user."""
        self.lock.close()


def claim(slot: int) -> Claim:
    """Return a user for the slot. The claim is an abstract socket: it ends with the process, whatever ends that.

    Raises:
        SlotTakenError: all that it could use are taken.
    """
    base = _HIGH if _is_mapped(_HIGH + _STRIDE * _TRIES) else _LOW
    for uid in range(base + slot % _STRIDE, base + _STRIDE * _TRIES, _STRIDE):
        lock = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        try:
            lock.bind(f"\0acidtest-guest-{uid}")
            return Claim(uid, lock)
        except OSError as error:
            lock.close()
            if error.errno != errno.EADDRINUSE:
                raise
    raise SlotTakenError(f"slot {slot}: every user that its guest could become is taken; wait for the other graders")


def _is_mapped(uid: int) -> bool:
    try:
        lines = Path("/proc/self/uid_map").read_text().splitlines()
    except OSError:
        return True
    ranges = [tuple(map(int, line.split())) for line in lines]
    return any(first <= uid < first + count for first, _, count in ranges)


def sweep(session: int, uid: int | None, seconds: float = 5.0) -> list[int]:
    """Kill every process of a guest's session, and of its user where it had one; return those that would not die."""
    end = time.monotonic() + seconds
    while left := [pid for pid, owner, group in _processes() if group == session or owner == uid]:
        for pid in left:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        if time.monotonic() > end:
            return left
        time.sleep(0.002)
    return []


def _processes() -> Iterator[tuple[int, int, int]]:
    """Yield process, user and session of whatever runs here; what has ended and waits to be collected does not."""
    for entry in os.scandir("/proc"):
        if not entry.name.isdecimal():
            continue
        with contextlib.suppress(OSError, IndexError, ValueError):
            place = Path(entry.path)
            words = (place / "stat").read_bytes().rpartition(b")")[2].split()
            if words[0] not in (b"Z", b"X"):
                status = (place / "status").read_bytes()
                owner = status.partition(b"\nUid:")[2].split(None, 1)[0]
                yield int(entry.name), int(owner), int(words[3])
