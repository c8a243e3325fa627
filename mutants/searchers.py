"""Workers that compare implementations call by call: the questions they can be asked, and the clock over each.

Begin with ``asked``. What an answer means is the asker's business.
"""

import os
import queue
import threading
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from acidtest.mutants.executors import WorkerDiedError, WorkerProcess
from acidtest.mutants.limits import LabError
from acidtest.mutants.model import Variant
from acidtest.mutants.workload import Workload

UNDECIDED = "undecided"
_GRACE = 3.0
_STARTUP = 60.0

Side = Variant | None
Record = Mapping[str, Any]

INTERRUPTED: Record = {
    "verdict": UNDECIDED,
    "searched": 0,
    "seconds": 0.0,
    "why": "interrupted",
    "domain": "",
    "size": 0,
}


def command_for(work: str, reference: Side, mutant: Variant) -> dict[str, Any]:
    """Return the question ``work`` about two implementations; None is the reference."""
    variants = [variant for variant in (reference, mutant) if variant is not None]
    loose = not all(variant.functions for variant in variants)
    return {
        "work": work,
        "reference": _plain(reference),
        "mutant": _plain(mutant),
        "changed": [] if loose else sorted({name for variant in variants for name in variant.functions}),
    }


def _plain(variant: Side) -> Record | None:
    return None if variant is None else {"module": variant.module, "source": variant.source}


def asked(
    workload: Workload, commands: Sequence[dict[str, Any]], seconds: float, seed: int, jobs: int | None, fork: bool
) -> list[Record]:
    """Return the answer to each command; after Ctrl-C those that were not reached are undecided.

    Args:
        seconds: how long one command may take. seed: of what is drawn.
        jobs: processes at once; as many as there are cores if not given.
        fork: a child for each command; otherwise a fresh process.

    Raises:
        LabError: the workload does not say how to call its functions, or the reference cannot be imported.
    """
    if workload.calls is None:
        raise LabError("the workload has no `calls`: name a module in [tool.acidtest] that draws calls and lists D")
    tasks: queue.SimpleQueue[int] = queue.SimpleQueue()
    for number in range(len(commands)):
        tasks.put(number)
    answers: dict[int, Record] = {}
    faults: list[Exception] = []
    stop = threading.Event()

    def work() -> None:
        searcher = _Searcher(workload, seed, fork)
        try:
            while not stop.is_set() and not faults:
                number = tasks.get(block=False)
                answers[number] = searcher.ask(commands[number], seconds, stop)
        except queue.Empty:
            pass
        except Exception as error:  # carried to the thread that asked, which raises it
            faults.append(error)
        finally:
            searcher.close(0.5)

    count = min(len(commands), jobs or os.cpu_count() or 1)
    threads = [threading.Thread(target=work, daemon=True) for _ in range(count)]
    for thread in threads:
        thread.start()
    try:
        for thread in threads:
            while thread.is_alive():
                thread.join(0.1)
    except KeyboardInterrupt:
        stop.set()
        for thread in threads:
            thread.join(_GRACE)
    if faults:
        raise faults[0]
    return [answers.get(number, INTERRUPTED) for number in range(len(commands))]


class _Searcher:
    """One worker that holds the reference and D, started when needed, and the clock over it."""

    def __init__(self, workload: Workload, seed: int, fork: bool) -> None:
        self._spec = {
            "source": str(workload.source),
            "files": {module: str(workload.module_path(module)) for module in workload.modules},
            "calls": workload.calls,
            "seed": seed,
            "memory_mb": 4096,
            "install": "pairs",
            "fork": fork,
        }
        self._fork = fork
        self._worker: WorkerProcess | None = None
        self._domain: Record = {}
        self._ahead: Counter[str] = Counter()

    def ask(self, command: Record, seconds: float, stop: threading.Event) -> Record:
        """Return what comes of one command, in any case."""
        worker = self._worker or self._start()
        begun = time.monotonic()
        worker.send({**command, "seconds": seconds, "ahead": dict(self._ahead)})
        record, why = self._wait(worker, seconds, stop)
        took = time.monotonic() - begun
        if record is None:
            return {**INTERRUPTED, **self._domain, "why": why, "seconds": took}
        self._ahead |= Counter(record["looked"])
        return {**record, **self._domain, "seconds": took}

    def _wait(
        self, worker: WorkerProcess, seconds: float, stop: threading.Event
    ) -> tuple[Mapping[str, Any] | None, str]:
        """Return the child's last word, or None and what stopped it; the worker is ready for the next pair, or gone."""
        found: Mapping[str, Any] | None = None
        why = "the process ended before it could say"
        limit = time.monotonic() + _STARTUP
        try:
            while time.monotonic() < limit:
                if stop.is_set():
                    self.close(0.2)
                    return None, str(INTERRUPTED["why"])
                record = worker.receive(0.1)
                if record is None:
                    continue
                if record["kind"] == "begun":
                    limit = time.monotonic() + seconds + _GRACE
                elif record["kind"] == "found":
                    found = record
                    if not self._fork:
                        break
                elif record["kind"] == "exit":
                    return found, why
            else:
                why = f"no end within {seconds:g} s"
        except WorkerDiedError as error:
            why = str(error)
        self.close(0.2)
        return found, why

    def _start(self) -> WorkerProcess:
        self._worker = WorkerProcess(self._spec)
        try:
            record = self._worker.receive(_STARTUP)
        except WorkerDiedError as error:
            raise LabError(f"the reference and its calls cannot be loaded: {error}") from error
        if record is None:
            raise LabError(f"the reference and its calls were not loaded within {_STARTUP:g} s")
        self._domain = {"domain": record["domain"], "size": record["size"]}
        return self._worker

    def close(self, patience: float = 5.0) -> None:
        """End the worker."""
        if self._worker is not None:
            self._worker.close(patience)
            self._worker = None
