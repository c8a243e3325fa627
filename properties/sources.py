"""Sources of uniforms for tests: one that reads from a script, one that counts what another gave."""

from collections.abc import Iterable
from typing import Protocol


class _Source(Protocol):
    def random(self) -> float: ...


class ScriptedSource:
    """Hands out the given uniforms in order and fails once they are used up.

    Attributes:
        drawn: how many were handed out.
    """

    def __init__(self, values: Iterable[float]) -> None:
        self._values = tuple(values)
        self.drawn = 0

    def random(self) -> float:
        """Return the next uniform of the script."""
        if self.drawn == len(self._values):
            raise AssertionError(f"a uniform was drawn after all {self.drawn} of the script")
        value = self._values[self.drawn]
        self.drawn += 1
        return value

    def coming(self, count: int) -> tuple[float, ...]:
        """Return the next uniforms, up to ``count`` of those that are left; none is drawn."""
        return self._values[self.drawn : self.drawn + count]


class CountingSource:
    """Passes another source's uniforms on.

    Attributes:
        drawn: how many were passed on.
    """

    def __init__(self, inner: _Source) -> None:
        self._inner = inner
        self.drawn = 0

    def random(self) -> float:
        """Return the inner source's next uniform."""
        self.drawn += 1
        return self._inner.random()
