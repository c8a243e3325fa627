"""Runs of `acidtest grade` on a class, as a person starts and kills them, and what they leave in the grade book."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from acidtest.reports.codec import encode
from acidtest.reports.database import Database
from acidtest.reports.gradebook import APPLICATION_ID, SCHEMA, SCHEMA_VERSION, Grading

LONG = os.environ.get("ACIDTEST_LONG") == "1"
PATIENCE = 20_000.0 if LONG else 900.0
_PAGE_OF_A_RUN = ("  time ", "  kept ")


@dataclass
class Run:
    """One command on a class.

    Attributes:
        rss: resident kilobytes of the command and of its largest grader, by how many results there were.
    """

    process: "subprocess.Popen[str]"
    state: Path
    rss: dict[int, tuple[int, int]] = field(default_factory=dict)

    def until(self, results: int) -> None:
        """Wait until there are so many results, or the command has ended, and measure on the way."""
        end = time.monotonic() + PATIENCE
        while self.process.poll() is None and (done := count(self.state)) < results:
            if done not in self.rss:
                self.rss[done] = _resident([self.process.pid]), _resident(graders(self.process.pid))
            assert time.monotonic() < end, f"{done} results, and no more come"
            time.sleep(0.05)

    def kill(self) -> None:
        """End the command as a power cut would, and wait until nothing that it started is left."""
        left = graders(self.process.pid)
        self.process.send_signal(signal.SIGKILL)
        self.process.communicate()
        end = time.monotonic() + 60
        while any(is_alive(pid) for pid in left):
            assert time.monotonic() < end, f"graders stay behind: {left}"
            time.sleep(0.05)

    def page(self) -> str:
        """Return what it prints, but for the lines about this run."""
        said, complaints = self.process.communicate(timeout=PATIENCE)
        assert self.process.returncode == 0, complaints
        return "\n".join(line for line in said.splitlines() if not line.startswith(_PAGE_OF_A_RUN))


def grade(project: Path | None, handed_in: Path, state: Path, *options: str) -> Run:
    """Start the command."""
    command = [sys.executable, "-P", "-m", "acidtest.reports.cli", "grade", str(handed_in), "--class"]
    command += ["--state", str(state), "--out", str(state / "out"), *options]
    process = subprocess.Popen(
        command, cwd=project or state.parent, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    return Run(process, state)


def count(state: Path) -> int:
    """Return how many results a grade book has."""
    if not (state / "grades.sqlite").is_file():
        return 0
    return int(
        _opened(state, lambda database: database.rows("SELECT count(*) FROM results WHERE retried IS NOT NULL"))[0][0]
    )


def kept(state: Path) -> str:
    """Return every result and every grade of a grade book as text, without times and without who had to try again."""

    def read(database: Database) -> str:
        hashes = database.rows("SELECT key, sha256 FROM results ORDER BY sha256")
        results = {sha256: _timeless(database, key, sha256) for key, sha256 in hashes}
        grades = database.rows("SELECT learner, sha256, score, outcomes FROM grades ORDER BY grading, learner")
        attempts = database.rows("SELECT learner, sha256 FROM attempts ORDER BY learner")
        return json.dumps({"results": results, "grades": grades, "attempts": attempts}, indent=1)

    return str(_opened(state, read))


def _timeless(database: Database, key: str, sha256: str) -> Any:
    result = Grading(database, 0, "", key, False).result(sha256)
    assert result is not None
    trials = tuple(replace(trial, seconds=0.0) for trial in result.assessment.trials)
    return encode(replace(result.assessment, seconds=0.0, split={}, trials=trials))


def _opened(state: Path, use: Callable[[Database], Any]) -> Any:
    database = Database(state / "grades.sqlite", APPLICATION_ID, SCHEMA_VERSION, SCHEMA)
    try:
        return use(database)
    finally:
        database.close()


def graders(parent: int) -> list[int]:
    """Return the processes that a command has started."""
    return [pid for pid, above in _parents() if above == parent]


def _parents() -> Iterator[tuple[int, int]]:
    for entry in os.scandir("/proc"):
        if entry.name.isdecimal():
            try:
                words = Path(entry.path, "stat").read_bytes().rpartition(b")")[2].split()
            except OSError:
                continue
            yield int(entry.name), int(words[1])


def is_alive(pid: int) -> bool:
    """Return whether a process runs."""
    try:
        return Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()[0] not in (b"Z", b"X")
    except OSError:
        return False


def _resident(pids: Sequence[int]) -> int:
    """Return the resident kilobytes of the largest of these processes."""
    sizes = [0]
    for pid in pids:
        try:
            lines = Path(f"/proc/{pid}/status").read_text("ascii", "replace").splitlines()
        except OSError:
            continue
        facts: Mapping[str, str] = dict(line.split(":", 1) for line in lines if ":" in line)
        sizes.append(int(facts.get("VmRSS", "0 kB").split()[0]))
    return max(sizes)
