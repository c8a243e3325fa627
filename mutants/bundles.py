"""A workload as plain data, to be sent to another machine: its files, and which of them are what.

``bundle_of`` makes a bundle, ``unpacked`` makes the same workload of it. Entries and wheats stay with who asks.
"""

import hashlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from acidtest.mutants.sandbox.desk import DeskError, SandboxRefusedError
from acidtest.mutants.workload import Workload

Data = dict[str, Any]

_ROOMS = Path(__file__).resolve().parent.parent
_SETTINGS = ("conftest.py", "pytest.ini", ".pytest.ini", "pyproject.toml", "tox.ini", "setup.cfg")


class BundleError(SandboxRefusedError):
    """The workload cannot be sent anywhere; one line with the reason."""


def bundle_of(workload: Workload) -> Data:
    """Return everything that a worker needs of a workload, beside an acidtest like this one, as plain data.

    Raises:
        BundleError: a part of it lies outside its root, where no worker could put it.
    """
    paths = set(workload.source.glob("*.py"))
    for module in workload.modules:
        paths.update(_files(workload.source / module.split(".")[0]))
    for tests in workload.tests:
        folder = tests if tests.is_dir() else tests.parent
        paths.update(_files(folder))
        above = (*folder.parents[: len(folder.relative_to(workload.root).parts)],) if _inside(workload, folder) else ()
        paths.update(place / name for place in above for name in _SETTINGS if (place / name).is_file())
    if workload.calls is not None and workload.calls.endswith(".py"):
        paths.update(Path(workload.calls).parent.glob("*.py"))
    outside = sorted(str(path) for path in paths if not _inside(workload, path))
    if outside:
        raise BundleError(f"{outside[0]} lies outside {workload.root}: a cluster needs the workload in one folder")
    files = {str(path.relative_to(workload.root)): path.read_bytes() for path in sorted(paths)}
    calls = workload.calls
    bundle = {
        "files": files,
        "source": str(workload.source.relative_to(workload.root)),
        "modules": list(workload.modules),
        "tests": [str(path.relative_to(workload.root)) for path in workload.tests],
        "calls": str(Path(calls).relative_to(workload.root)) if calls and calls.endswith(".py") else calls,
        "embedded": workload.embedded,
        "acidtest": _house(),
    }
    return {**bundle, "digest": digest_of(repr(bundle).encode())}


def unpacked(bundle: Data, root: Path) -> Workload:
    """Write a bundle's files below an empty folder and return the workload that they are.

    Raises:
        DeskError: this is another acidtest than the bundle was made by.
    """
    if bundle["acidtest"] != _house():
        raise DeskError("a worker has another acidtest than this one; install the same on all")
    for name, data in bundle["files"].items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    calls = bundle["calls"]
    return Workload(
        root=root,
        source=root / bundle["source"],
        modules=tuple(bundle["modules"]),
        tests=tuple(root / name for name in bundle["tests"]),
        catalog=root,  # entries are for who asks
        wheats=None,
        calls=str(root / calls) if calls and calls.endswith(".py") else calls,
        embedded=bundle["embedded"],
    )


def _inside(workload: Workload, path: Path) -> bool:
    return path.is_relative_to(workload.root)


def _files(folder: Path) -> Iterator[Path]:
    for inner, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith(".") and name != "__pycache__"]
        yield from (path for name in names if (path := Path(inner) / name).is_file() and path.suffix != ".pyc")


def _house() -> str:
    """Return the hash of the code that judges."""
    digest = hashlib.sha256()
    for room in ("mutants", "properties"):
        for path in sorted((_ROOMS / room).rglob("*.py")):
            if "tests" not in path.relative_to(_ROOMS).parts:
                digest.update(f"{path.relative_to(_ROOMS)}\0".encode() + path.read_bytes())
    return digest.hexdigest()[:16]


def digest_of(data: bytes) -> str:
    """Return the name of data: the first 16 hex digits of its SHA-256."""
    return hashlib.sha256(data).hexdigest()[:16]
