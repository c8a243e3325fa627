"""Text from anywhere made harmless to look at: what steers a terminal or turns the line is shown as what it is.

Escaping for HTML is the templates' work, for scripts ``document``'s. Here only characters go that do harm although they
are escaped: control characters, those that reverse the direction of the text around them, and halves of pairs, which
no file in UTF-8 can hold, and the two codes that XML forbids.
"""

import re
from collections.abc import Mapping
from typing import Any

_STEERING = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufeff\ufffe\uffff]"
)


def clean(text: str) -> str:
    """Return ``text`` with each such character written out, such as ``[U+001B]`` for ESC; CR LF as LF."""
    return _STEERING.sub(_shown, text.replace("\r\n", "\n"))


def cleaned(value: Any) -> Any:
    """Return JSON data with every text in it cleaned, keys too."""
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, Mapping):
        return {clean(str(key)): cleaned(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [cleaned(item) for item in value]
    return value


def _shown(match: re.Match[str]) -> str:
    return f"[U+{ord(match[0]):04X}]"
