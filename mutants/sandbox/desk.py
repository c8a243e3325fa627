"""One grader and the clock over it: each submission put to it comes back judged, whatever the submission does."""

import base64
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from acidtest.mutants.executors import Line, Record, WorkerDiedError, WorkerProcess
from acidtest.mutants.model import Outcome, Test, Trial
from acidtest.mutants.sandbox.intake import Submission
from acidtest.mutants.workload import Workload

_MODULE = "acidtest.mutants.sandbox.grader"
_COLLECTION = 120.0
_MARGIN = 30.0
_MEMORY_MB = 2048


class DeskError(Exception):
    """The grader itself failed: nothing is said of the submission; one line with the reason."""


class SandboxRefusedError(DeskError):
    """No sandbox can be built, or not the one that was asked for; one line with the reasons."""


@dataclass(frozen=True, slots=True)
class Budget:
    """What one submission may use.

    Attributes:
        call_seconds, test_seconds, seconds: wall clock of one answer, of one test's answers, of all tests together.
        memory_mb, cpu_seconds: of each fork of its guest.
    """

    call_seconds: float = 5.0
    test_seconds: float = 15.0
    seconds: float = 60.0
    memory_mb: int = 512
    cpu_seconds: float = 15.0


@dataclass(frozen=True, slots=True)
class Judged:
    """What came of one submission.

    Attributes:
        trials: one for each test that was asked for, in that order; empty where it is ungradable.
        answers: to the battery, None where there was none.
        ungradable: why there is nothing to judge; empty where there is.
        split: seconds of ``start``, ``forks`` and ``tests``.
        wrote: whether it printed anything.
    """

    trials: tuple[Trial, ...] = ()
    answers: tuple[str | None, ...] = ()
    ungradable: str = ""
    split: Mapping[str, float] = field(default_factory=dict)
    wrote: bool = False


class Desk:
    """A grader process for one submission at a time; started when first needed, and anew after a fault of its own.

    Attributes:
        tier: the sandbox's, once the grader has started; -1 until then.

    Args:
        workload: whose tests judge.
        tier: how guests are kept in, a ``launcher.Tier``'s number; None for the first that holds on this machine.
        slot: which of the desks that work at once; each keeps its guests apart from the others'.
        core: the processor to stay on, or None.
        folder: where what saves the next grader work is kept, or None.
    """

    def __init__(
        self,
        workload: Workload,
        tier: int | None = None,
        slot: int = 0,
        core: int | None = None,
        folder: Path | None = None,
    ) -> None:
        self._spec: Record = {
            "source": str(workload.source),
            "pytest": workload.pytest_arguments(),
            "calls": workload.calls,
            "tier": tier,
            "slot": slot,
            "memory_mb": _MEMORY_MB,
            "seed": 0,
            "core": core,
            "keep": None if folder is None else str(folder / "sandbox"),
        }
        self.tier = -1 if tier is None else tier
        self._worker: Line | None = None
        self._collected = False
        self._tests: tuple[Test, ...] = ()
        self._serial = 0
        self._battery: list[Mapping[str, Any]] | None = None

    def begin(self) -> None:
        """Start the grader; nobody need wait for it yet."""
        if self._worker is None:
            self._worker = WorkerProcess(self._spec, module=_MODULE)
            self._collected = False
            self._battery = None

    def tests(self) -> tuple[Test, ...]:
        """Return the workload's tests.

        Raises:
            SandboxRefusedError: nothing untrusted can be run. DeskError: they cannot be collected.
        """
        self._started()
        return self._tests

    def judge(
        self,
        submission: Submission,
        seed: int,
        tests: Sequence[str],
        battery: Sequence[Mapping[str, Any]] = (),
        budget: Budget | None = None,
        *,
        own_deps: bool = False,
        explain: bool = False,
    ) -> Judged:
        """Put a submission to the tests and to the battery.

        Args:
            explain: make a property's failing example small, and say it in the trial's ``detail``.

        Raises:
            DeskError: the grader died, hung or lost its guest; the next submission gets a new one.
        """
        budget = budget or Budget()
        worker = self._started()
        self._serial += 1
        files = {name: base64.b64encode(data).decode("ascii") for name, data in submission.files.items()}
        order: Record = {"serial": self._serial, "submission": files, "seed": seed, "own_deps": own_deps}
        order["explain"] = explain
        try:
            asked = [*battery]
            again = asked == self._battery  # it is by far the largest part of an order
            worker.send(order | {"tests": [*tests], "battery": None if again else asked, "limits": asdict(budget)})
            self._battery = asked
            return self._listen(worker, list(tests), len(battery), budget)
        except WorkerDiedError as error:
            self.close(0.5)
            raise DeskError(f"the grader died: {error}") from error
        except DeskError:
            self.close(0.5)
            raise

    def close(self, patience: float = 5.0) -> None:
        """End the grader."""
        if self._worker is not None:
            self._worker.close(patience)
            self._worker = None

    def _started(self) -> Line:
        self.begin()
        assert self._worker is not None
        if not self._collected:
            record = self._receive(self._worker, _COLLECTION, "collection of the tests")
            if record["refused"]:
                self.close(0.5)
                raise SandboxRefusedError(record["refused"])
            if record["errors"]:
                self.close(0.5)
                raise DeskError(f"the tests cannot be collected behind the proxy: {record['errors'][0]}")
            self.tier = int(record["tier"])
            self._spec["tier"] = self.tier  # a second grader of this desk keeps to it
            self._tests = tuple(Test(**fields) for fields in record["tests"])
            self._collected = True
        return self._worker

    def _listen(self, worker: Line, tests: Sequence[str], asked: int, budget: Budget) -> Judged:
        trials: dict[str, Trial] = {}
        answers: tuple[str | None, ...] = ()
        ungradable, split, wrote, ended = "", {}, False, False
        while True:
            # a guest's own time is kept by the grader; this clock is for a grader that fails
            record = self._receive(worker, budget.test_seconds + _MARGIN, "a word of the grader")
            kind = record["kind"]
            if kind == "trial":
                trials[record["test"]] = _trial(record)
                wrote = wrote or bool(record.get("wrote"))
            elif kind == "answers":
                answers = tuple(text or None for text in record["answers"])
            elif kind == "ungradable":
                ungradable, ended = str(record["why"]), True
            elif kind == "end":
                split, ended = dict(record["split"]), True
                absent = ", ".join(record["missing"])
                if absent:
                    raise DeskError(f"tests that are not there: {absent}")
            elif kind == "broken":
                raise DeskError(f"the guest's first process failed: {record['why']}")
            elif kind == "exit":
                if record["status"] or not ended:
                    raise DeskError(f"the grader's child ended with status {record['status']}")
                break
        if not ungradable and (set(trials) != set(tests) or len(answers) != asked):
            raise DeskError("not every test has an outcome")
        if ungradable:
            return Judged(ungradable=ungradable, split=split, wrote=wrote)
        return Judged(tuple(trials[test] for test in tests), answers, "", split, wrote)

    def _receive(self, worker: Line, seconds: float, what: str) -> Record:
        try:
            record = worker.receive(seconds)
        except WorkerDiedError as error:
            self.close(0.5)
            raise DeskError(f"the grader died during {what}: {error}") from error
        if record is None:
            self.close(0.5)
            raise DeskError(f"no end of {what} within {seconds:g} s")
        return record


def _trial(record: Record) -> Trial:
    return Trial(
        "",
        record["test"],
        Outcome(record["outcome"]),
        record["reason"],
        record["detail"],
        record["seconds"],
        record["examples"],
    )
