"""The smallest call on which two implementations differ, or the statement that the bounded domain D holds none."""

import os
import queue
import threading
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from acidtest.mutants.executors import WorkerDiedError, WorkerProcess
from acidtest.mutants.limits import LabError
from acidtest.mutants.model import Finding, Variant, Witness
from acidtest.mutants.workload import Workload

DISTINCT, EQUAL, UNDECIDED = "distinct", "equal on D", "undecided"
SECONDS = 30.0
_GRACE = 3.0
_STARTUP = 60.0

Side = Variant | None
Record = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Judgement:
    """What a difference means.

    Attributes:
        kind: ``math-wrong``, ``bit-wrong`` or ``contract-wrong``; empty where the workload does not say, or in no time.
        severity: how bad it is, in one line that begins with the kind; where it could not be told, why.
        rule: the rule of the contract that the witness's answer breaks, a sentence; may be empty.
    """

    kind: str = ""
    severity: str = ""
    rule: str = ""


@dataclass(frozen=True, slots=True)
class Rates:
    """For each family of drawn calls, on how many of how many two implementations differ; ``why`` where not known."""

    function: str
    rates: Mapping[str, tuple[int, int]]
    why: str = ""


def search(
    workload: Workload,
    pairs: Sequence[tuple[Side, Variant]],
    *,
    seconds: float = SECONDS,
    seed: int = 0,
    jobs: int | None = None,
    fork: bool = True,
) -> list[Finding]:
    """Compare the implementations of each pair (None: the reference), and return one finding for each.

    Calls of D come first, and the first on which the two differ is the witness. Their order: calls of the changed
    function, then those of its callers, and so on outwards, since a witness on the function itself says most; within
    that as the workload lists D, smallest first (the chapter's: by the number of ids, then by the characters that its
    numbers take to write). Calls that cannot see a change are left out. Where D shows no difference, Hypothesis draws
    calls over wide float64, and what it finds is made small. Over D the answer does not depend on the seed.

    Args:
        seconds: how long one pair may take; a search that is not over then is ``undecided``.
        seed: of what Hypothesis draws.
        jobs: processes at once; as many as there are cores if not given.
        fork: a child for each pair; otherwise a fresh process, slower, with the same findings.

    Returns:
        The findings in the order of the pairs. After an interrupt (Ctrl-C) those that were not reached are
        ``undecided``, with the reason ``interrupted``.

    Raises:
        LabError: the workload does not say how to call its functions, or the reference cannot be imported.
    """
    commands = [command_for("compare", *pair) for pair in pairs]
    return [_finding(answer) for answer in asked(workload, commands, seconds, seed, jobs, fork)]


def deltas(
    workload: Workload,
    pairs: Sequence[tuple[Side, Variant]],
    *,
    seconds: float = SECONDS,
    jobs: int | None = None,
    fork: bool = True,
) -> list[frozenset[int] | None]:
    """Return, for each pair, the places in D at which the two answer differently; None where that was not found out.

    Raises:
        LabError: as ``search``.
    """
    commands = [command_for("delta", *pair) for pair in pairs]
    answers = asked(workload, commands, seconds, 0, jobs, fork)
    return [frozenset(answer["places"]) if answer["verdict"] == "delta" else None for answer in answers]


def judge(
    workload: Workload,
    found: Sequence[tuple[Side, Variant, Witness]],
    *,
    seconds: float = SECONDS,
    jobs: int | None = None,
    fork: bool = True,
) -> list[Judgement]:
    """Return, for each pair and the call on which it differs, how bad that is and which rule of the contract it breaks.

    Raises:
        LabError: as ``search``.
    """
    commands = [
        command_for("judge", reference, mutant) | {"function": witness.function, "args": dict(witness.args)}
        for reference, mutant, witness in found
    ]
    judgements = []
    for answer in asked(workload, commands, seconds, 0, jobs, fork):
        if answer["verdict"] != "judged":
            judgements.append(Judgement(severity=f"severity undecided: {answer['why']}"))
            continue
        kind = answer["severity"]
        judgements.append(Judgement(kind, f"{kind}: {answer['text']}" if kind else "", answer["rule"]))
    return judgements


def rates(
    workload: Workload,
    pairs: Sequence[tuple[Side, Variant]],
    functions: Sequence[str],
    *,
    count: int,
    seconds: float = SECONDS,
    seed: int = 0,
    jobs: int | None = None,
    fork: bool = True,
) -> list[Rates]:
    """Return, for each pair, how often drawn calls of a function meet the difference, family by family.

    Args:
        functions: for each pair the function to call; where it cannot be called or cannot see the change, the nearest
            one that can is.
        count: how many calls to draw from each family; the same for the same seed.

    Raises:
        LabError: as ``search``.
    """
    commands = [
        command_for("rates", *pair) | {"function": function, "count": count}
        for pair, function in zip(pairs, functions, strict=True)
    ]
    results = []
    for answer in asked(workload, commands, seconds, seed, jobs, fork):
        families = {family: (hits, drawn) for family, (hits, drawn) in answer.get("rates", {}).items()}
        results.append(Rates(answer.get("function", ""), families, answer.get("why", "")))
    return results


def command_for(work: str, reference: Side, mutant: Variant) -> dict[str, Any]:
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


def _finding(answer: Record) -> Finding:
    witness = None
    if answer["verdict"] == DISTINCT:
        witness = Witness(answer["function"], answer["args"], answer["reference"], answer["mutant"])
    return Finding(
        verdict=answer["verdict"],
        witness=witness,
        searched=answer["searched"],
        domain=answer["domain"],
        seconds=answer["seconds"],
        why=answer.get("why", ""),
        size=answer["size"],
    )


def asked(
    workload: Workload, commands: Sequence[dict[str, Any]], seconds: float, seed: int, jobs: int | None, fork: bool
) -> list[Record]:
    """Return the answer to each command; after Ctrl-C those that were not reached are undecided."""
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
    return [answers.get(number, _INTERRUPTED) for number in range(len(commands))]


def interrupted(findings: Sequence[Finding]) -> bool:
    """Return whether Ctrl-C kept a search from going on."""
    return any(finding.why == _INTERRUPTED["why"] for finding in findings)


_INTERRUPTED: Record = {
    "verdict": UNDECIDED,
    "searched": 0,
    "seconds": 0.0,
    "why": "interrupted",
    "domain": "",
    "size": 0,
}


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
            return {**_INTERRUPTED, **self._domain, "why": why, "seconds": took}
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
                    return None, str(_INTERRUPTED["why"])
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
