"""The versions that results depend on."""

import importlib.metadata
import platform


def versions() -> dict[str, str]:
    """Return the versions that results depend on."""
    names = ("acidtest", "hypothesis", "pytest", "numpy", "coverage")
    return {"python": platform.python_version()} | {name: importlib.metadata.version(name) for name in names}
