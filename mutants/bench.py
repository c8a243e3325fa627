"""One core's workers and the clock over them: every trial asked of it comes back with an outcome."""

import copy
import functools
import itertools
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from acidtest.mutants.child import Child, End, listen, trial_of
from acidtest.mutants.executors import Line, Record, WorkerDiedError, WorkerProcess, status_in_words
from acidtest.mutants.limits import BaselineFailedError, LabError, Limits, NoTestsError
from acidtest.mutants.model import Baseline, Outcome, Test, Trial, Variant
from acidtest.mutants.splice import function_texts
from acidtest.mutants.workload import Workload

Answers = list[str]


class Bench:
    """The lines that one core's variants go through: to a worker that holds target and tests, and to one without.

    Each worker is started when needed, but for those of a team: there one worker, whose baseline is everybody's,
    copies itself for each core.

    Args:
        replay: call properties on the examples that the baseline drew, where a variant cannot change those.
        jobs: how many benches a team is to have.
    """

    def __init__(
        self, workload: Workload, seed: int, limits: Limits, fork: bool, replay: bool = True, jobs: int = 1
    ) -> None:
        self._spec: Record = {
            "source": str(workload.source),
            "files": {module: str(workload.module_path(module)) for module in workload.modules},
            "pytest": workload.pytest_arguments(),
            "calls": workload.calls,
            "seed": seed,
            "fork": fork,
            "memory_mb": limits.memory_mb,
            "jobs": jobs,
        }
        self._jobs = jobs
        self._workload = workload
        self._limits = limits
        self._fork = fork
        self._replay = replay
        self._serial = 0
        self._workers: dict[str, Line] = {}
        self._tests: dict[str, Test] = {}

    def collect(self) -> tuple[Test, ...]:
        """Return the tests there are.

        Raises:
            BaselineFailedError: they cannot be collected. NoTestsError: there are none.
        """
        worker = self._start("hot", {}, collect=True)
        tests = self._collected(worker)
        self.close()
        return tests

    def begin(self) -> None:
        """Start the worker that collects and runs the baseline; nobody need wait for it yet."""
        self._start("hot", {"hot": self._jobs - 1, "cold": self._jobs} if self._fork else {})

    def baseline(self) -> Baseline:
        """Return what every test comes to on the unchanged target; begins where nobody did.

        Raises:
            BaselineFailedError: a test fails, hangs or takes the worker down. NoTestsError: nothing was tested.
        """
        begun = time.monotonic()
        if "hot" not in self._workers:
            self.begin()
        worker = self._workers["hot"]
        tests = self._collected(worker)
        trials: dict[str, Trial] = {}
        for test in tests:
            record = self._expect(worker, self._limits.baseline, f"{test.id} on the unchanged target")
            trials[test.id] = trial_of("baseline", record)
        record = self._expect(worker, self._limits.baseline, "the whole suite in sequence, on the unchanged target")
        for failure in record["failures"]:
            if trials[failure["test"]].outcome is Outcome.PASSED:
                trials[failure["test"]] = trial_of("baseline", failure)
        timed = tuple(_timed(test, trials[test.id].seconds) for test in tests if _counts(trials[test.id]))
        if not timed:
            raise NoTestsError(f"all {len(tests)} tests were skipped on the unchanged target; nothing was tested")
        self._tests = {test.id: test for test in timed}
        if not self._fork:
            self._drop("hot")
        return Baseline(
            tests=timed,
            failures=tuple(
                trial for trial in trials.values() if _counts(trial) and trial.outcome is not Outcome.PASSED
            ),
            reach={test: _frozen(lines) for test, lines in record["reach"].items()},
            opaque=_frozen(record["opaque"]),
            hookable={module: frozenset(names) for module, names in record["hookable"].items()},
            opaque_tests=frozenset(record["opaque_tests"]),
            unbounded=frozenset(record["unbounded"]),
            work=record["work"],
            seconds=time.monotonic() - begun,
        )

    def team(self) -> "tuple[Bench, ...]":
        """Return this bench, whose baseline was green, and its copies: one bench a job. Closing this one ends all."""
        mates = [copy.copy(self) for _ in range(self._jobs - 1)]
        for mate in mates:
            mate._workers = {}
        worker = self._workers.get("hot")
        if isinstance(worker, WorkerProcess):
            for mate, line in zip(mates, worker.lanes["hot"], strict=True):
                mate._workers["hot"] = line
            for bench, line in zip((self, *mates), worker.lanes["cold"], strict=True):
                bench._workers["cold"] = line
        return (self, *mates)

    def trials(
        self,
        variant: Variant | None,
        name: str,
        tests: Sequence[str],
        hot: bool,
        bail: bool,
        repeat: bool = False,
    ) -> Iterator[Trial]:
        """Run tests on a variant (None: the unchanged target) and yield a trial for each; with ``bail``, up to a kill.

        With ``repeat`` a test passes without being run where the variant answers each of its calls as the target does.

        A trial over its limit, or one that takes its child down, is listed as such; a new child goes on with the rest.
        """
        remaining = list(tests)
        repeat = repeat and self._replay
        while remaining:
            how = ("hot" if hot else "cold") if self._fork else "fresh"
            worker = self._workers.get(how) or self._start(how)
            order = {
                "tests": remaining,
                "bail": bail,
                "replay": self._replay,
                "repeat": repeat,
                "processor": self._all_of(remaining),
            }
            self._order(worker, variant, how, order)
            try:
                stop = functools.partial(self._stop_child, worker, how)
                fresh = how == "fresh"
                child = Child(worker, name, self._tests, remaining, self._limits, bail, repeat, fresh, stop)
                end = yield from listen(child)
                hot = hot and end is not End.REFUSED
                repeat = repeat and end is not End.REPEATING
            except WorkerDiedError as error:
                self._drop(how)
                if how != "fresh":
                    raise LabError(f"a worker died under {name}: {error}; run again to go on") from error
                if remaining:
                    yield Trial(name, remaining.pop(0), Outcome.CRASHED, error.status)
            if how == "fresh":
                self._drop(how)

    def answers(self, variant: Variant | None, calls: Sequence[Mapping[str, Any]] | str) -> Answers:
        """Return the answers of a variant (None: the reference) to calls, or to all of D as digests.

        Raises:
            LabError: the variant cannot be imported, or takes too long.
        """
        how = "cold" if self._fork else "fresh"
        worker = self._workers.get(how) or self._start(how)
        name = variant.id if variant is not None else "the reference"
        calls = calls if isinstance(calls, str) else list(calls)
        order = {"calls": calls, "tests": [], "bail": False, "processor": self._limits.startup}
        self._order(worker, variant, how, order)
        found: Answers | None = None
        why = "it gave no answer"
        try:
            while (record := worker.receive(self._limits.startup)) is not None and record["kind"] != "exit":
                if record["kind"] == "answers":
                    found = record["answers"]
                elif record["kind"] == "unviable":
                    why = f"it cannot be imported: {record['why']}"
        except WorkerDiedError as error:
            why = str(error) if found is None else why
            self._drop(how)
        if record is None:
            why = f"it did not answer within {self._limits.startup:g} s"
        if record is None or how == "fresh":
            self._drop(how)
        if found is None:
            raise LabError(f"{name}: {why}")
        return found

    def explain(self, variant: Variant, test: str) -> Record:
        """Return one trial's record with ``example``: what Hypothesis prints for the failure, made small."""
        how = "cold" if self._fork else "fresh"
        worker = self._workers.get(how) or self._start(how)
        order = {"tests": [test], "bail": False, "explain": True, "processor": self._limits.startup}
        self._order(worker, variant, how, order)
        found: Record = {}
        try:
            while (record := worker.receive(self._limits.startup)) is not None and record["kind"] != "exit":
                if record["kind"] == "trial":
                    found = record
        except WorkerDiedError:
            self._drop(how)
        return found

    def _plain(self, variant: Variant | None, how: str) -> Record | None:
        """Return what a worker needs of a variant: for a hot install its functions' texts, for a cold one all of it."""
        if variant is None:
            return None
        plain: Record = {"module": variant.module, "source": variant.source}
        if how == "hot":
            original = self._workload.read(variant.module)
            plain["functions"] = function_texts(original, variant.source, variant.functions)
            anchors = variant.anchors
            plain["lines"] = None if anchors is None else sorted(itertools.chain.from_iterable(anchors))
        return plain

    def _order(self, worker: Line, variant: Variant | None, how: str, order: Mapping[str, Any]) -> None:
        self._serial += 1
        worker.send({"variant": self._plain(variant, how), "serial": self._serial, **order})

    def _all_of(self, tests: Sequence[str]) -> float:
        """Return all the time that tests may take together."""
        return self._limits.startup + sum(self._limits.of(self._tests[test]) for test in tests)

    def close(self, patience: float = 5.0) -> None:
        """End the workers."""
        for how in list(self._workers):
            self._drop(how, patience)

    def _stop_child(self, worker: Line, how: str) -> None:
        if how == "fresh":
            self._drop(how, patience=0.5)
            return
        worker.send({"kill": self._serial})
        while (record := worker.receive(self._limits.startup)) is not None:
            if record["kind"] == "exit":
                return
        raise WorkerDiedError("a killed child did not end")

    def _collected(self, worker: Line) -> tuple[Test, ...]:
        record = self._expect(worker, self._limits.baseline, "collection of the tests")
        if record["errors"]:
            raise BaselineFailedError(f"the tests cannot be collected on the unchanged target: {record['errors'][0]}")
        if not record["tests"]:
            raise NoTestsError(f"no tests in {', '.join(self._spec['pytest'][-1:])}; name a pytest file or folder")
        return tuple(Test(**fields) for fields in record["tests"])

    def _expect(self, worker: Line, seconds: float, what: str) -> Record:
        try:
            record = worker.receive(seconds)
        except WorkerDiedError as error:
            self._drop("hot")
            raise BaselineFailedError(f"{what}: the process ended ({error}); mend the tests or the target") from error
        if record is None:
            self._drop("hot", patience=0.5)
            raise BaselineFailedError(f"{what}: no end within {seconds:g} s; mend the test that hangs")
        if record["kind"] == "died":
            words = status_in_words(record["status"])
            raise BaselineFailedError(f"{what}: the process ended ({words}); mend the tests or the target")
        return record

    def _start(self, how: str, lanes: Mapping[str, int] | None = None, **more: Any) -> Line:
        self._workers[how] = WorkerProcess({**self._spec, **more, "install": how}, lanes)
        return self._workers[how]

    def _drop(self, how: str, patience: float = 5.0) -> None:
        worker = self._workers.pop(how, None)
        if worker is not None:
            worker.close(patience)


def _counts(trial: Trial) -> bool:
    return trial.outcome is not Outcome.SKIPPED


def _timed(test: Test, seconds: float) -> Test:
    return replace(test, seconds=seconds)


def _frozen(lines: Mapping[str, Sequence[int]]) -> dict[str, frozenset[int]]:
    return {module: frozenset(numbers) for module, numbers in lines.items()}
