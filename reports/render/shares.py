"""How a share of something is written."""

from fractions import Fraction


def percent(score: Fraction | None) -> str:
    """Return a score for people, never rounded up to 100."""
    if score is None:
        return "none"
    tenths = int(score * 1000) if score < 1 else 1000
    return f"{tenths / 10:.1f}%"
