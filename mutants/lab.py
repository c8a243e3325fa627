"""The one loop: baseline, controls, every variant, baseline again, and a kill matrix of what happened."""

import contextlib
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Protocol

from acidtest.mutants import crew
from acidtest.mutants.asking import answers, collect, domain_hash, explain
from acidtest.mutants.bench import Bench
from acidtest.mutants.controls import Planned, cold_control, judge_control, plan_controls, unchanged_control
from acidtest.mutants.limits import BaselineFailedError, LabError, Limits, NoTestsError
from acidtest.mutants.model import UNREACHED, Baseline, Control, KillMatrix, Outcome, Run, Trial, Variant
from acidtest.mutants.schedule import Plan, Schedule, Settings, Task
from acidtest.mutants.versions import versions

__all__ = [
    "BaselineFailedError",
    "Bench",
    "LabError",
    "Limits",
    "NoTestsError",
    "Plan",
    "Progress",
    "Recorder",
    "Settings",
    "answers",
    "begun",
    "collect",
    "domain_hash",
    "explain",
    "run",
    "versions",
]


class Recorder(Protocol):
    """Keeps trials as they come."""

    def kept(self) -> Mapping[tuple[str, str], Trial]:
        """Return the trials of the interrupted run that goes on, by variant and test."""
        ...

    def record(self, trial: Trial) -> None:
        """Keep one trial; called once for each, in one thread."""
        ...


class Progress(Protocol):
    """Told how far the run is."""

    def phase(self, text: str) -> None:
        """Say what goes on now."""
        ...

    def start(self, total: int) -> None:
        """The variants begin: ``total`` of them."""
        ...

    def advance(self, variant: str) -> None:
        """One variant has all its trials."""
        ...


@contextlib.contextmanager
def begun(settings: Settings) -> Iterator[Bench]:
    """Start the baseline, to be waited for by ``run``, so that mutants can be made meanwhile."""
    bench = Bench(
        settings.workload, settings.seed, settings.limits, settings.fork, settings.prune, max(1, settings.jobs)
    )
    try:
        bench.begin()
        yield bench
    finally:
        bench.close(0.5)


def run(plan: Plan, recorder: Recorder, progress: Progress, bench: Bench | None = None) -> Run:
    """Try every variant of the plan and return what happened.

    Trials that the recorder kept are not run again. Every planned trial of the result has an outcome.

    Args:
        bench: one that has begun, with the plan's settings; it is closed at the end.

    Raises:
        BaselineFailedError: the unchanged target fails a test. NoTestsError: nothing to judge by.
        LabError: a worker died for a reason that no variant explains.
    """
    if bench is None:
        with begun(plan) as bench:
            return run(plan, recorder, progress, bench)
    started = time.monotonic()
    benches: tuple[Bench, ...] = (bench,)
    patience = 0.5
    try:
        progress.phase("baseline: every test on the unchanged target")
        baseline = _green(bench.baseline())
        benches = bench.team()
        kept = recorder.kept()
        progress.start(len(plan.variants))
        lab = _Lab(plan, baseline, dict(kept))
        lab.run(benches, recorder, progress)
        baseline = lab.timed_baseline()
        patience = 5.0
    finally:
        for each in benches[::-1]:
            each.close(patience)
    return Run(
        seed=plan.seed,
        mode=plan.mode,
        jobs=len(benches),
        baseline=baseline,
        controls=lab.controls,
        matrix=KillMatrix(baseline.tests, tuple(variant.id for variant in plan.variants), lab.matrix_trials()),
        problems=lab.problems(),
        versions=versions(),
        seconds=time.monotonic() - started,
        lab_seconds=lab.seconds,
        test_seconds=lab.test_seconds,
        resumed=len(kept),
    )


def _green(baseline: Baseline) -> Baseline:
    """Return the baseline.

    Raises:
        BaselineFailedError: it has a failure.
    """
    if baseline.failures:
        first = baseline.failures[0]
        more = f", and {len(baseline.failures) - 1} more" if len(baseline.failures) > 1 else ""
        raise BaselineFailedError(
            f"the unchanged target fails {first.test} ({first.outcome}, {first.reason}: {first.detail}){more}; "
            "no mutant was tried: mend the tests or the target first"
        )
    return baseline


class _Lab:
    """One run under way."""

    def __init__(self, plan: Plan, baseline: Baseline, trials: dict[tuple[str, str], Trial]) -> None:
        self._plan = plan
        self._baseline = baseline
        self._schedule = Schedule(plan, baseline)
        self._trials = {key: trial for key, trial in trials.items() if self._in_plan(key)}
        self._control_trials: dict[str, list[Trial]] = {}
        self._last = unchanged_control(self._sources(), baseline)
        self._controls: tuple[Planned, ...] = (self._last,)
        self.seconds = 0.0
        self.test_seconds = 0.0

    def run(self, benches: Sequence[Bench], recorder: Recorder, progress: Progress) -> None:
        """Put controls, variants and the closing baseline to the benches; record each trial as it comes."""
        events, expected = crew.started(benches, self._tasks(recorder, progress))
        self._listen(events, expected, recorder, progress)
        progress.phase("baseline again")
        events, expected = crew.started(benches, self._last_tasks(len(benches)))
        self._listen(events, expected, recorder, progress)

    def _listen(self, events: crew.Events, expected: int, recorder: Recorder, progress: Progress) -> None:
        ours = {variant.id for variant in self._plan.variants}
        while expected:
            event = events.get()
            if isinstance(event, Exception):
                raise event
            if isinstance(event, crew.Done):
                expected -= 1
                if event.name in ours:
                    self.seconds += event.seconds
                    progress.advance(event.name)
            elif event.variant in ours:
                self.test_seconds += event.seconds
                self._keep(event, recorder)
            else:
                self._control_trials.setdefault(event.variant, []).append(event)

    def _keep(self, trial: Trial, recorder: Recorder) -> None:
        self._trials[trial.variant, trial.test] = trial
        recorder.record(trial)

    def _tasks(self, recorder: Recorder, progress: Progress) -> Iterator[Task]:
        """Yield what there is to do, each task as soon as it is known: the benches are at work by then."""
        kept: dict[str, dict[str, Trial]] = {variant.id: {} for variant in self._plan.variants}
        for (name, test), trial in self._trials.items():
            kept[name][test] = trial
        for variant in self._plan.variants:
            task = self._task(variant, kept[variant.id], recorder)
            if task is not None:
                yield task
            else:
                progress.advance(variant.id)
        controls = plan_controls(self._sources(), self._baseline, self._schedule.executes)
        self._controls = (self._last, *controls)
        yield from map(self._control_task, controls)

    def _last_tasks(self, benches: int) -> Iterator[Task]:
        """Yield the cold road's control, known only now, and the baseline again, as a variant, a part a bench."""
        if went_cold := self._went_cold():
            control = cold_control(self._sources(), self._baseline, went_cold)
            self._controls = (*self._controls, control)
            yield self._control_task(control)
        tests = self._last.tests
        size = -(-len(tests) // benches)
        for begin in range(0, len(tests), size):
            yield self._control_task(replace(self._last, tests=tests[begin : begin + size]))

    def _went_cold(self) -> set[str]:
        """Return the tests that were run on some variant by the cold road."""
        tests = [test.id for test in self._baseline.tests]
        return {
            test
            for variant in self._plan.variants
            for test in self._schedule.split(variant, tests)[1]
            if (trial := self._trials.get((variant.id, test))) is not None and trial.reason != UNREACHED
        }

    def _sources(self) -> dict[str, str]:
        return {module: self._plan.workload.read(module) for module in self._plan.workload.modules}

    def _task(self, variant: Variant, kept: Mapping[str, Trial], recorder: Recorder) -> Task | None:
        """Record the tests that cannot see the variant, and return the others as a task; None where all are kept."""
        if self._plan.stops(variant.id) and any(trial.outcome is Outcome.FAILED for trial in kept.values()):
            return None
        reached = []
        for test in self._baseline.tests:
            if self._plan.prune and self._plan.fork and not self._schedule.reaches(variant, test.id):
                if test.id not in kept:
                    self._keep(Trial(variant.id, test.id, Outcome.PASSED, UNREACHED), recorder)
            elif test.id not in kept:
                reached.append(test)
        return self._schedule.task(variant, reached) if reached else None

    def _control_task(self, planned: Planned) -> Task:
        hot, cold = ((), planned.tests) if planned.cold else self._schedule.split(planned.variant, planned.tests)
        repeat = self._plan.prune and planned.repeat
        return Task(_control_key(planned), planned.variant, hot, cold, bail=False, repeat=repeat)

    def _in_plan(self, key: tuple[str, str]) -> bool:
        variant, test = key
        return any(variant == planned.id for planned in self._plan.variants) and any(
            test == known.id for known in self._baseline.tests
        )

    def matrix_trials(self) -> tuple[Trial, ...]:
        """Return the trials, by variant and then by test, in the order of the plan."""
        order = [(variant.id, test.id) for variant in self._plan.variants for test in self._baseline.tests]
        return tuple(self._trials[key] for key in order if key in self._trials)

    @property
    def _after(self) -> Sequence[Trial]:
        """The baseline's trials after the run."""
        return self._control_trials.get(_control_key(self._last), ())

    @property
    def controls(self) -> tuple[Control, ...]:
        """What the controls did."""
        return tuple(
            judge_control(planned, self._control_trials.get(_control_key(planned), ())) for planned in self._controls
        )

    def problems(self) -> tuple[str, ...]:
        """Return what keeps the run from a verdict, one line each."""
        problems = [f"control {control.id}: {control.problem}" for control in self.controls if control.problem]
        if not any(planned.expects is Outcome.FAILED for planned in self._controls):
            modules = ", ".join(self._plan.workload.modules)
            problems.append(f"no test executes a function of {modules}: nothing was tested; do the tests import them?")
        problems += [
            f"baseline after the run: {trial.test} {trial.outcome} ({trial.reason}: {trial.detail})"
            for trial in self._after
            if trial.outcome is not Outcome.PASSED
        ]
        missing = self._missing()
        if missing:
            problems.append(f"{missing} planned trials have no outcome")
        return tuple(problems)

    def timed_baseline(self) -> Baseline:
        """Return the baseline with what each test takes while nobody records it, as after the run."""
        seconds = {trial.test: trial.seconds for trial in self._after}
        tests = [replace(test, seconds=seconds.get(test.id, test.seconds)) for test in self._baseline.tests]
        return replace(self._baseline, tests=tuple(tests))

    def _missing(self) -> int:
        """Return how many trials have no outcome; after the kill at which a variant stops, none is missing."""
        killed = {variant for (variant, _), trial in self._trials.items() if trial.outcome is Outcome.FAILED}
        counts = Counter(variant for variant, _ in self._trials)
        return sum(
            len(self._baseline.tests) - counts[variant.id]
            for variant in self._plan.variants
            if not (variant.id in killed and self._plan.stops(variant.id))
        )


def _control_key(planned: Planned) -> str:
    return planned.variant.id + (":cold" if planned.cold else "")
