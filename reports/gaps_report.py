"""The gaps of one run and where they come from, as the value that the page is made of."""

from dataclasses import dataclass
from pathlib import Path

from acidtest.mutants.model import Run
from acidtest.reports.gaps import Gaps


@dataclass(frozen=True, slots=True)
class GapsReport:
    """What the survivors of a run miss.

    Attributes:
        number: the run's number in the store. started: when, as ISO 8601.
        workload: the folder that paths are shown relative to. suite: where the tests lie.
        module: all tests to paste as one module, run as a whole; empty where ``problem`` says why there is none.
    """

    gaps: Gaps
    run: Run
    number: int
    started: str
    workload: Path
    suite: str
    module: str = ""
    problem: str = ""
