"""Wait for what another process writes."""

import time
from pathlib import Path

from acidtest.reports.store import Store


def wait_for_trials(folder: Path, number: int) -> None:
    """Wait until a run has begun in a state folder, and has recorded so many trials."""
    end = time.monotonic() + 60
    while time.monotonic() < end:
        if (folder / "runs.sqlite").exists():
            with Store(folder) as store:
                if store.runs() and store.count(store.runs()[0].id) >= number:
                    return
        time.sleep(0.02)
    raise AssertionError("no trial was recorded")
