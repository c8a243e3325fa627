"""Every run, trial by trial, on disk: an interrupted run goes on where it stopped.

A trial is committed and synced as it is recorded, so that a killed process or a power cut loses at most the trial
under way. One run at a time writes to a folder; the operating system drops the lock of a process that dies.
"""

import json
import os
import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from acidtest.mutants.model import Run, Trial
from acidtest.reports.codec import decode, encode, filled, trial_of, trial_row
from acidtest.reports.judge import UNREACHED

APPLICATION_ID = 0x41434944  # "ACID": tells this database from any other
SCHEMA_VERSION = 1
SCHEMA = (
    """CREATE TABLE runs (
        id INTEGER PRIMARY KEY, key TEXT NOT NULL, started TEXT NOT NULL, finished TEXT, meta TEXT NOT NULL, result TEXT
    )""",
    "CREATE UNIQUE INDEX one_unfinished_run_a_key ON runs (key) WHERE finished IS NULL",
    """CREATE TABLE trials (
        run INTEGER NOT NULL REFERENCES runs (id), variant TEXT NOT NULL, test TEXT NOT NULL,
        outcome TEXT NOT NULL, reason TEXT NOT NULL, detail TEXT NOT NULL, seconds REAL NOT NULL, examples INTEGER,
        PRIMARY KEY (run, variant, test)
    ) WITHOUT ROWID""",
    f"PRAGMA application_id = {APPLICATION_ID}",
    f"PRAGMA user_version = {SCHEMA_VERSION}",
)
ELSEWHERE = "or use another folder with --state DIR"


class StoreError(Exception):
    """The state folder cannot keep or give back runs; one line with value, place and remedy."""


@dataclass(frozen=True, slots=True)
class RunRow:
    """One run as the store lists it; ``finished`` is None for a run that was interrupted."""

    id: int
    key: str
    started: str
    finished: str | None
    meta: Mapping[str, Any]


class Store:
    """The runs kept in one state folder.

    Args:
        folder: created where it is missing; holds ``runs.sqlite`` and the lock of the run that writes.

    Raises:
        StoreError: from any method, where the folder or the database cannot be used.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.path = folder / "runs.sqlite"
        self._lock: sqlite3.Connection | None = None
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            remedy = f"make it writable, {ELSEWHERE}"
            raise StoreError(f"{folder}: cannot be created: {error.strerror}; {remedy}") from error
        self._database = self._open()

    def begin(self, key: str, meta: Mapping[str, Any]) -> "RunRecorder":
        """Go on with the unfinished run under ``key``, or begin one; from here to ``close`` no one else can.

        Args:
            key: see ``run_key``. meta: JSON data that tells a person which run this is.
        """
        self._acquire()
        with self._explained():
            row = self._database.execute("SELECT id FROM runs WHERE key = ? AND finished IS NULL", (key,)).fetchone()
            if row is None:
                run_id = self._database.execute(
                    "INSERT INTO runs (key, started, meta) VALUES (?, ?, ?)", (key, _now(), json.dumps(dict(meta)))
                ).lastrowid
            else:
                run_id = row[0]
        assert run_id is not None, "sqlite gives every inserted row an id"
        return RunRecorder(self, run_id, {(trial.variant, trial.test): trial for trial in self._trials(run_id)})

    def runs(self) -> tuple[RunRow, ...]:
        """Return every run, the oldest first."""
        with self._explained():
            rows = self._database.execute("SELECT id, key, started, finished, meta FROM runs ORDER BY id").fetchall()
        return tuple(RunRow(id, key, started, finished, json.loads(meta)) for id, key, started, finished, meta in rows)

    def latest(self, accept: Callable[[RunRow], bool] = lambda row: True) -> Run | None:
        """Return the run that finished last among those that ``accept`` lets pass, or None."""
        finished = [row for row in self.runs() if row.finished is not None and accept(row)]
        return self.load(max(finished, key=lambda row: (row.finished, row.id)).id) if finished else None

    def load(self, run_id: int) -> Run:
        """Return the finished run with this id."""
        with self._explained():
            row = self._database.execute("SELECT result FROM runs WHERE id = ?", (run_id,)).fetchone()
        if row is None or row[0] is None:
            raise StoreError(f"{self.path}: run {run_id} {'is not there' if row is None else 'is not finished'}")
        return filled(decode(Run, json.loads(row[0])), self._trials(run_id))

    def close(self) -> None:
        """Release the lock and the database; what was recorded stays."""
        self._database.close()
        if self._lock is not None:
            self._pid_file.unlink(missing_ok=True)
            self._lock.close()
            self._lock = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def insert(self, run_id: int, trials: Sequence[Trial]) -> None:
        """Commit trials at once; one that is there already stays as it is."""
        with self._explained(), _transaction(self._database):
            self._database.executemany(_INSERT, ((run_id, *trial_row(trial)) for trial in trials))

    def count(self, run_id: int) -> int:
        """Return how many trials of a run are on disk."""
        with self._explained():
            row = self._database.execute("SELECT count(*) FROM trials WHERE run = ?", (run_id,)).fetchone()
        return int(row[0])

    def finish(self, run_id: int, run: Run) -> None:
        """Save what the run found out and mark it done, in one transaction."""
        bare = replace(run, matrix=replace(run.matrix, trials=()))  # they have rows of their own
        result = json.dumps(encode(bare))
        with self._explained(), _transaction(self._database):
            self._database.executemany(_INSERT, ((run_id, *trial_row(trial)) for trial in run.matrix.trials))
            self._database.execute("UPDATE runs SET finished = ?, result = ? WHERE id = ?", (_now(), result, run_id))

    def _trials(self, run_id: int) -> list[Trial]:
        query = "SELECT variant, test, outcome, reason, detail, seconds, examples FROM trials WHERE run = ?"
        with self._explained():
            return [trial_of(row) for row in self._database.execute(query, (run_id,))]

    def _open(self) -> sqlite3.Connection:
        with self._explained():
            database = sqlite3.connect(self.path, isolation_level=None, timeout=10.0)
            try:
                self._prepare(database)
            except BaseException:
                database.close()
                raise
        return database

    def _prepare(self, database: sqlite3.Connection) -> None:
        fresh = self._is_fresh(database)
        database.execute("PRAGMA journal_mode = WAL")
        database.execute("PRAGMA synchronous = FULL")  # a commit survives a power cut; 0.1 ms on a local disk
        if fresh:
            with _transaction(database):
                if self._is_fresh(database):  # another process may have been quicker
                    for statement in SCHEMA:
                        database.execute(statement)

    def _is_fresh(self, database: sqlite3.Connection) -> bool:
        found, version, tables = database.execute(_LOOK).fetchone()
        if (found, version) == (APPLICATION_ID, SCHEMA_VERSION):
            return False
        if tables == 0:
            return True
        ours = f"has version {version} and this acidtest reads {SCHEMA_VERSION}"
        what = ours if found == APPLICATION_ID else "belongs to another program"
        raise StoreError(f"{self.path}: the database {what}; move it away, {ELSEWHERE}")

    @property
    def _pid_file(self) -> Path:
        return self.folder / "lock.pid"

    def _acquire(self) -> None:
        if self._lock is not None:
            return
        with self._explained():
            lock = sqlite3.connect(self.folder / "lock.sqlite", isolation_level=None, timeout=0.0)
            try:
                lock.execute("BEGIN EXCLUSIVE")
            except sqlite3.OperationalError as error:
                lock.close()
                if _primary_code(error) != sqlite3.SQLITE_BUSY:
                    raise
                remedy = "wait for it, or give this run a folder of its own with --state DIR"
                raise StoreError(f"{self.folder}: a run is going on here ({self._holder()}); {remedy}") from error
        try:
            self._pid_file.write_text(f"{os.getpid()}\n", encoding="ascii")
        except OSError as error:
            lock.close()
            raise StoreError(f"{self._pid_file}: {error.strerror}; make room, {ELSEWHERE}") from error
        self._lock = lock

    def _holder(self) -> str:
        try:
            return f"process {int(self._pid_file.read_text(encoding='ascii'))}"
        except (OSError, ValueError):
            return "process unknown"

    @contextmanager
    def _explained(self) -> Iterator[None]:
        """Turn what sqlite says into one line with the place and the remedy."""
        try:
            yield
        except sqlite3.Error as error:
            what, remedy = _EXPLANATIONS.get(_primary_code(error), (str(error), f"look at the file, {ELSEWHERE}"))
            raise StoreError(f"{self.path}: {what}; {remedy}") from error


@dataclass(frozen=True, slots=True)
class RunRecorder:
    """Where the lab puts the trials of one run, each on disk before the next.

    Attributes:
        resumed: the trials that an interrupted run under the same key left; empty for a new run.
        waiting: trials to be committed with the next one.
    """

    store: Store
    run_id: int
    resumed: Mapping[tuple[str, str], Trial] = field(repr=False)
    waiting: list[Trial] = field(default_factory=list, repr=False)

    def kept(self) -> Mapping[tuple[str, str], Trial]:
        """Return the trials that need not be run again, by variant and test."""
        return self.resumed

    def record(self, trial: Trial) -> None:
        """Commit one trial; a second one of the same variant and test changes nothing.

        A trial that was not run, because its test cannot reach the change, waits for the next one that was: there are
        many, each sync takes a disk some milliseconds, and losing one loses no work.
        """
        self.waiting.append(trial)
        if trial.reason != UNREACHED:
            self.store.insert(self.run_id, self.waiting)
            self.waiting.clear()

    def count(self) -> int:
        """Return how many trials are on disk."""
        return self.store.count(self.run_id)

    def finish(self, run: Run) -> None:
        """Save the run and mark it done: the same command begins anew from here."""
        self.store.finish(self.run_id, run)


# one statement, so that another process that creates the tables meanwhile is seen wholly or not at all
_LOOK = (
    "SELECT application_id, user_version, (SELECT count(*) FROM sqlite_master) "
    "FROM pragma_application_id, pragma_user_version"
)
_INSERT = "INSERT INTO trials VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING"

_AGAIN = "make room and give the same command again: finished trials are kept"
_EXPLANATIONS = {
    sqlite3.SQLITE_FULL: ("there is no room left to record a trial", _AGAIN),
    sqlite3.SQLITE_IOERR: ("writing or reading failed, the disk may be full", _AGAIN),
    sqlite3.SQLITE_READONLY: ("cannot be written", f"make the folder writable, {ELSEWHERE}"),
    sqlite3.SQLITE_CANTOPEN: ("cannot be opened", f"make the folder writable, {ELSEWHERE}"),
    sqlite3.SQLITE_PERM: ("cannot be written", f"make the folder writable, {ELSEWHERE}"),
    sqlite3.SQLITE_NOTADB: ("is not a database", f"move it away, {ELSEWHERE}"),
    sqlite3.SQLITE_CORRUPT: ("the database is damaged", f"move it away, {ELSEWHERE}"),
    sqlite3.SQLITE_BUSY: ("another process holds the database", f"wait for it, {ELSEWHERE}"),
}


@contextmanager
def _transaction(database: sqlite3.Connection) -> Iterator[None]:
    database.execute("BEGIN IMMEDIATE")
    try:
        yield
        database.execute("COMMIT")
    except BaseException:
        if database.in_transaction:
            database.execute("ROLLBACK")
        raise


def _primary_code(error: sqlite3.Error) -> int:
    code: int = getattr(error, "sqlite_errorcode", 0)  # absent on errors that Python's own layer raises
    return code & 0xFF


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="microseconds")
