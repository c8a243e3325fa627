"""How far the grading of a class is, on the terminal's last line: how many, how fast, how long still."""

import time
from types import TracebackType
from typing import Self, TextIO

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn

from acidtest.reports.render.progress import pace


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
        words = class_pace(self._worked, time.monotonic() - self._begun, self._total - self._done)
        description = f"{self._done} of {self._total} submissions"
        self._progress.update(self._task, description=description, completed=self._done, pace=words)

    def __enter__(self) -> Self:
        self._progress.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._progress.stop()


def class_pace(done: int, elapsed: float, left: int) -> str:
    """Return ``pace`` at the rate since the beginning.

    Args:
        done: submissions judged in ``elapsed`` seconds. left: submissions still to come.
    """
    rate = done / elapsed if elapsed > 0 else 0.0
    return pace(elapsed, rate, left / rate if rate else None)
