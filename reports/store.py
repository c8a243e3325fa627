"""Every run, trial by trial, on disk: an interrupted run goes on where it stopped.

A trial is committed and synced as it is recorded, so that a killed process or a power cut loses at most the trial
under way. One run at a time writes to a folder; the operating system drops the lock of a process that dies.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from acidtest.mutants.model import UNREACHED, Run, Trial
from acidtest.reports.codec import decode, encode, filled, trial_of, trial_row
from acidtest.reports.database import Database, StoreError

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
)
__all__ = ["RunRecorder", "RunRow", "Store", "StoreError"]


@dataclass(frozen=True, slots=True)
class RunRow:
    """One run as the store lists it; ``finished`` is None for a run that was interrupted."""

    id: int
    key: str
    started: str
    finished: str | None
    meta: Mapping[str, Any]

    @property
    def further(self) -> bool:
        """Whether it is one of several seeds, run for a measure."""
        return bool(self.meta.get("further"))

    @property
    def asked(self) -> bool:
        """Whether a person asked for this run, and not a measure of strength that needed a matrix."""
        return "further" not in self.meta


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
        self._database = Database(self.path, APPLICATION_ID, SCHEMA_VERSION, SCHEMA)

    def begin(self, key: str, meta: Mapping[str, Any]) -> "RunRecorder":
        """Go on with the unfinished run under ``key``, or begin one; from here to ``close`` no one else can.

        Args:
            key: see ``run_key``. meta: JSON data that tells a person which run this is.
        """
        self._database.acquire()
        found = self._database.rows("SELECT id FROM runs WHERE key = ? AND finished IS NULL", (key,))
        if found:
            run_id = found[0][0]
        else:
            run_id = self._database.execute(
                "INSERT INTO runs (key, started, meta) VALUES (?, ?, ?)", (key, _now(), json.dumps(dict(meta)))
            ).lastrowid
        assert run_id is not None, "sqlite gives every inserted row an id"
        return RunRecorder(self, run_id, {(trial.variant, trial.test): trial for trial in self._trials(run_id)})

    def runs(self) -> tuple[RunRow, ...]:
        """Return every run, the oldest first."""
        rows = self._database.rows("SELECT id, key, started, finished, meta FROM runs ORDER BY id")
        return tuple(RunRow(id, key, started, finished, json.loads(meta)) for id, key, started, finished, meta in rows)

    def latest(self, accept: Callable[[RunRow], bool] = lambda row: True) -> Run | None:
        """Return the run that finished last among those that ``accept`` lets pass, or None."""
        finished = [row for row in self.runs() if row.finished is not None and accept(row)]
        return self.load(max(finished, key=lambda row: (row.finished, row.id)).id) if finished else None

    def load(self, run_id: int) -> Run:
        """Return the finished run with this id."""
        found = self._database.rows("SELECT result FROM runs WHERE id = ?", (run_id,))
        if not found or found[0][0] is None:
            raise StoreError(f"{self.path}: run {run_id} {'is not finished' if found else 'is not there'}")
        return filled(decode(Run, json.loads(found[0][0])), self._trials(run_id))

    def close(self) -> None:
        """Release the lock and the database; what was recorded stays."""
        self._database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def insert(self, run_id: int, trials: Sequence[Trial]) -> None:
        """Commit trials at once; one that is there already stays as it is."""
        with self._database.transaction():
            self._database.insert(_INSERT, ((run_id, *trial_row(trial)) for trial in trials))

    def count(self, run_id: int) -> int:
        """Return how many trials of a run are on disk."""
        ((count,),) = self._database.rows("SELECT count(*) FROM trials WHERE run = ?", (run_id,))
        return int(count)

    def finish(self, run_id: int, run: Run) -> None:
        """Save what the run found out and mark it done, in one transaction."""
        bare = replace(run, matrix=replace(run.matrix, trials=()))  # they have rows of their own
        result = json.dumps(encode(bare))
        with self._database.transaction():
            self._database.insert(_INSERT, ((run_id, *trial_row(trial)) for trial in run.matrix.trials))
            self._database.execute("UPDATE runs SET finished = ?, result = ? WHERE id = ?", (_now(), result, run_id))

    def _trials(self, run_id: int) -> list[Trial]:
        query = "SELECT variant, test, outcome, reason, detail, seconds, examples FROM trials WHERE run = ?"
        return [trial_of(row) for row in self._database.rows(query, (run_id,))]


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


_INSERT = "INSERT INTO trials VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING"


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="microseconds")
