"""The caller's filters for warnings, which hold for the submission too."""

import sys
import warnings
from typing import Any

from acidtest.mutants.sandbox.writing import Writer


def filters_text(filters: list[Any], writer: Writer) -> str:
    """Return the warning filters as JSON: action, message pattern, category, module pattern, line."""
    parts = []
    for action, message, category, module, line in filters:
        words = [action, _pattern(message), f"{category.__module__}.{category.__qualname__}", _pattern(module)]
        parts.append(f"[{','.join(writer.write(word) for word in words)},{line}]")
    return f"[{','.join(parts)}]"


def _pattern(pattern: Any) -> str | None:
    return str(getattr(pattern, "pattern", pattern)) if pattern is not None else None


def filter_warnings(filters: list[Any]) -> None:
    """Make the warning filters those of the caller; a category that is not known here cannot be raised here."""
    warnings.resetwarnings()
    for action, message, name, place, line in reversed(filters):
        home, _, kind = name.rpartition(".")
        category = getattr(sys.modules.get(home), kind, None)
        if category is not None:
            warnings.filterwarnings(action, message or "", category, place or "", line)
