"""What the interpreter told of itself, kept on disk until anything that it depends on has changed.

A guest can read whatever a file of these names, so one is believed only where nobody but this user could have written
it, and only while every library and every folder of libraries is what it was.
"""

import contextlib
import json
import os
import stat
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

Told = tuple[list[str], list[str]]
"""The folders of the interpreter's extension modules, and the libraries that these and others load."""

_FILE = "interior.json"
_LARGEST = 1 << 20
_LOADERS = ("/etc/ld.so.cache", "/etc/ld.so.preload")
"""What tells the loader where to look, if no variable does."""


def kept(folder: Path, asked: Sequence[str], folders: Sequence[str]) -> Told | None:
    """Return what was kept in ``folder``, where it is still true; None where it is not, or might not be ours.

    Args:
        asked: what the interpreter was asked, and by which command.
        folders: whose libraries it was asked about, beside those that it names itself.
    """
    try:
        data = json.loads(_read(folder / _FILE))
        dynamic, names = [str(path) for path in data["dynamic"]], [str(path) for path in data["names"]]
        if _is_steered() or data["depends"] != _depends(asked, [*folders, *dynamic], names):
            return None
    except (OSError, ValueError, TypeError, KeyError):
        return None
    return dynamic, names


def keep(folder: Path, asked: Sequence[str], folders: Sequence[str], told: Told) -> None:
    """Keep it for the next process; where the folder cannot be written to, that one asks again."""
    if _is_steered():
        return
    dynamic, names = told
    with contextlib.suppress(OSError):
        data = {"depends": _depends(asked, [*folders, *dynamic], names), "dynamic": dynamic, "names": names}
        folder.mkdir(parents=True, exist_ok=True)
        handle, fresh = tempfile.mkstemp(prefix=".interior-", dir=folder)  # no other user can open it
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            json.dump(data, file)
        os.replace(fresh, folder / _FILE)


def _read(path: Path) -> bytes:
    """Return the text of a file that this user wrote and nobody else could.

    Raises:
        OSError: it is not there, or somebody else's, or others may write to it.
    """
    handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    with os.fdopen(handle, "rb") as file:
        status = os.fstat(handle)
        ours = stat.S_ISREG(status.st_mode) and status.st_uid == os.geteuid() and status.st_nlink == 1
        if not ours or status.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
            raise PermissionError(f"{path}: others could have written it")
        return file.read(_LARGEST)


def _is_steered() -> bool:
    """Return whether the loader looks where a variable says: what lies there is not asked about."""
    return any(name.startswith("LD_") for name in os.environ)


def _depends(asked: Sequence[str], folders: Sequence[str], names: Sequence[str]) -> list[Any]:
    """Return what another answer would come from, as JSON has it.

    Raises:
        OSError: a folder or a library is not there any more.
    """
    found = {entry.path: _of(entry.stat()) for folder in folders for entry in os.scandir(folder) if _counts(entry.name)}
    loaders = [_of(os.stat(path)) if os.path.exists(path) else None for path in _LOADERS]
    libraries = [_of(os.stat(name)) for name in names]
    interpreter = [sys.version, sys.base_prefix, _of(os.stat(sys.executable))]
    return [[*asked], interpreter, loaders, sorted(map(list, found.items())), libraries]


def _counts(name: str) -> bool:
    return ".so" in name


def _of(status: os.stat_result) -> list[int]:
    return [status.st_mtime_ns, status.st_ctime_ns, status.st_size, status.st_ino, status.st_dev]
