"""Lists as people would write them: ``[0.5, 0.1] * 9999 + [0.5, 0.9]`` in place of twenty thousand numbers."""

from collections.abc import Sequence

SCALARS = (bool, int, float, str, bytes, type(None))
"""What may stand in a list several times and be one object."""
_LONG = 24
_PERIODS = 8
_WORTH = 12


def argument_text(value: object) -> str:
    """Return an argument of a call as an expression, for people."""
    if isinstance(value, list) and all(type(part) in SCALARS for part in value):
        return list_text([repr(part) for part in value])
    return repr(value)


def list_text(parts: Sequence[str]) -> str:
    """Return a list of scalars as an expression, in a long one with what is repeated said once.

    Args:
        parts: each one's own expression.
    """
    if len(parts) <= _LONG:
        return f"[{', '.join(parts)}]"
    pieces: list[str] = []
    single: list[str] = []
    place = 0
    while place < len(parts):
        saved, period, times = max(
            ((_times(parts, place, period) - 1) * period, -period, _times(parts, place, period))
            for period in range(1, _PERIODS + 1)
        )
        if saved < _WORTH:
            single.append(parts[place])
            place += 1
            continue
        if single:
            pieces.append(f"[{', '.join(single)}]")
            single = []
        pieces.append(f"[{', '.join(parts[place : place - period])}] * {times}")
        place += -period * times
    if single:
        pieces.append(f"[{', '.join(single)}]")
    return " + ".join(pieces)


def _times(parts: Sequence[str], place: int, period: int) -> int:
    """Return how many times the next ``period`` parts follow one another."""
    unit = parts[place : place + period]
    times = 1
    while parts[place + times * period : place + (times + 1) * period] == unit:
        times += 1
    return times if len(unit) == period else 1
