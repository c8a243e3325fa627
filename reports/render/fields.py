"""Text from anywhere as one field of a file for others: what steers is written out, and the length is bounded."""

import re

from acidtest.reports.render.html.clean import clean

_NO_CHARACTER = re.compile("[\ufdd0-\ufdef\ufffe\uffff]")
LONGEST = 4000
"""Characters of a field where nothing else is said."""


def line(text: str, longest: int | None = LONGEST) -> str:
    """Return ``text`` on one line: control characters, tabs and line ends written out, such as ``[U+000A]``.

    Args:
        longest: so many characters at most, the last of them an ellipsis where some are missing; None: all of them.
    """
    return cut(_plain(text).replace("\t", "[U+0009]").replace("\n", "[U+000A]"), longest)


def block(text: str, longest: int | None = LONGEST) -> str:
    """Return ``text`` with its lines and tabs as they are, and otherwise as ``line`` does."""
    return cut(_plain(text), longest)


def cut(text: str, longest: int | None) -> str:
    """Return ``text``, or as much of it as fits, with an ellipsis."""
    return text if longest is None or len(text) <= longest else f"{text[: longest - 1]}…"


def _plain(text: str) -> str:
    """Return text without anything that steers, and without code points that are no characters."""
    return _NO_CHARACTER.sub(lambda match: f"[U+{ord(match[0]):04X}]", clean(text))
