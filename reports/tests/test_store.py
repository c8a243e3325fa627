"""Runs survive what happens to a process and to a disk, and come back as they were."""

import os
import signal
import sqlite3
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from acidtest.mutants.model import Outcome, Trial, Variant
from acidtest.reports.key import run_key
from acidtest.reports.store import RunRecorder, Store, StoreError
from acidtest.reports.tests.hand_made import matrix, run_of

WRITER = """
import sys
from pathlib import Path
from acidtest.mutants.model import Outcome, Trial
from acidtest.reports.store import Store
recorder = Store(Path(sys.argv[1])).begin("key", {"who": "writer"})
print("begun", len(recorder.kept()), flush=True)
for number in range(int(sys.argv[2])):
    recorder.record(Trial("s01", f"test_{number}", Outcome.PASSED, detail="x" * 200))
    print(number, flush=True)
sys.stdin.read()
"""


def writer(folder: Path, trials: int) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", WRITER, str(folder), str(trials)],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip


def end(process: subprocess.Popen[str]) -> None:
    process.kill()
    process.communicate()


def test_finished_run_comes_back_equal(tmp_path: Path) -> None:
    run = run_of(matrix("abc", s01="K.-", s02="TCU", s03="S  "), problems=("s03 has no outcome",), resumed=3)
    with Store(tmp_path) as store:
        recorder = store.begin("key", {"workload": "demo"})
        for trial in run.matrix.trials[:4]:
            recorder.record(trial)
        recorder.finish(run)
    with Store(tmp_path) as store:
        assert store.latest() == run
        assert store.load(recorder.run_id) == run
        assert store.runs()[0].meta == {"workload": "demo"}


def test_unfinished_run_goes_on_under_its_key_only(tmp_path: Path) -> None:
    trial = Trial("s01", "test_a", Outcome.FAILED, "assertion", "1 != 2", 0.25, 3)
    with Store(tmp_path) as store:
        first = store.begin("key", {})
        first.record(trial)
    with Store(tmp_path) as store:
        assert store.begin("other", {}).kept() == {}
        again = store.begin("key", {})
        assert again.run_id == first.run_id
        assert again.kept() == {("s01", "test_a"): trial}
        assert store.latest() is None


def test_finished_run_begins_anew(tmp_path: Path) -> None:
    run = run_of(matrix("a", s01="K"))
    with Store(tmp_path) as store:
        first = store.begin("key", {})
        first.finish(run)
        second = store.begin("key", {})
        assert (second.run_id == first.run_id, second.kept()) == (False, {})


def test_latest_is_the_run_that_finished_last(tmp_path: Path) -> None:
    with Store(tmp_path) as store:
        early, late = store.begin("early", {}), store.begin("late", {})
        late.finish(run_of(matrix("a", s01="K"), seed=1))
        early.finish(run_of(matrix("a", s01="K"), seed=2))
        latest = store.latest()
    assert latest is not None
    assert latest.seed == 2


def test_trial_has_one_row_and_the_first_one_stays(tmp_path: Path) -> None:
    with Store(tmp_path) as store:
        recorder = store.begin("key", {})
        recorder.record(Trial("s01", "test_a", Outcome.FAILED))
        recorder.record(Trial("s01", "test_a", Outcome.PASSED))
    with sqlite3.connect(tmp_path / "runs.sqlite") as database:
        assert database.execute("SELECT outcome FROM trials").fetchall() == [("failed",)]
    database.close()


def test_trial_that_was_not_run_is_committed_with_the_next_that_was(tmp_path: Path) -> None:
    with Store(tmp_path) as store:
        recorder = store.begin("key", {})
        recorder.record(Trial("s01", "test_a", Outcome.PASSED, "unreached"))
        assert recorder.count() == 0
        recorder.record(Trial("s01", "test_b", Outcome.PASSED))
        assert recorder.count() == 2
        recorder.record(Trial("s01", "test_c", Outcome.PASSED, "unreached"))
        run = run_of(matrix("abc", s01="-.-"))
        recorder.finish(run)
        assert store.load(recorder.run_id) == run


@pytest.mark.skipif(not hasattr(os, "fork"), reason="kill -9 is a POSIX signal")
def test_killed_writer_loses_no_recorded_trial_and_its_lock_goes_with_it(tmp_path: Path) -> None:
    kept = 0
    for _ in range(3):
        process = writer(tmp_path, 100000)
        assert process.stdout is not None
        assert process.stdout.readline().split() == ["begun", str(kept)]
        printed = [int(process.stdout.readline()) for _ in range(25)]
        os.kill(process.pid, signal.SIGKILL)
        rest, _ = process.communicate()
        printed += [int(number) for number in rest.split()]
        with Store(tmp_path) as store:
            trials = store.begin("key", {}).kept()
        assert {f"test_{number}" for number in printed} <= {test for _, test in trials}
        assert len(trials) in (max(printed) + 1, max(printed) + 2, kept)
        kept = len(trials)


def test_second_run_in_one_folder_is_refused_in_one_line_that_names_the_first(tmp_path: Path) -> None:
    process = writer(tmp_path, 1)
    try:
        assert process.stdout is not None
        process.stdout.readline()
        process.stdout.readline()
        with Store(tmp_path) as store, pytest.raises(StoreError) as caught:
            store.begin("key", {})
    finally:
        end(process)
    line = f"{tmp_path}: a run is going on here (process {process.pid}); "
    assert str(caught.value) == line + "wait for it, or give this run a folder of its own with --state DIR"


def test_reading_is_possible_while_a_run_goes_on(tmp_path: Path) -> None:
    with Store(tmp_path) as store:
        store.begin("old", {}).finish(run_of(matrix("a", s01="K")))
    with Store(tmp_path) as one, Store(tmp_path) as other:
        one.begin("key", {}).record(Trial("s01", "test_a", Outcome.PASSED))
        assert other.latest() is not None


def test_lock_is_free_after_close(tmp_path: Path) -> None:
    for _ in range(2):
        with Store(tmp_path) as store:
            store.begin("key", {})
    assert not (tmp_path / "lock.pid").exists()


def test_folder_that_cannot_be_created_says_so(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match=r"file/state: cannot be created: Not a directory; .* --state DIR"):
        Store(tmp_path / "file" / "state")


def test_database_that_cannot_be_opened_says_so(tmp_path: Path) -> None:
    (tmp_path / "runs.sqlite").mkdir()
    with pytest.raises(StoreError, match=r"runs\.sqlite: cannot be opened; make the folder writable, .* --state DIR"):
        Store(tmp_path)


def test_unwritable_folder_says_so() -> None:
    folder = Path(tempfile.mkdtemp())  # tmp_path lies below folders that only their owner may enter
    folder.chmod(0o555)
    is_root = os.geteuid() == 0
    try:
        if is_root:
            os.seteuid(65534)  # root may write everywhere, nobody may not
        with pytest.raises(StoreError, match=r"runs\.sqlite: cannot be opened; make the folder writable, .* --state"):
            Store(folder)
    finally:
        if is_root:
            os.seteuid(0)
        folder.rmdir()


def test_file_that_is_no_database_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "runs.sqlite"
    path.write_bytes(b"not a database at all, but long enough to be read as the header of one" * 20)
    before = path.read_bytes()
    with pytest.raises(StoreError, match=r"runs\.sqlite: is not a database; move it away, .* --state DIR"):
        Store(tmp_path)
    assert path.read_bytes() == before


def test_damaged_database_says_so(tmp_path: Path) -> None:
    with Store(tmp_path) as store:
        recorder = store.begin("key", {})
        for number in range(500):
            recorder.record(Trial("s01", f"test_{number}", Outcome.PASSED))
    path = tmp_path / "runs.sqlite"
    content = bytearray(path.read_bytes())
    content[4096:] = b"\x55" * (len(content) - 4096)
    path.write_bytes(content)
    with Store(tmp_path) as store, pytest.raises(StoreError, match="the database is damaged; move it away"):
        store.begin("key", {})


@pytest.mark.parametrize(
    ("statements", "what"),
    [
        (["CREATE TABLE notes (text)"], "belongs to another program"),
        (
            ["CREATE TABLE runs (id)", "PRAGMA application_id = 1094928708", "PRAGMA user_version = 99"],
            "has version 99",
        ),
    ],
)
def test_foreign_database_is_refused_and_left_alone(tmp_path: Path, statements: list[str], what: str) -> None:
    path = tmp_path / "runs.sqlite"
    database = sqlite3.connect(path)
    for statement in statements:
        database.execute(statement)
    database.close()
    before = path.read_bytes()
    with pytest.raises(StoreError, match=rf"runs\.sqlite: the database {what}.*; move it away, .* --state DIR"):
        Store(tmp_path)
    assert path.read_bytes() == before


def fill(recorder: RunRecorder, recorded: list[str]) -> None:
    for number in range(10000):
        recorder.record(Trial("s01", f"test_{number}", Outcome.PASSED, detail="x" * 500))
        recorded.append(f"test_{number}")


def test_full_database_says_so_and_loses_nothing(tmp_path: Path) -> None:
    with Store(tmp_path) as store:
        recorder = store.begin("key", {})
        store._database.execute("PRAGMA max_page_count = 12")
        recorded: list[str] = []
        with pytest.raises(StoreError, match=r"no room left to record a trial; make room .* finished trials are kept"):
            fill(recorder, recorded)
    with Store(tmp_path) as store:
        again = store.begin("key", {})
        assert len(again.kept()) == len(recorded) > 10
        again.record(Trial("s01", "test_after", Outcome.PASSED))


FILLER = WRITER.replace("sys.stdin.read()", "").replace(
    "recorder =", "import resource\nresource.setrlimit(resource.RLIMIT_FSIZE, (150_000, 150_000))\nrecorder ="
)


def test_file_size_limit_says_so_and_loses_nothing(tmp_path: Path) -> None:
    process = subprocess.run(
        [sys.executable, "-c", FILLER, str(tmp_path), "100000"], capture_output=True, text=True, check=False
    )
    assert "runs.sqlite: " in process.stderr.splitlines()[-1]
    assert "finished trials are kept" in process.stderr.splitlines()[-1]
    printed = [int(number) for number in process.stdout.split()[2:]]
    with Store(tmp_path) as store:
        assert len(store.begin("key", {}).kept()) >= len(printed) > 10


def test_two_processes_may_create_the_database_at_once(tmp_path: Path) -> None:
    folders = [tmp_path / str(number) for number in range(3)]
    code = "import sys; from pathlib import Path; from acidtest.reports.store import Store; Store(Path(sys.argv[1]))"
    for folder in folders:
        pair = [subprocess.Popen([sys.executable, "-c", code, str(folder)]) for _ in range(2)]
        assert [process.wait() for process in pair] == [0, 0]


def test_run_key_changes_with_everything_that_changes_a_result() -> None:
    def key(text: str = "a", source: str = "b", version: str = "3.11", seed: int = 1) -> str:
        variant = Variant("s01", "t", "m", source, ("f",), None, "")
        return run_key({"gate.py": text}, [variant], {"python": version}, {"seed": seed})

    assert key() == key()
    assert len({key(), key(text="x"), key(source="x"), key(version="3.13"), key(seed=2)}) == 5
