"""One child of a worker and the clock over it: each of its tests comes to a trial, however the child ends."""

import enum
from collections.abc import Callable, Generator, Iterator, Mapping
from dataclasses import dataclass

from acidtest.mutants.executors import Line, Record, status_in_words
from acidtest.mutants.limits import Limits
from acidtest.mutants.model import Outcome, Test, Trial


class End(enum.Enum):
    """How a child came to its end: as it should or by itself, without an install, or while it repeated calls."""

    OVER = enum.auto()
    REFUSED = enum.auto()
    REPEATING = enum.auto()


@dataclass(frozen=True, slots=True)
class Child:
    """A child at work.

    Attributes:
        name: of the variant that it tries. tests: all there are, by id.
        remaining: the ids of those that it has still to run; changes as it does.
        bail: it stops at a kill. repeat: it leaves out tests whose calls are answered alike.
        fresh: it is a process of its own, and ends with its last test.
        stop: kills it.
    """

    line: Line
    name: str
    tests: Mapping[str, Test]
    remaining: list[str]
    limits: Limits
    bail: bool
    repeat: bool
    fresh: bool
    stop: Callable[[], None]


def listen(child: Child) -> Generator[Trial, None, End]:
    """Yield the trials of one child and take their tests off ``child.remaining``; return how it came to its end.

    Raises:
        WorkerDiedError: the worker ended, and the child with it.
    """
    name, remaining = child.name, child.remaining
    ready = refused = running = False
    while True:
        limit = child.limits.of(child.tests[remaining[0]]) if ready and remaining else child.limits.startup
        record = child.line.receive(limit)
        if record is None:
            child.stop()
            if child.repeat and ready and not running:
                return End.REPEATING
            if ready and remaining:
                yield Trial(name, remaining.pop(0), Outcome.TIMED_OUT, f"over {limit:.3g} s", seconds=limit)
            else:
                yield from _all(name, remaining, Outcome.TIMED_OUT, f"not installed within {limit:.3g} s")
            return End.OVER
        kind = record["kind"]
        if kind == "ready":
            ready = True
        elif kind == "running":
            running = True
            if record["test"] != remaining[0]:
                remaining.remove(record["test"])
                remaining.insert(0, record["test"])
        elif kind == "trial":
            trial = trial_of(name, record)
            remaining.remove(trial.test)
            running = running and not record["ran"]
            if child.bail and trial.outcome is Outcome.FAILED:
                remaining.clear()
            yield trial
        elif kind == "end":
            for test in list(remaining):
                remaining.remove(test)
                yield _missing(name, test, record["missing"].get(test, ""))
        elif kind == "unviable":
            yield from _all(name, remaining, Outcome.UNVIABLE, record["why"])
        elif kind == "refused":
            refused = True
        elif kind == "exit":
            words = status_in_words(record["status"])
            if remaining and child.repeat and ready and not running:
                return End.REPEATING
            if remaining and ready:
                yield Trial(name, remaining.pop(0), Outcome.CRASHED, words)
            elif not refused:
                yield from _all(name, remaining, Outcome.UNVIABLE, f"{words} at import")
            return End.REFUSED if refused else End.OVER
        if child.fresh and not remaining:
            return End.OVER


def trial_of(name: str, record: Record) -> Trial:
    """Return a worker's record as a trial of the variant ``name``."""
    return Trial(
        name,
        record["test"],
        Outcome(record["outcome"]),
        record["reason"],
        record["detail"],
        record["seconds"],
        record["examples"],
    )


def _all(name: str, remaining: list[str], outcome: Outcome, reason: str, detail: str = "") -> Iterator[Trial]:
    while remaining:
        yield Trial(name, remaining.pop(0), outcome, reason, detail)


def _missing(name: str, test: str, why: str) -> Trial:
    """Return the trial of a test that this variant's collection did not give: its own file failed, or it has gone."""
    if why:
        return Trial(name, test, Outcome.FAILED, "collection", why)
    return Trial(name, test, Outcome.UNDECIDED, "not collected on this variant")
