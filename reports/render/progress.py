"""How far a run is, how fast it goes and how long it takes, on the terminal's last line.

Silent in a pipe, and for the first two seconds.
"""

import threading
from types import TracebackType
from typing import Self, TextIO

from rich.console import Console
from rich.progress import BarColumn, Progress, ProgressColumn, Task, TextColumn
from rich.text import Text

PATIENCE = 2.0
_ROOM = 64
"""How wide a terminal must be for a bar beside the words."""


class Bar:
    """The lab's progress as a bar.

    Args:
        show: False keeps it silent.
    """

    def __init__(self, stream: TextIO, show: bool) -> None:
        console = Console(file=stream)
        bar = [BarColumn(bar_width=24)] if console.width >= _ROOM else []
        columns = (TextColumn("{task.description}", markup=False), *bar, _Pace())
        self._progress = Progress(*columns, console=console, transient=True, disable=not show)
        self._task = self._progress.add_task("starting", total=None)
        self._done = self._total = 0
        self._timer = threading.Timer(PATIENCE, self._progress.start)
        self._timer.daemon = True

    def phase(self, text: str) -> None:
        """Say what goes on now."""
        self._progress.update(self._task, description=text)

    def start(self, total: int) -> None:
        """The variants begin: ``total`` of them."""
        self._total = total
        self._progress.reset(self._task, description=f"0 of {total} mutants", total=total)

    def advance(self, variant: str) -> None:
        """One variant has all its trials."""
        self._done += 1
        description = f"{self._done} of {self._total} mutants"
        self._progress.update(self._task, description=description, completed=self._done)

    def __enter__(self) -> Self:
        self._timer.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._timer.cancel()
        self._timer.join()
        self._progress.stop()


class _Pace(ProgressColumn):
    """Rate and time left, of the last half minute."""

    def render(self, task: Task) -> Text:
        """Return what ``pace`` says of the task."""
        return Text(pace(task.elapsed or 0.0, task.speed, task.time_remaining), style="dim")


def pace(elapsed: float, rate: float | None, left: float | None) -> str:
    """Return how fast it goes and how long it takes; the time gone where neither is known yet.

    Args:
        elapsed: seconds since the beginning. rate: mutants (or submissions) a second. left: seconds.
    """
    if not rate or left is None:
        return f"{duration(elapsed)} so far"
    shown = f"{rate:.0f}/s" if rate >= 10 else f"{rate:.1f}/s" if rate >= 0.1 else f"{rate * 60:.1f}/min"
    return f"{shown}, {duration(left)} left"


def duration(seconds: float) -> str:
    """Return a time for people: ``7 s``, ``2:05 min``, ``1:02 h``."""
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60}:{whole % 60:02} min"
    return f"{whole // 3600}:{whole % 3600 // 60:02} h"
