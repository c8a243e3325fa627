"""Benches at work side by side: tasks go in, and trials come out as they happen."""

import queue
import threading
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from acidtest.mutants.bench import Bench
from acidtest.mutants.model import Outcome, Trial
from acidtest.mutants.schedule import Task


@dataclass(frozen=True, slots=True)
class Done:
    """A task has all its trials, after so many seconds."""

    name: str
    seconds: float


Events: TypeAlias = "queue.SimpleQueue[Trial | Done | Exception]"


def started(benches: Sequence[Bench], tasks: Iterable[Task]) -> tuple[Events, int]:
    """Let the benches work through the tasks, each taking the next when it is free and there is one.

    Returns:
        Where to hear of it, and how many tasks there were.
    """
    waiting: queue.SimpleQueue[Task | None] = queue.SimpleQueue()
    events: Events = queue.SimpleQueue()
    for bench in benches:
        threading.Thread(target=_serve, args=(bench, waiting, events), daemon=True).start()
    count = 0
    try:
        for task in tasks:
            waiting.put(task)
            count += 1
    finally:
        for _ in benches:
            waiting.put(None)
    return events, count


def _serve(bench: Bench, tasks: "queue.SimpleQueue[Task | None]", events: Events) -> None:
    """Work through tasks until there is none; whatever goes wrong is an event too."""
    try:
        while (task := tasks.get()) is not None:
            begun = time.monotonic()
            killed = False
            for tests, hot in ((task.hot, True), (task.cold, False)):
                if not tests or (killed and task.bail):
                    continue
                for trial in bench.trials(task.variant, task.name, tests, hot, task.bail, task.repeat):
                    killed = killed or trial.outcome is Outcome.FAILED
                    events.put(trial)
            events.put(Done(task.name, time.monotonic() - begun))
    except Exception as error:  # a fault of the lab itself must reach the coordinator, not die with a thread
        events.put(error)
