"""How far the grading of a class is, on the terminal's last line: how many, how fast, how long still."""

import time
from types import TracebackType
from typing import Self, TextIO

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn


class ClassBar:
    """A bar with the rate and the time left; silent in a pipe.

    Args:
        total: submissions to come. show: False keeps it silent.
    """

    def __init__(self, stream: TextIO, total: int, show: bool) -> None:
        columns = (TextColumn("{task.description}"), BarColumn(), TextColumn("{task.fields[pace]}"))
        self._progress = Progress(*columns, console=Console(file=stream), transient=True, disable=not show)
        self._task = self._progress.add_task(f"0 of {total} submissions", total=total, pace="")
        self._total, self._done, self._worked = total, 0, 0
        self._begun = time.monotonic()

    def advance(self, kept: bool = False) -> None:
        """One more has its result; ``kept``: it had it before, which says nothing of how fast others will go."""
        self._done += 1
        self._worked += not kept
        words = pace(self._worked, time.monotonic() - self._begun, self._total - self._done)
        description = f"{self._done} of {self._total} submissions"
        self._progress.update(self._task, description=description, completed=self._done, pace=words)

    def __enter__(self) -> Self:
        self._progress.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._progress.stop()


def pace(done: int, seconds: float, left: int) -> str:
    """Return how fast it goes and how long it will still take, in words; empty where nothing is known yet."""
    if done == 0 or seconds <= 0:
        return ""
    rate = done / seconds
    return f"{rate:.2f} a second, {_time(left / rate)} left"


def _time(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours} h {minutes:02} min"
    return f"{minutes} min {rest:02} s" if minutes else f"{rest} s"
