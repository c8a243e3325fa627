"""Probes of the file system: reading the host, writing anywhere, leaving notes for the next fork."""

import contextlib
import fcntl
import os
import resource
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from acidtest.mutants.sandbox import kernel, syscalls
from acidtest.mutants.sandbox.tally import MB, Tally, done, numbers


def read_host(tally: Tally, files: Sequence[str], folders: Mapping[str, Sequence[str]]) -> None:
    """Open files of the host, by their names and upwards from every open descriptor; see what its folders hold.

    Args:
        folders: each with names that it has on the host, and that the guest has no business to see.
    """
    for path in files:
        tally.attempt(f"read {path}", _first_byte, path)
        for number in _open_descriptors():
            tally.attempt(f"read {path} from descriptor {number}", _first_byte, "../" * 24 + path.lstrip("/"), number)
    for folder, names in folders.items():
        tally.attempt(f"list {folder}", lambda at, hidden: hidden & set(os.listdir(at)), folder, set(names))


def _first_byte(path: str, start: int | None = None) -> bool:
    handle = os.open(path, os.O_RDONLY, dir_fd=start)
    try:
        os.read(handle, 1)
    finally:
        os.close(handle)
    return True


def _open_descriptors() -> list[int]:
    found = []
    for number in range(256):
        with contextlib.suppress(OSError):
            os.fstat(number)
            found.append(number)
    return found


def write_outside(tally: Tally, folders: Sequence[str], name: str) -> None:
    """Make a file, a folder, a nameless file: in the host's folders, the guest's own and the open descriptors."""
    own = [*sys.path, os.path.dirname(kernel.__file__), os.getcwd()]
    own += [f"/proc/self/fd/{number}" for number in _open_descriptors()]
    for folder in dict.fromkeys([*folders, *own]):
        tally.attempt(f"write a file in {folder}", _make, os.path.join(folder, name))
        tally.attempt(f"make a folder in {folder}", _make_folder, os.path.join(folder, name))
        tally.attempt(f"write a nameless file in {folder}", _open_to_write, folder, os.O_TMPFILE)
    for path in (kernel.__file__, sys.executable):
        tally.attempt(f"open {path} for writing", _open_to_write, path)
        tally.attempt(f"touch {path}", _touch, path)
        tally.attempt(f"change the mode of {path}", lambda at: done(os.chmod, at, os.stat(at).st_mode), path)


def _touch(path: str) -> bool:
    now = os.stat(path)
    os.utime(path, ns=(now.st_atime_ns, now.st_mtime_ns))
    return True


def _make(path: str) -> bool:
    _open_to_write(path, os.O_CREAT | os.O_EXCL)
    os.unlink(path)
    return True


def _make_folder(path: str) -> bool:
    os.mkdir(path)
    os.rmdir(path)
    return True


def _open_to_write(path: str, flags: int = 0) -> bool:
    os.close(os.open(path, os.O_WRONLY | flags, 0o600))
    return True


def fill_disk(tally: Tally) -> None:
    """Lift the limit on files, and grow whatever is open."""
    tally.attempt("raise the limit on files", done, resource.setrlimit, resource.RLIMIT_FSIZE, (MB, MB))
    for number in _open_descriptors():
        tally.attempt(f"grow descriptor {number}", done, os.ftruncate, number, MB)
        tally.attempt(f"fill descriptor {number}", done, os.posix_fallocate, number, 0, MB)


def leave_note(tally: Tally, folders: Sequence[str], name: str) -> None:
    """Leave whatever a later fork could find. That it cannot is seen by `find_note`."""
    for _, leave, _ in _notes(folders, name):
        tally.tried += 1
        with contextlib.suppress(OSError, ValueError, AttributeError):
            leave()


def find_note(tally: Tally, folders: Sequence[str], name: str) -> None:
    """Find what an earlier fork left, and take it away."""
    for place, _, find in _notes(folders, name):
        tally.attempt(f"find a note in {place}", find)


def _notes(folders: Sequence[str], name: str) -> list[tuple[str, Callable[[], Any], Callable[[], Any]]]:
    """Return places for a note, each with how to leave it there and how to find it."""
    key = int.from_bytes(name.encode()[-3:], "little")
    get, control = (numbers(syscalls.MEMORY)[call] for call in ("shmget", "shmctl"))

    def file(folder: str) -> tuple[str, Callable[[], Any], Callable[[], Any]]:
        path = os.path.join(folder, name)
        return folder, lambda: _open_to_write(path, os.O_CREAT), lambda: done(os.unlink, path)

    def flags(number: int) -> tuple[str, Callable[[], Any], Callable[[], Any]]:
        def now() -> int:
            return fcntl.fcntl(number, fcntl.F_GETFL)

        def leave() -> None:
            fcntl.fcntl(number, fcntl.F_SETFL, now() | os.O_APPEND)

        return f"the flags of descriptor {number}", leave, lambda: now() & os.O_APPEND

    table = sys.modules["numpy"].sctypeDict
    return [
        *map(file, folders),
        *map(flags, range(3)),
        (
            "a System V segment",
            lambda: kernel.syscall(get, key, 4096, 0o1600),
            lambda: kernel.syscall(control, kernel.syscall(get, key, 4096, 0o600), 0, 0) == 0,
        ),
        ("a module", lambda: setattr(sys, name, True), lambda: hasattr(sys, name)),
        ("numpy", lambda: table.update({name: int}), lambda: name in table),
        ("the zygote's environment", lambda: os.environ.update({name: "1"}), lambda: name in os.environ),
    ]
