"""What a guest that runs a suite can import beside numpy: pytest, Hypothesis, what these need, and our end."""

import functools
import importlib.metadata
import os
import re
from collections.abc import Iterator
from pathlib import Path

from acidtest.mutants.sandbox.interior import InteriorError
from acidtest.mutants.sandbox.stage import GuestFiles

_ROOTS = ("pytest", "hypothesis")
_MODULES = (
    *("faults", "wire", "books", "lending", "writing", "arrays", "reading"),
    *("bulk", "many", "saying", "filters", "errors", "finding", "serving", "strangers", "outcome", "exchange", "apart"),
    "conversation",
    *("subject", "proxy", "guest", "suite_pytest", "suite_guest"),
)
_SHARED = "acidtest/mutants/plainness.py"
"""What the worker sets properties to, and the guest no otherwise."""
_LEFT_OUT = re.compile(
    r"pygments/(?:lexers/(?!__init__|_mapping|python|diff)|styles/(?!__init__|_mapping|default))"
    r"|hypothesis/extra/(?!__init__|numpy)"
)
_NAME = re.compile(r"[A-Za-z0-9._-]+")


@functools.cache
def suite_files() -> GuestFiles:
    """Return the files of the guest.

    Raises:
        InteriorError: pytest or Hypothesis is not installed as files.
    """
    room = Path(__file__).parent
    own = tuple((f"acidtest/mutants/sandbox/{name}.py", room / f"{name}.py") for name in _MODULES)
    shared = (_SHARED, room.parent / Path(_SHARED).name)
    settings = ("acidtest/mutants/sandbox/suite.ini", Path(os.devnull))
    return GuestFiles("acidtest.mutants.sandbox.suite_guest", (settings, shared, *own, *sorted(set(_installed()))))


def _installed() -> Iterator[tuple[str, Path]]:
    """Yield the modules of each distribution that is needed, with their place below the import root."""
    waiting, seen = list(_ROOTS), set()
    while waiting:
        name = waiting.pop()
        if name in seen:
            continue
        seen.add(name)
        try:
            found = importlib.metadata.distribution(name)
        except importlib.metadata.PackageNotFoundError:
            if name in _ROOTS:
                raise InteriorError(f"{name} is not installed; a suite cannot be run without it") from None
            continue  # needed elsewhere: by another Python, on another system
        waiting += _needs(found)
        for file in found.files or ():
            place = str(file)
            if place.endswith((".py", ".so")) and not place.startswith("..") and not _LEFT_OUT.match(place):
                yield place, Path(str(found.locate_file(file)))


def _needs(found: importlib.metadata.Distribution) -> list[str]:
    words = [line for line in found.requires or () if "extra ==" not in line]
    return [match[0] for line in words if (match := _NAME.match(line))]
