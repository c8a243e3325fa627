"""Puts a guest behind the walls of a tier and lets it try to break out: does the sandbox hold on this machine?"""

import contextlib
import json
import os
import secrets
import signal
import socket
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from acidtest.mutants.sandbox import launcher
from acidtest.mutants.sandbox.interior import Interior, look_up
from acidtest.mutants.sandbox.launcher import GuestProcess, LaunchError, Tier
from acidtest.mutants.sandbox.stage import GuestFiles
from acidtest.mutants.sandbox.walls import GuestLimits

SUBJECTS = {
    "calculate": "a right submission can import and compute",
    "read_host": "reads no file of the host",
    "write_outside": "writes nowhere",
    "fill_disk": "takes no room on disk",
    "read_environment": "finds no secret in an environment",
    "use_network": "has no network",
    "reach_others": "reaches no other process",
    "multiply": "starts no process, thread or program",
    "eat_memory": "has no memory beyond its limit",
    "eat_processor": "ends when its processor time does",
    "become_more": "gains no privilege",
    "notes": "leaves nothing for the next fork",
    "leave_daemon": "leaves no process behind",
}
"""What holds where a probe does: "the guest ..."."""

_ROOM = Path(__file__).parent
_OURS = ("probes", "tally", "try_files", "try_processes", "try_resources")
FILES = GuestFiles(
    "acidtest.mutants.sandbox.probes",
    tuple((f"acidtest/mutants/sandbox/{name}.py", _ROOM / f"{name}.py") for name in _OURS),
)
LIMITS = GuestLimits(memory_mb=128, cpu_seconds=1)
_SLOT = 62
_PATIENCE = 60.0
_VARIABLE = "ACIDTEST_DOCTOR"
_FOLDERS = ("/", "/etc", "/tmp", "/var/tmp", "/dev", "/dev/shm", "/run", "/run/lock", "/home", "/guest", "/packages")


@dataclass(frozen=True, slots=True)
class Probe:
    """What came of one subject.

    Attributes:
        name: a key of ``SUBJECTS``.
        tried: how many ways were tried.
        managed: those that led somewhere; none where the walls hold.
        held: whether the walls do what they are for.
    """

    name: str
    tried: int
    managed: tuple[str, ...]
    held: bool


@dataclass(frozen=True, slots=True)
class Examination:
    """The walls of one tier, probed.

    Attributes:
        tier: how the guest was kept in.
        refused: the tiers that come before it and cannot be had here, each with the reason.
        probes: one for each of ``SUBJECTS``, in that order.
    """

    tier: Tier
    refused: Mapping[Tier, str]
    probes: tuple[Probe, ...]

    @property
    def held(self) -> bool:
        """Whether every probe held."""
        return all(probe.held for probe in self.probes)


def examine(tier: Tier | None = None) -> Examination:
    """Probe a tier; the one that grading would use where none is named.

    Raises:
        NoTierError: no tier holds here.
        LaunchError: the named one cannot be raised.
    """
    if tier is None:
        chosen, refused = launcher.choose_tier(), launcher.refusals()
    else:
        chosen, refused = tier, {}
        if tier is not Tier.UNSAFE and (reason := launcher.refusal(tier)) is not None:
            raise LaunchError(reason)
    launcher.prepare(chosen, FILES)
    with _host() as arguments:
        guest = launcher.launch(chosen, _SLOT, LIMITS, FILES)
        with contextlib.closing(guest), guest.control.dup() as other_end:
            told = {name: _ask(guest, name, arguments.get(name, {})) for name in SUBJECTS if name != "notes"}
            _ask(guest, "leave_note", arguments["notes"])
            told["notes"] = _ask(guest, "find_note", arguments["notes"])
            told["leave_daemon"] = told["leave_daemon"] | _left(guest, other_end)
    return Examination(chosen, dict(refused), tuple(_probe(name, told[name]) for name in SUBJECTS))


def _probe(name: str, told: Mapping[str, Any]) -> Probe:
    managed, tried, status = tuple(told["managed"]), told["tried"], told["status"]
    if name == "eat_processor":  # it is killed before it could tell
        tried, ended = 1, -signal.SIGKILL
    else:
        ended = 0
    if status != ended and not managed:
        managed = (f"the fork ended with {status} and not with {ended}",)
    if not tried and not managed:
        managed = ("nothing was tried",)
    return Probe(name, tried, managed, not managed)


def _ask(guest: GuestProcess, probe: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Let the guest try one subject.

    Raises:
        LaunchError: it does not answer.
    """
    guest.control.settimeout(_PATIENCE)
    try:
        guest.control.sendall(json.dumps({"probe": probe, "arguments": arguments}).encode() + b"\n")
        answer = b""
        while not answer.endswith(b"\n"):
            chunk = guest.control.recv(1 << 16)
            if not chunk:
                raise LaunchError(f"the guest ended during the probe {probe}")
            answer += chunk
    except OSError as error:
        raise LaunchError(f"the guest does not answer the probe {probe}: {error}") from error
    return dict(json.loads(answer))


def _left(guest: GuestProcess, other_end: socket.socket) -> dict[str, Any]:
    """Close the guest and tell whether somebody still holds its end of the control stream."""
    guest.close()
    other_end.settimeout(5.0)
    try:
        while other_end.recv(1 << 16):
            pass
    except TimeoutError:
        return {"managed": ["a process that outlives the guest"]}
    return {}


@contextlib.contextmanager
def _host() -> Iterator[dict[str, dict[str, Any]]]:
    """Prepare what the guest must not reach, open to any user of this machine, and yield each probe's arguments."""
    secret = secrets.token_hex(16)
    name = f"acidtest-probe-{secret[:8]}"
    root = os.getuid() == 0
    with contextlib.ExitStack() as undo:
        folder = Path(undo.enter_context(tempfile.TemporaryDirectory(prefix="acidtest-doctor-")))
        folder.chmod(0o777)
        canary = folder / "canary.txt"
        canary.write_text(secret)
        canary.chmod(0o644)
        os.environ[_VARIABLE] = secret
        undo.callback(os.environ.pop, _VARIABLE)
        listener = undo.enter_context(socket.create_server(("127.0.0.1", 0)))
        abstract = undo.enter_context(socket.socket(socket.AF_UNIX))
        abstract.bind(f"\0{name}")
        abstract.listen()
        house = Path(__file__).resolve().parents[2]
        reference = house / "target" / "tinyllm" / "prob" / "rejection.py"
        files = ["/etc/passwd", "/etc/shadow", "/proc/1/environ", f"/proc/{os.getpid()}/environ", "/proc/meminfo"]
        places = [*_FOLDERS, str(Path.home()), str(Path.cwd()), str(folder), str(house)]
        writing = {"folders": places, "name": name}
        yield {
            "read_host": {
                "files": [*files, str(canary), str(reference), __file__],
                "folders": {place: names for place in places if (names := _hidden_names(Path(place), look_up()))},
            },
            "write_outside": writing,
            "notes": writing,
            "read_environment": {"secret": secret},
            "use_network": {"port": listener.getsockname()[1], "abstract": name},
            "reach_others": {"pids": [os.getpid()]},
            "eat_memory": {"limit_mb": LIMITS.memory_mb},
            "become_more": {"uid": 0 if root else None},
        }


def _hidden_names(folder: Path, interior: Interior) -> list[str]:
    """Return what is in a folder of the host and not on the way to anything that a guest is given."""
    given = (interior.python, interior.stdlib, *interior.dynamic, *interior.packages, *interior.libraries)
    try:
        names = os.listdir(folder)
    except OSError:
        return []
    shared = {"null", "urandom"} if folder == Path("/dev") else {"guest", "packages", "dev"}
    return sorted(
        name for name in names if name not in shared and not any(path.is_relative_to(folder / name) for path in given)
    )[:100]
