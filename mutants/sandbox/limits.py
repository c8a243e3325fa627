"""What one submission may use of this machine while it is judged."""

from dataclasses import dataclass

from acidtest.mutants.sandbox.walls import GuestLimits


@dataclass(frozen=True, slots=True)
class Limits:
    """What one submission may use, in seconds of wall clock but for the last, and its forks' memory.

    Attributes:
        call_seconds: one answer. test_seconds: one test's or battery's calls. seconds: all of them.
        memory_mb, cpu_seconds: of each fork.
    """

    call_seconds: float = 5.0
    test_seconds: float = 15.0
    seconds: float = 60.0
    memory_mb: int = 512
    cpu_seconds: float = 15.0

    def of_forks(self) -> GuestLimits:
        """Return the part that its guest sees to itself."""
        return GuestLimits(memory_mb=self.memory_mb, cpu_seconds=self.cpu_seconds)
