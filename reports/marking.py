"""Puts the submissions of a class to several desks at once, and once more to one alone what ran out of something.

Everything is read, recorded and decided in the thread that calls; the others only wait for their desks.
"""

import contextlib
import queue
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from acidtest.mutants.sandbox.desk import Desk, SandboxRefusedError
from acidtest.mutants.sandbox.intake import Submission
from acidtest.mutants.sandbox.intake_text import IntakeError
from acidtest.reports.assessing import Assessor, tidy
from acidtest.reports.gradebook import Grading
from acidtest.reports.grading import Assessment, Standing, ran_out

Read = Callable[[], Submission]
_Judge = Callable[[Submission, Desk], Assessment]

_PATIENCE = 2.0


@dataclass(frozen=True, slots=True)
class Marked:
    """What came of one grading.

    Attributes:
        judged: how often a submission was put to the tests. faults: why the grader failed, by submission; only where it
            did so twice. seconds: wall clock of all desks' work.
    """

    judged: int
    faults: Mapping[str, str] = field(default_factory=dict)
    seconds: float = 0.0


def mark(
    readers: Mapping[str, Read],
    assessor: Assessor,
    desks: Sequence[Desk],
    grading: Grading,
    advance: Callable[[str], None] = lambda sha256: None,
) -> Marked:
    """Judge what has no result yet, and record each as it comes.

    Args:
        readers: how to read each submission, by the hash of its bytes.
        advance: called with the hash of each submission whose result stands.

    Raises:
        SandboxRefusedError: a desk can run nothing safely. StoreError: a result cannot be recorded.
    """
    begun = time.monotonic()
    settled = {sha256: grading.settled(sha256) for sha256 in readers}
    faults: dict[str, str] = {}
    judged, again = 0, [sha256 for sha256, stands in settled.items() if stands is False]
    for sha256, stands in settled.items():
        if stands:
            advance(sha256)
    first = [sha256 for sha256, stands in settled.items() if stands is None]

    def judge(submission: Submission, desk: Desk) -> Assessment:
        return assessor.judge(submission, submission.name, desk)

    for sha256, assessment in _judged(_read(first, readers, faults), judge, desks):
        judged += 1
        if assessment.standing is Standing.INTERNAL:
            again.append(sha256)
            faults[sha256] = assessment.why
        elif any(map(ran_out, assessment.trials)):
            again.append(sha256)
            grading.record(assessment, retried=None)
        else:
            grading.record(assessment, retried=False)
            advance(sha256)
    # the order of the class, whatever order the desks were ready in; nothing else runs beside these
    due = [sha256 for sha256 in readers if sha256 in set(again)]
    results = {sha256: grading.result(sha256) for sha256 in due if sha256 not in faults}
    earlier = {sha256: result.assessment for sha256, result in results.items() if result is not None}

    def judge_again(submission: Submission, desk: Desk) -> Assessment:
        before = earlier.get(submission.sha256)
        if before is None:
            return judge(submission, desk)
        return assessor.judge_again(submission, submission.name, desk, before)

    for sha256, assessment in _judged(_read(due, readers, faults), judge_again, desks[:1]):
        judged += 1
        if assessment.standing is not Standing.INTERNAL:
            faults.pop(sha256, None)
            grading.record(assessment, retried=True)
        elif sha256 in earlier:
            grading.record(earlier[sha256], retried=True)
        else:
            faults[sha256] = assessment.why
        advance(sha256)
    return Marked(judged, faults, time.monotonic() - begun)


def _read(hashes: Iterable[str], readers: Mapping[str, Read], faults: dict[str, str]) -> Iterator[Submission]:
    for sha256 in hashes:
        try:
            submission = readers[sha256]()
        except IntakeError as error:
            faults[sha256] = f"it changed while the class was graded: {error}"
            continue
        if submission.sha256 == sha256:
            yield submission
        else:
            faults[sha256] = "it changed while the class was graded; give the same command again"


def _judged(
    submissions: Iterator[Submission], judge: _Judge, desks: Sequence[Desk]
) -> Iterator[tuple[str, Assessment]]:
    """Yield what each submission comes to, by its hash, as the desks are done.

    Submissions are read one ahead of each desk. Where this is left early, the desks are closed.
    """
    orders: queue.SimpleQueue[Submission | None] = queue.SimpleQueue()
    done: queue.SimpleQueue[tuple[str, Assessment | SandboxRefusedError]] = queue.SimpleQueue()
    threads = [
        threading.Thread(target=_sit, args=(desk, judge, orders, done), name=f"desk {number}", daemon=True)
        for number, desk in enumerate(desks)
    ]
    for thread in threads:
        thread.start()
    under_way, finished = 0, False
    try:
        while True:
            while under_way < 2 * len(desks) and (submission := next(submissions, None)) is not None:
                orders.put(submission)
                under_way += 1
            if not under_way:
                finished = True
                return
            sha256, outcome = done.get()
            under_way -= 1
            if isinstance(outcome, SandboxRefusedError):
                raise outcome
            yield sha256, outcome
    finally:
        if not finished:
            with contextlib.suppress(queue.Empty):
                while True:
                    orders.get_nowait()
            for desk in desks:
                desk.close(0.5)
        for _ in threads:
            orders.put(None)
        for thread in threads:
            thread.join(_PATIENCE)


def _sit(
    desk: Desk,
    judge: _Judge,
    orders: "queue.SimpleQueue[Submission | None]",
    done: "queue.SimpleQueue[tuple[str, Assessment | SandboxRefusedError]]",
) -> None:
    """Wait at one desk for what it makes of one submission after the other."""
    while (submission := orders.get()) is not None:
        begun = time.monotonic()
        outcome: Assessment | SandboxRefusedError
        try:
            outcome = judge(submission, desk)
        except SandboxRefusedError as error:
            outcome = error
        except Exception as error:  # a fault of ours, whatever it is, is no verdict: it is listed, and scores nothing
            why = tidy(f"{type(error).__name__}: {error}")
            outcome = Assessment(submission.name, submission.sha256, 0, desk.tier, Standing.INTERNAL, why)
        if isinstance(outcome, Assessment) and not outcome.seconds:  # else it is one from before, which stands
            outcome = replace(outcome, seconds=time.monotonic() - begun)
        done.put((submission.sha256, outcome))
