"""Where workers run: processes on this machine, spoken to line by line, with a clock of our own."""

import contextlib
import itertools
import json
import os
import queue
import signal
import subprocess
import sys
import tempfile
import threading
import time
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


class Line:
    """One end of a line of JSON objects, with a thread that reads.

    Args:
        commands: written to. records: read from.
    """

    def __init__(self, commands: IO[bytes], records: IO[bytes]) -> None:
        self._commands = commands
        self._incoming = records
        self._records: queue.SimpleQueue[Record | None] = queue.SimpleQueue()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        for line in iter(lambda: self._incoming.readline(_LINE_LIMIT), b""):
            if line.strip():
                try:
                    self._records.put(json.loads(line))
                except ValueError:
                    continue  # half a record: its writer was killed, and its end is reported by other means
        self._incoming.close()
        self._records.put(None)

    def send(self, command: Mapping[str, Any]) -> None:
        """Write one command.

        Raises:
            WorkerDiedError: nobody reads it.
        """
        try:
            self._commands.write(json.dumps(command).encode() + b"\n")
            self._commands.flush()
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
        """Hang up, and wait up to ``patience`` seconds for the other end to do so too."""
        with contextlib.suppress(OSError):  # unsent bytes in a pipe whose reader is gone
            self._commands.close()
        self._reader.join(patience)

    def _died(self) -> WorkerDiedError:
        return WorkerDiedError("the process ended")


class WorkerProcess(Line):
    """One worker, started at once.

    Args:
        spec: what it is for, as ``worker.main`` reads it.
        lanes: how many further lines it gets of each kind; they end with it.
        module: what is run.
    """

    def __init__(self, spec: Mapping[str, Any], lanes: Mapping[str, int] | None = None, module: str = _MODULE) -> None:
        environment = {name: value for name, value in os.environ.items() if name not in _UNSET} | _SET
        self._words: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 - closed with the worker
        pipes = {kind: [(os.pipe(), os.pipe()) for _ in range(number)] for kind, number in (lanes or {}).items()}
        theirs = {kind: [(down[0], up[1]) for down, up in some] for kind, some in pipes.items()}
        given = [descriptor for some in theirs.values() for ends in some for descriptor in ends]
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", module],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._words,
            env=environment,
            start_new_session=True,
            pass_fds=given,
        )
        for descriptor in given:
            os.close(descriptor)
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        super().__init__(self._process.stdin, self._process.stdout)
        self.lanes: dict[str, list[Line]] = {
            kind: [Line(os.fdopen(down[1], "wb"), os.fdopen(up[0], "rb")) for down, up in some]
            for kind, some in pipes.items()
        }
        self.send({**spec, "lanes": theirs})

    def close(self, patience: float = 5.0) -> None:
        """Hang up: the worker ends its child and itself. One that does not within ``patience`` seconds is killed."""
        with contextlib.suppress(OSError):
            self._commands.close()
        for lane in itertools.chain.from_iterable(self.lanes.values()):
            lane.close(patience)
        end = time.monotonic() + patience
        self._reader.join(patience)  # its words end when it does, which is seen sooner than by asking for its status
        try:
            self._process.wait(timeout=max(0.0, end - time.monotonic()))
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
