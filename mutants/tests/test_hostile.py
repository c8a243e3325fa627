"""Hostile and broken submissions, each of its own kind: none passes, each is named, and none touches the host.

The usual run judges every kind in the tier that this machine can have, and some where namespaces are refused; with
``ACIDTEST_LONG`` all of them there.
"""

import os
import shutil
import socket
import stat
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from acidtest.mutants.sandbox.desk import Budget, Desk
from acidtest.mutants.sandbox.intake import Submission, take
from acidtest.mutants.sandbox.intake_text import IntakeError
from acidtest.mutants.tests.hostile_kinds import MARK, Bait, Kind, kinds
from acidtest.mutants.workload import find_workload
from acidtest.reports.assessing import tidy
from acidtest.reports.grading import Standing, seed_of, standing_of

ROOT = Path(__file__).parents[2]
WORKLOAD = find_workload(ROOT)
REFERENCE = WORKLOAD.read("tinyllm.prob.rejection")
KINDS = kinds()
SLOT = 41
MEMORY_MB = 128
CANARY = "canary-in-the-environment"
ELSEWHERE = (
    *("ends_at_call", "ends_by_segfault", "ends_its_parent", "equals_everything", "steals_the_reference_from_disk"),
    *("forges_an_answer", "starts_programs", "leaves_a_daemon", "eats_memory", "fills_the_disk", "loops_for_ever"),
    *("connects_by_every_way", "listens", "reads_secrets_of_the_environment", "reads_secrets_on_disk"),
    *("looks_into_other_processes", "changes_files_of_the_host", "becomes_somebody_else", "leaves_notes"),
)
"""The kinds that lean on the walls most, judged where namespaces are refused too."""
LONG = bool(os.environ.get("ACIDTEST_LONG"))


class Host:
    """What the submissions are after, and whether one got there.

    Args:
        folder: an empty one, for a file that nobody may read or change.
    """

    def __init__(self, folder: Path) -> None:
        self._secret = folder / "secret"
        self._secret.write_text("nobody reads this")
        self._server = socket.create_server(("127.0.0.1", 0))
        self._server.setblocking(False)
        self.bait = Bait(os.getpid(), self._server.getsockname()[1], folder, WORKLOAD.source)
        self._before = self._looks()

    def _looks(self) -> tuple[object, ...]:
        state = self._secret.lstat()
        return os.listdir(self.bait.folder), stat.filemode(state.st_mode), state.st_size, state.st_mtime_ns

    def check(self, others: set[int]) -> None:
        """Assert that nothing was touched and nothing is left; ``others`` are the processes that were there before."""
        assert self._looks() == self._before
        for folder in (Path("/"), Path("/tmp"), Path("/var/tmp"), Path("/dev/shm"), Path.cwd(), WORKLOAD.source):
            assert not (folder / MARK).exists(), folder
        with pytest.raises(BlockingIOError):
            self._server.accept()
        assert set(descendants(os.getpid())) <= others

    def close(self) -> None:
        self._server.close()


def processes() -> Iterator[tuple[int, int]]:
    """Yield each living process of this machine with its user."""
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal():
            try:
                if (entry / "stat").read_text().rpartition(")")[2].split()[0] not in "ZX":
                    yield int(entry.name), entry.stat().st_uid
            except (FileNotFoundError, ProcessLookupError):
                continue


def is_guest(uid: int) -> bool:
    """Return whether a user is one that guests of this slot become where root launches them."""
    return any(base <= uid < base + 1000 and (uid - base) % 64 == SLOT for base in (1_900_000_000, 60_600))


def outliving() -> set[int]:
    """Return the guests' processes that do not end. Another run's guests, whose slot is this one too, soon do."""
    left = {pid for pid, uid in processes() if is_guest(uid)}
    end = time.monotonic() + 30
    while left and time.monotonic() < end:
        time.sleep(0.1)
        left &= {pid for pid, uid in processes() if is_guest(uid)}
    return left


def listening() -> list[str]:
    """Return the lines of the kernel's tables for TCP sockets that listen."""
    lines = [line for name in ("tcp", "tcp6") for line in Path(f"/proc/net/{name}").read_text().splitlines()[1:]]
    return [line for line in lines if line.split()[3] == "0A"]


def descendants(pid: int) -> Iterator[int]:
    """Yield the processes below one that live."""
    for task in Path(f"/proc/{pid}/task").glob("*"):
        try:
            children = (task / "children").read_text().split()
        except (FileNotFoundError, ProcessLookupError):
            continue
        for child in map(int, children):
            yield child
            yield from descendants(child)


@pytest.fixture(scope="module")
def desk() -> Iterator[Desk]:
    """Yield a desk that has judged already: where one guest takes all that is judged within these limits, it stands."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ACIDTEST_CANARY", CANARY)
        desk = Desk(WORKLOAD, slot=SLOT)
        first = Submission("reference", {"rejection.py": REFERENCE.encode()}, "")
        desk.judge(first, 1, [desk.tests()[0].id], budget=Budget(memory_mb=MEMORY_MB))
        assert desk.tier == int(os.environ.get("ACIDTEST_TIER", desk.tier)) > 0
        yield desk
        desk.close()


@pytest.fixture(scope="module")
def host(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Host]:
    host = Host(tmp_path_factory.mktemp("host"))
    yield host
    host.close()


def judged(kind: Kind, folder: Path, desk: Desk, bait: Bait) -> tuple[Standing, str]:
    """Return how a submission of a kind stands, and the words of its result, as they are shown."""
    try:
        submission = take(kind.build(folder, REFERENCE, bait))
    except IntakeError as error:
        return Standing.UNGRADABLE, str(error)
    ids = {test.name: test.id for test in desk.tests()}
    budget = Budget(call_seconds=kind.call_seconds, memory_mb=MEMORY_MB)
    came = desk.judge(submission, seed_of("", submission.sha256), [ids[name] for name in kind.tests], budget=budget)
    if came.ungradable:
        return Standing.UNGRADABLE, tidy(came.ungradable)
    words = [f"{tidy(trial.reason)} {tidy(trial.detail)}" for trial in came.trials if trial.outcome != "passed"]
    return standing_of(came.trials), "\n".join(words)


@pytest.mark.parametrize("name", KINDS)
def test_a_hostile_submission_passes_nothing_is_named_and_leaves_the_host_alone(
    name: str, desk: Desk, host: Host, tmp_path: Path
) -> None:
    others = set(descendants(os.getpid()))
    standing, words = judged(KINDS[name], tmp_path, desk, host.bait)
    host.check(others)
    assert standing in KINDS[name].stands
    assert KINDS[name].says in words
    assert words.strip()
    assert "\x1b" not in words


def test_there_are_kinds_enough() -> None:
    assert len(KINDS) >= 60
    assert {stands for kind in KINDS.values() for stands in kind.stands} == {"failed", "stopped", "ungradable"}


def test_what_is_judged_after_all_of_them_is_judged_as_ever(desk: Desk, tmp_path: Path) -> None:
    """The one desk that met every kind still passes what is right."""
    (tmp_path / "rejection.py").write_text(REFERENCE)
    submission = take(tmp_path / "rejection.py")
    came = desk.judge(submission, 1, [test.id for test in desk.tests() if test.chapter])
    assert standing_of(came.trials) is Standing.PASSED


def test_no_process_and_no_server_of_them_is_left(desk: Desk) -> None:
    desk.close()  # its guest's first process, which none of them ever had, is there till then
    assert outliving() == set()
    assert [line for line in listening() if is_guest(int(line.split()[7]))] == []


def test_the_same_holds_where_namespaces_are_refused() -> None:
    refusing = [sys.executable, str(Path(__file__).with_name("refusing.py")), "namespaces"]
    every = test_a_hostile_submission_passes_nothing_is_named_and_leaves_the_host_alone.__name__
    nodes = [f"{__file__}::{every}[{name}]" for name in (KINDS if LONG else ELSEWHERE)]
    nodes.append(f"{__file__}::{test_no_process_and_no_server_of_them_is_left.__name__}")
    command = [*refusing, sys.executable, "-m", "pytest", "-n", "0", "-q", f"--rootdir={ROOT}", *nodes]
    done = subprocess.run(
        command, env=os.environ | {"ACIDTEST_TIER": "2"}, cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout[-3000:]
    assert f"{len(nodes)} passed" in done.stdout


@pytest.mark.skipif(shutil.which("bwrap") is None, reason="needs bubblewrap, to be told apart from the second tier")
def test_the_usual_run_is_behind_the_first_tier(desk: Desk) -> None:
    assert desk.tier == 1 or "ACIDTEST_TIER" in os.environ
