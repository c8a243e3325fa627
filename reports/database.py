"""A database of ours in a state folder: opened, told from others', written in transactions, one writer at a time.

What is committed is on the disk: it survives a killed process and a power cut. The operating system drops the lock of a
process that dies.
"""

import os
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

ELSEWHERE = "or use another folder with --state DIR"


class StoreError(Exception):
    """The state folder cannot keep or give back what is asked of it; one line with value, place and remedy."""


class Database:
    """One SQLite file.

    Args:
        path: of the file, in a folder that is created where it is missing.
        application: the number that tells it from any other. version: of its tables.
        schema: the statements that make the tables.
        lock: the stem of the files beside it that belong to whoever writes. busy: what is going on then, in words.

    Raises:
        StoreError: from any method, where the folder or the database cannot be used.
    """

    def __init__(
        self, path: Path, application: int, version: int, schema: Sequence[str], lock: str = "lock", busy: str = "a run"
    ) -> None:
        self.path = path
        self.folder = path.parent
        self._marks = application, version
        self._schema = (*schema, f"PRAGMA application_id = {application}", f"PRAGMA user_version = {version}")
        self._lock_file, self._pid_file = self.folder / f"{lock}.sqlite", self.folder / f"{lock}.pid"
        self._busy = busy
        self._lock: sqlite3.Connection | None = None
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            remedy = f"make it writable, {ELSEWHERE}"
            raise StoreError(f"{self.folder}: cannot be created: {error.strerror}; {remedy}") from error
        self._connection = self._open()

    def execute(self, statement: str, values: Sequence[Any] = ()) -> sqlite3.Cursor:
        """Run one statement, by itself or as a part of a ``transaction``."""
        with self._explained():
            return self._connection.execute(statement, values)

    def rows(self, statement: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """Return all rows that a statement finds."""
        with self._explained():
            return self._connection.execute(statement, values).fetchall()

    def insert(self, statement: str, rows: Iterable[Sequence[Any]]) -> None:
        """Run one statement for each row, as a part of a ``transaction``."""
        with self._explained():
            self._connection.executemany(statement, rows)

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Commit what is done inside at once, or nothing of it."""
        with self._explained(), _transaction(self._connection):
            yield

    def acquire(self) -> None:
        """Keep every other process from writing, from here to ``close``."""
        if self._lock is not None:
            return
        with self._explained():
            lock = sqlite3.connect(self._lock_file, isolation_level=None, timeout=0.0)
            try:
                lock.execute("BEGIN EXCLUSIVE")
            except sqlite3.OperationalError as error:
                lock.close()
                if _primary_code(error) != sqlite3.SQLITE_BUSY:
                    raise
                remedy = f"wait for it, or give this {self._busy.split()[-1]} a folder of its own with --state DIR"
                raise StoreError(
                    f"{self.folder}: {self._busy} is going on here ({self._holder()}); {remedy}"
                ) from error
        try:
            self._pid_file.write_text(f"{os.getpid()}\n", encoding="ascii")
        except OSError as error:
            lock.close()
            raise StoreError(f"{self._pid_file}: {error.strerror}; make room, {ELSEWHERE}") from error
        self._lock = lock

    def close(self) -> None:
        """Release the lock and the file; what was committed stays."""
        self._connection.close()
        if self._lock is not None:
            self._pid_file.unlink(missing_ok=True)
            self._lock.close()
            self._lock = None

    def _open(self) -> sqlite3.Connection:
        with self._explained():
            connection = sqlite3.connect(self.path, isolation_level=None, timeout=10.0)
            try:
                self._prepare(connection)
            except BaseException:
                connection.close()
                raise
        return connection

    def _prepare(self, connection: sqlite3.Connection) -> None:
        fresh = self._is_fresh(connection)
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")  # a commit survives a power cut; 0.1 ms on a local disk
        if fresh:
            with _transaction(connection):
                if self._is_fresh(connection):  # another process may have been quicker
                    for statement in self._schema:
                        connection.execute(statement)

    def _is_fresh(self, connection: sqlite3.Connection) -> bool:
        found, version, tables = connection.execute(_LOOK).fetchone()
        if (found, version) == self._marks:
            return False
        if tables == 0:
            return True
        application, mine = self._marks
        ours = f"has version {version} and this acidtest reads {mine}"
        what = ours if found == application else "belongs to another program"
        raise StoreError(f"{self.path}: the database {what}; move it away, {ELSEWHERE}")

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


# one statement, so that another process that creates the tables meanwhile is seen wholly or not at all
_LOOK = (
    "SELECT application_id, user_version, (SELECT count(*) FROM sqlite_master) "
    "FROM pragma_application_id, pragma_user_version"
)
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
def _transaction(connection: sqlite3.Connection) -> Iterator[None]:
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def _primary_code(error: sqlite3.Error) -> int:
    code: int = getattr(error, "sqlite_errorcode", 0)  # absent on errors that Python's own layer raises
    return code & 0xFF
