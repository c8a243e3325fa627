"""How long and how much a trial may use, and the errors by which the lab says that there is no verdict."""

from dataclasses import dataclass

from acidtest.mutants.model import Test


class LabError(Exception):
    """The lab cannot give a verdict; the message is one line with the remedy."""


class BaselineFailedError(LabError):
    """The tests fail on the unchanged target, so nothing can be said of any variant."""


class NoTestsError(LabError):
    """There is no test to judge anything by."""


@dataclass(frozen=True, slots=True)
class Limits:
    """How long and how much. Times in seconds of wall clock.

    Attributes:
        floor, factor: a trial may take ``max(floor, factor * its baseline time)``.
        startup: a child may take this long to install its variant and collect.
        baseline: one test on the unchanged target may take this long.
        memory_mb: a child's address space on top of what the worker holds.
    """

    floor: float = 5.0
    factor: float = 10.0
    startup: float = 60.0
    baseline: float = 300.0
    memory_mb: int = 4096

    def of(self, test: Test) -> float:
        """Return the test's limit."""
        return max(self.floor, self.factor * test.seconds)
