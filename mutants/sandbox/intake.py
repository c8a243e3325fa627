"""What is handed in, as bytes: one file, or a folder or a zip with exactly one ``rejection.py`` in it.

Nothing is extracted, run or compiled here, and no link is followed. What cannot be taken is refused in one sentence
for the person who handed it in: what is wrong, where, and what to do.
"""

import contextlib
import hashlib
import itertools
import os
import stat
from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from acidtest.mutants.sandbox.intake_text import (
    DEPENDENCIES,
    LARGEST,
    MAIN,
    IntakeError,
    check_text,
    cleaned,
    is_noise,
    pick,
)
from acidtest.mutants.sandbox.intake_zip import from_zip

_FLAGS = sum(getattr(os, name, 0) for name in ("O_CLOEXEC", "O_NOFOLLOW", "O_NONBLOCK", "O_NOCTTY"))
LARGEST_ZIP = 20_000_000
_DEPTH, _ENTRIES = 12, 20_000
ZIP = (b"PK\x03\x04", b"PK\x05\x06")


@dataclass(frozen=True, slots=True)
class Submission:
    """What somebody handed in.

    Attributes:
        name: the name of the file, folder or zip, fit to be printed.
        files: ``rejection.py``; where its own were asked for, ``categorical.py`` and ``uniforms.py`` too, if there.
        sha256: of the file, where it is one; of all names, lengths and bytes, where they are several.
    """

    name: str
    files: Mapping[str, bytes]
    sha256: str


def take(path: Path, own_deps: bool = False) -> Submission:
    """Return what is at ``path``.

    Args:
        own_deps: whether ``categorical.py`` and ``uniforms.py`` beside the file are part of it.

    Raises:
        IntakeError: it cannot be taken.
    """
    shown = cleaned(path.name or str(path.absolute()))
    wanted = DEPENDENCIES if own_deps else ()
    with contextlib.ExitStack() as handles:
        handle = _open(str(path), None, shown, handles)
        if stat.S_ISDIR(os.fstat(handle).st_mode):
            files = _from_folder(handle, shown, wanted, handles)
        else:
            head = _read(handle, 4)
            if head in ZIP or path.suffix.lower() == ".zip":
                files = from_zip(_whole_zip(head, handle, shown), shown, wanted)
            else:
                files = {MAIN: head + _read(handle, LARGEST + 1 - len(head))}
                if wanted:
                    folder = _open(str(path.parent), None, shown, handles, follow=True)
                    files |= _beside(folder, wanted, shown, handles)
    return checked(shown, files)


def checked(shown: str, files: Mapping[str, bytes]) -> Submission:
    """Return files that were read, ``rejection.py`` among them, as a submission.

    Raises:
        IntakeError: one of them is no text, or too large.
    """
    for name, data in files.items():
        check_text(data, shown if len(files) == 1 and shown.endswith(".py") else f"{shown}: {name}")
    return Submission(shown, files, _digest(files))


def _open(name: str, folder: int | None, shown: str, handles: contextlib.ExitStack, follow: bool = False) -> int:
    """Open a plain file or a folder for reading; what it is, is asked of the very thing that was opened.

    Raises:
        IntakeError: it is a link, a device, a pipe, is not there, or may not be read.
    """
    try:
        if not follow:
            _check_kind(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode, shown)  # a device is not opened
        flags = os.O_RDONLY | (_FLAGS & ~getattr(os, "O_NOFOLLOW", 0) if follow else _FLAGS)
        handle = os.open(name, flags, dir_fd=folder)
    except FileNotFoundError as error:
        raise IntakeError(f"{shown}: there is no such file; check its name") from error
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise IntakeError(f"{shown}: cannot be opened ({reason}); hand in a file that everyone may read") from error
    handles.callback(os.close, handle)
    _check_kind(os.fstat(handle).st_mode, shown)
    return handle


def _check_kind(mode: int, shown: str) -> None:
    if stat.S_ISLNK(mode):
        raise IntakeError(f"{shown}: is a link; hand in the file itself")
    if not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):
        kinds = ((stat.S_ISFIFO, "a pipe"), (stat.S_ISSOCK, "a socket"))
        kind = next((words for check, words in kinds if check(mode)), "a device")
        raise IntakeError(f"{shown}: is {kind} and not a file; hand in a Python file, a folder or a zip")


def _read(handle: int, size: int) -> bytes:
    """Return the next ``size`` bytes, or what there is."""
    data = b""
    while len(data) < size and (chunk := os.read(handle, size - len(data))):
        data += chunk
    return data


def _whole_zip(head: bytes, handle: int, shown: str) -> bytes:
    data = head + _read(handle, LARGEST_ZIP)  # more than is allowed shows as more
    if len(data) > LARGEST_ZIP:
        raise IntakeError(f"{shown}: is larger than {LARGEST_ZIP // 1_000_000} MB; hand in only your own code")
    return data


def _from_folder(top: int, shown: str, wanted: Sequence[str], handles: contextlib.ExitStack) -> dict[str, bytes]:
    with contextlib.closing(_walk(top, "", shown)) as walk:
        paths = list(itertools.islice(walk, _ENTRIES + 1))
    if len(paths) > _ENTRIES:
        raise IntakeError(f"{shown}: holds more than {_ENTRIES} files; hand in only your own code")
    candidates = [path for path in paths if path.rsplit("/", 1)[-1] == MAIN]
    others = [path for path in paths if path.lower().endswith((".py", ".zip", ".ipynb"))]
    place = pick(candidates, others, shown)
    *parents, _ = place.split("/")
    folder = top
    for parent in parents:
        folder = _open(parent, folder, f"{shown}: {cleaned(place)}", handles)
    files = _beside(folder, (MAIN, *wanted), shown, handles)
    if MAIN not in files:
        raise IntakeError(f"{shown}: {cleaned(place)} went away while it was read; hand it in again")
    return files


def _beside(folder: int, names: Sequence[str], shown: str, handles: contextlib.ExitStack) -> dict[str, bytes]:
    """Return those of the files that are in a folder."""
    files = {}
    for name in names:
        try:
            os.stat(name, dir_fd=folder, follow_symlinks=False)
        except OSError:
            continue
        handle = _open(name, folder, f"{shown}: {name}", handles)
        if stat.S_ISDIR(os.fstat(handle).st_mode):
            raise IntakeError(f"{shown}: {name} is a folder and not a file; put your code into a file of this name")
        files[name] = _read(handle, LARGEST + 1)  # what is too large shows as such
    return files


def _walk(folder: int, prefix: str, shown: str) -> Generator[str, None, None]:
    """Yield the path of everything below a folder; links are not followed, and noise is left out.

    Raises:
        IntakeError: it is too deep to be somebody's own code.
    """
    if prefix.count("/") > _DEPTH:
        raise IntakeError(f"{shown}: has folders more than {_DEPTH} deep; hand in only your own code")
    with os.scandir(folder) as entries:
        for entry in entries:
            if is_noise((entry.name,)):
                continue
            yield prefix + entry.name
            if entry.is_dir(follow_symlinks=False):
                with contextlib.ExitStack() as handles:
                    inner = _open(entry.name, folder, f"{shown}: {cleaned(prefix + entry.name)}", handles)
                    yield from _walk(inner, f"{prefix}{entry.name}/", shown)


def _digest(files: Mapping[str, bytes]) -> str:
    if list(files) == [MAIN]:
        return hashlib.sha256(files[MAIN]).hexdigest()
    digest = hashlib.sha256()
    for name, data in sorted(files.items()):
        digest.update(f"{name}\0{len(data)}\0".encode() + data)
    return digest.hexdigest()
