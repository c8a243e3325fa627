"""The grade book: every judged submission on disk as it comes, and what each learner was given, grading by grading.

Two things are kept apart. A *result* belongs to a submission's bytes and the key of all that a result depends on: it is
never judged twice. A *grade* is what a learner had when a grading ended: the next grading says whose moved, and why.
"""

import json
import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from fractions import Fraction
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from acidtest.reports.codec import decode, encode
from acidtest.reports.database import Database
from acidtest.reports.diagnosis import Diagnosis
from acidtest.reports.grading import Assessment, Scheme

APPLICATION_ID = 0x41434742  # "ACGB"
SCHEMA_VERSION = 1
SCHEMA = (
    """CREATE TABLE gradings (
        id INTEGER PRIMARY KEY, assignment TEXT NOT NULL, key TEXT NOT NULL, scheme TEXT NOT NULL,
        anew INTEGER NOT NULL, facts TEXT NOT NULL, started TEXT NOT NULL, finished TEXT
    )""",
    """CREATE TABLE results (
        key TEXT NOT NULL, sha256 TEXT NOT NULL, grading INTEGER NOT NULL REFERENCES gradings (id),
        retried INTEGER, assessment BLOB NOT NULL, PRIMARY KEY (key, sha256)
    )""",
    """CREATE TABLE grades (
        grading INTEGER NOT NULL REFERENCES gradings (id), learner TEXT NOT NULL, sha256 TEXT NOT NULL,
        key TEXT NOT NULL, score TEXT, outcomes TEXT NOT NULL, PRIMARY KEY (grading, learner)
    ) WITHOUT ROWID""",
    "CREATE TABLE attempts (assignment TEXT NOT NULL, learner TEXT NOT NULL, sha256 TEXT NOT NULL, "
    "PRIMARY KEY (assignment, learner, sha256)) WITHOUT ROWID",
)


@dataclass(frozen=True, slots=True)
class Result:
    """A submission, judged.

    Attributes:
        assessment: without a name: several learners may have handed in the same bytes.
        retried: None while another try is due, else whether there was one.
    """

    assessment: Assessment
    retried: bool | None


@dataclass(frozen=True, slots=True)
class Grade:
    """What a learner had when a grading ended.

    Attributes:
        key: of the result. outcomes: by test.
    """

    learner: str
    sha256: str
    key: str
    score: Fraction | None
    outcomes: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Past:
    """The grading before: how points were given, what results depended on, by name, and the grades by learner."""

    scheme: Scheme
    facts: Mapping[str, Mapping[str, str]]
    grades: Mapping[str, Grade]


class GradeBook:
    """The gradings kept in one state folder; one command at a time writes to it.

    Args:
        folder: created where it is missing; holds ``grades.sqlite``.

    Raises:
        StoreError: from any method, where the folder or the database cannot be used.
    """

    def __init__(self, folder: Path) -> None:
        self._database = Database(
            folder / "grades.sqlite", APPLICATION_ID, SCHEMA_VERSION, SCHEMA, "grades-lock", "a grading"
        )

    def begin(
        self, assignment: str, key: str, scheme: Scheme, facts: Mapping[str, Mapping[str, str]], anew: bool
    ) -> "Grading":
        """Go on with a grading of this assignment that was interrupted, or begin one.

        Args:
            assignment: whose grades these are. key: of all that a result depends on but for the submission.
            facts: the parts of the key by name, to say what has changed. anew: judge again what has a result.
        """
        self._database.acquire()
        # it goes on although the scheme is another: a result is the same under each
        wanted = "assignment = ? AND key = ? AND anew = ? AND finished IS NULL"
        found = self._database.rows(
            f"SELECT id FROM gradings WHERE {wanted} ORDER BY id DESC LIMIT 1", (assignment, key, anew)
        )
        if found:
            number = int(found[0][0])
            self._database.execute("UPDATE gradings SET scheme = ? WHERE id = ?", (str(scheme), number))
        else:
            row = (assignment, key, str(scheme), anew, json.dumps(facts), _now())
            statement = "INSERT INTO gradings (assignment, key, scheme, anew, facts, started) VALUES (?, ?, ?, ?, ?, ?)"
            number = self._database.execute(statement, row).lastrowid or 0
        return Grading(self._database, number, assignment, key, anew)

    def close(self) -> None:
        """Let others write."""
        self._database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()


@dataclass(frozen=True, slots=True)
class Grading:
    """One grading of a class, from its begin to its end."""

    database: Database
    number: int
    assignment: str
    key: str
    anew: bool

    def settled(self, sha256: str) -> bool | None:
        """Return whether a submission's result stands, or another try is due; None where it has to be judged."""
        last = " AND grading = ?" if self.anew else ""
        values = (self.key, sha256, self.number) if self.anew else (self.key, sha256)
        found = self.database.rows(f"SELECT retried FROM results WHERE key = ? AND sha256 = ?{last}", values)
        return found[0][0] is not None if found else None

    def result(self, sha256: str) -> Result | None:
        """Return a submission's result; where it was judged anew and that failed, the one before."""
        return self._read("key = ? AND sha256 = ?", (self.key, sha256))

    def earlier(self, sha256: str, key: str) -> Result | None:
        """Return the result that a grade of another key was given for."""
        return self._read("key = ? AND sha256 = ?", (key, sha256))

    def record(self, assessment: Assessment, retried: bool | None) -> None:
        """Commit one result, in place of the one before; None: another try is due."""
        packed = zlib.compress(json.dumps(encode(replace(assessment, name=""))).encode(), 1)
        row = (self.key, assessment.sha256, self.number, retried, packed)
        statement = "INSERT OR REPLACE INTO results (key, sha256, grading, retried, assessment) VALUES (?, ?, ?, ?, ?)"
        self.database.execute(statement, row)

    def past(self) -> Past | None:
        """Return the latest grading of this assignment that ended; None for the first."""
        found = self.database.rows(
            "SELECT id, scheme, facts FROM gradings WHERE assignment = ? AND finished IS NOT NULL "
            "ORDER BY finished DESC, id DESC LIMIT 1",
            (self.assignment,),
        )
        if not found:
            return None
        ((number, scheme, facts),) = found
        rows = self.database.rows(
            "SELECT learner, sha256, key, score, outcomes FROM grades WHERE grading = ?", (number,)
        )
        grades = {
            learner: Grade(learner, sha256, key, None if score is None else Fraction(score), json.loads(outcomes))
            for learner, sha256, key, score, outcomes in rows
        }
        return Past(Scheme(scheme), json.loads(facts), grades)

    def attempts(self, learner: str, sha256: str) -> int:
        """Return how many different submissions of a learner's were judged, this one included."""
        ((others,),) = self.database.rows(
            "SELECT count(*) FROM attempts WHERE assignment = ? AND learner = ? AND sha256 <> ?",
            (self.assignment, learner, sha256),
        )
        return int(others) + bool(sha256)

    def finish(self, grades: Iterable[Grade], attempted: Sequence[tuple[str, str]]) -> None:
        """Save the grades, and mark the grading done.

        Args:
            attempted: the learners whose submission was judged, each with the submission.
        """
        with self.database.transaction():
            self.database.insert(
                "INSERT OR REPLACE INTO grades (grading, learner, sha256, key, score, outcomes) "
                "VALUES (?, ?, ?, ?, ?, ?)",
                ((self.number, *_row(grade)) for grade in grades),
            )
            self.database.insert(
                "INSERT OR IGNORE INTO attempts (assignment, learner, sha256) VALUES (?, ?, ?)",
                ((self.assignment, learner, sha256) for learner, sha256 in attempted),
            )
            self.database.execute("UPDATE gradings SET finished = ? WHERE id = ?", (_now(), self.number))

    def _read(self, where: str, values: Sequence[Any]) -> Result | None:
        found = self.database.rows(f"SELECT assessment, retried FROM results WHERE {where}", values)
        if not found:
            return None
        ((packed, retried),) = found
        assessment = decode(Assessment, json.loads(zlib.decompress(packed)), Diagnosis)
        return Result(assessment, None if retried is None else bool(retried))


def _row(grade: Grade) -> tuple[str, str, str, str | None, str]:
    score = None if grade.score is None else str(grade.score)
    return grade.learner, grade.sha256, grade.key, score, json.dumps(dict(grade.outcomes))


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="microseconds")
