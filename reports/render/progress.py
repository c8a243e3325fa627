"""How far a run is, on the terminal's last line; silent in a pipe, and for the first two seconds."""

import threading
from types import TracebackType
from typing import Self, TextIO

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

PATIENCE = 2.0


class Bar:
    """The lab's progress as a bar.

    Args:
        show: False keeps it silent.
    """

    def __init__(self, stream: TextIO, show: bool) -> None:
        columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
        self._progress = Progress(*columns, console=Console(file=stream), transient=True, disable=not show)
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
        self._progress.update(self._task, description=f"0 of {total} mutants", total=total)

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
