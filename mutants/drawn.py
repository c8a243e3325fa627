"""Hypothesis as a search: draw calls until two implementations differ, then make that call small."""

from collections.abc import Callable
from typing import Any

from hypothesis import HealthCheck, Phase, Verbosity, given, seed, settings
from hypothesis import strategies as st


def smallest(strategy: st.SearchStrategy[Any], differ: Callable[[Any], bool], examples: int, start: int) -> Any:
    """Return the smallest drawn value for which ``differ`` holds, as far as shrinking goes; None where none was drawn.

    Args:
        start: the seed; the same seed draws the same values.
    """
    last: list[Any] = []

    @seed(start)
    @settings(
        max_examples=examples,
        database=None,
        deadline=None,
        derandomize=False,
        report_multiple_bugs=False,
        phases=(Phase.generate, Phase.shrink),
        suppress_health_check=list(HealthCheck),
        verbosity=Verbosity.quiet,
    )
    @given(strategy)
    def look(value: Any) -> None:
        if differ(value):
            last[:] = [value]
            raise _DifferError

    try:
        look()
    except _DifferError:
        return last[0]
    return None


class _DifferError(Exception):
    """The two answers differ."""
