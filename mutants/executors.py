"""Where workers run: processes on this machine, spoken to line by line, with a clock of our own."""

import contextlib
import json
import os
import queue
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO, Any

Record = dict[str, Any]

_MODULE = "acidtest.mutants.worker"
_LINE_LIMIT = 64 * 2**20
_UNSET = ("PYTEST_ADDOPTS", "PYTEST_PLUGINS", "COVERAGE_PROCESS_START", "COVERAGE_RCFILE")
_SET = {"PYTHONHASHSEED": "0", "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}


class WorkerDiedError(Exception):
    """The worker ended without being asked to: how, and its last words."""

    def __init__(self, status: str, words: str = "") -> None:
        super().__init__(f"{status}: {words}" if words else status)
        self.status = status


class WorkerProcess:
    """One worker, started at once.

    Args:
        spec: what it is for, as ``worker.main`` reads it.
    """

    def __init__(self, spec: Mapping[str, Any]) -> None:
        environment = {name: value for name, value in os.environ.items() if name not in _UNSET} | _SET
        self._words: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 - closed with the worker
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", _MODULE],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._words,
            env=environment,
            start_new_session=True,
        )
        self._records: queue.SimpleQueue[Record | None] = queue.SimpleQueue()
        threading.Thread(target=self._read, daemon=True).start()
        self.send(spec)

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in iter(lambda: self._process.stdout.readline(_LINE_LIMIT), b""):  # type: ignore[union-attr]
            if line.strip():
                try:
                    self._records.put(json.loads(line))
                except ValueError:
                    continue  # half a record: its writer was killed, and its end is reported by other means
        self._process.stdout.close()
        self._records.put(None)

    def send(self, command: Mapping[str, Any]) -> None:
        """Write one command.

        Raises:
            WorkerDiedError: nobody reads it.
        """
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(json.dumps(command).encode() + b"\n")
            self._process.stdin.flush()
        except OSError as error:
            raise self._died() from error

    def receive(self, seconds: float) -> Record | None:
        """Return the next record, or None when none comes within ``seconds``.

        Raises:
            WorkerDiedError: no record will ever come.
        """
        try:
            record = self._records.get(timeout=seconds)
        except queue.Empty:
            return None
        if record is None:
            raise self._died()
        return record

    def close(self, patience: float = 5.0) -> None:
        """Hang up: the worker ends its child and itself. One that does not within ``patience`` seconds is killed."""
        assert self._process.stdin is not None
        with contextlib.suppress(OSError):  # unsent bytes in a pipe whose reader is gone
            self._process.stdin.close()
        try:
            self._process.wait(timeout=patience)
        except subprocess.TimeoutExpired:
            with contextlib.suppress(ProcessLookupError, PermissionError, AttributeError):
                os.killpg(self._process.pid, signal.SIGKILL)
            self._process.kill()
            self._process.wait()
        self._words.close()

    def _died(self) -> WorkerDiedError:
        status = self._process.wait()
        self._words.seek(0)
        words = self._words.read().decode("utf-8", "replace").strip().splitlines()
        return WorkerDiedError(status_in_words(status), words[-1] if words else "")


def finished(arguments: Sequence[str], folder: Path, seconds: float) -> str:
    """Run Python with ``arguments`` in ``folder`` to its end, and return what it wrote to standard output.

    Raises:
        WorkerDiedError: it failed, or had no end within ``seconds`` and was killed with all that it had started.
    """
    environment = {name: value for name, value in os.environ.items() if name not in _UNSET} | _SET
    with tempfile.TemporaryFile() as said, tempfile.TemporaryFile() as words:
        process = subprocess.Popen(
            [sys.executable, *arguments],
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=said,
            stderr=words,
            env=environment,
            start_new_session=True,
        )
        status = None
        try:
            status = process.wait(timeout=seconds)
        except subprocess.TimeoutExpired:
            raise WorkerDiedError(f"no end within {seconds:g} s") from None
        finally:
            if status is None:  # out of time, or interrupted: whatever it started goes with it
                with contextlib.suppress(ProcessLookupError, PermissionError, AttributeError):
                    os.killpg(process.pid, signal.SIGKILL)
                process.kill()
                process.wait()
        said.seek(0)
        words.seek(0)
        text = said.read().decode("utf-8", "replace")
        if status:
            last = (words.read().decode("utf-8", "replace").strip() or text.strip()).splitlines()
            raise WorkerDiedError(status_in_words(status), last[-1] if last else "")
        return text


def status_in_words(status: int) -> str:
    """Return how a process ended, for people: ``signal SIGSEGV`` or ``exit status 3``."""
    if status >= 0:
        return f"exit status {status}"
    try:
        return f"signal {signal.Signals(-status).name}"
    except ValueError:
        return f"signal {-status}"
