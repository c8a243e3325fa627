"""The folder of files that a guest starts from: its own few modules, and the way to everything else it may import.

Written anew by each process that launches guests, with the modules' compiled code, and removed at its end.
"""

import atexit
import fcntl
import functools
import importlib.machinery
import importlib.util
import marshal
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from acidtest.mutants.sandbox.interior import Interior, look_up, walkable

_PREFIX = "acidtest-guest-"
_OURS = ("start", "walls", "kernel", "seccomp", "syscalls", "landlock")
_HELD = 100
"""The first descriptor of the folders that are kept open for a guest that could not walk to them."""


@dataclass(frozen=True, slots=True)
class GuestFiles:
    """What a guest can import beside the standard library, numpy and the walls.

    Attributes:
        main: the module whose ``main(control, walls)`` is called behind the walls.
        modules: the files, each with its place below the guest's import root: ``("tinyllm/prob/uniforms.py", ...)``.
    """

    main: str
    modules: tuple[tuple[str, Path], ...] = ()


@dataclass(frozen=True, slots=True)
class Stage:
    """A folder with the modules in ``guest/``.

    For a guest without a root of its own, ``lib/`` and ``packages/`` have links to the standard library and numpy.

    Attributes:
        folder: where it is.
        interior: what its links lead to.
        held: folders that the guest must keep open, with the descriptor that its links go through.
    """

    folder: Path
    interior: Interior
    held: tuple[tuple[int, str], ...] = ()

    def through(self, path: Path) -> str:
        """Return ``path`` as a guest gets to it: by way of a held folder where it lies in one."""
        for number, folder in self.held:
            if path.is_relative_to(folder):
                return os.path.normpath(f"/proc/self/fd/{number}/{path.relative_to(folder)}")
        return str(path)

    def path(self) -> list[str]:
        """Return the guest's ``sys.path`` where it has no root of its own."""
        own = [self.folder / "guest", self.folder / "packages", self.folder / "lib"]
        return [self.through(path) for path in (*own, *self.interior.dynamic)]

    def readable(self) -> list[str]:
        """Return every file and folder that a guest without a root of its own may read."""
        interior = self.interior
        places = [self.folder, *interior.entries(), *interior.dynamic, *interior.packages, *interior.libraries]
        return [str(place) for place in dict.fromkeys(places) if place.exists()]


@functools.cache
def stage(files: GuestFiles, rooted: bool, stranger: bool) -> Stage:
    """Return the folder for these files; written once in a process: call it before forking.

    Args:
        rooted: whether the guest has a root of its own.
        stranger: whether the guest becomes a user who may not be able to walk to the folder or the interpreter.

    Raises:
        OSError: a file cannot be read, or the folder cannot be written.
        InteriorError: there is no interpreter with numpy to show.
    """
    interior = look_up()
    folder = _fresh()
    room = Path(__file__).parent
    own = [(f"acidtest/mutants/sandbox/{name}.py", room / f"{name}.py") for name in ("__init__", *_OURS)]
    for name, source in (("acidtest/mutants/__init__.py", room.parent / "__init__.py"), *own, *files.modules):
        copy = folder / "guest" / name
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, copy)
        if copy.suffix == ".py":
            _compile(source, copy)
    made = Stage(folder, interior, tuple(_to_be_held(folder, interior)) if stranger else ())
    links = () if rooted else (("lib", interior.entries()), ("packages", interior.packages))
    for place, originals in links:
        (folder / place).mkdir()
        for original in originals:
            (folder / place / original.name).symlink_to(made.through(original))
    for parent, _, names in os.walk(folder):
        os.chmod(parent, 0o755)
        for name in names:
            if not os.path.islink(os.path.join(parent, name)):
                os.chmod(os.path.join(parent, name), 0o644)
    return made


def _compile(source: Path, copy: Path) -> None:
    """Put the module's code beside its copy, taken from the source's own cache where that is fresh.

    Raises:
        SyntaxError: it is no Python.
    """
    code = importlib.machinery.SourceFileLoader(source.stem, str(source)).get_code(source.stem)
    unchecked = importlib.util.MAGIC_NUMBER + (1).to_bytes(4, "little") + bytes(8)
    cache = copy.parent / "__pycache__" / f"{copy.stem}.{sys.implementation.cache_tag}.pyc"
    cache.parent.mkdir(exist_ok=True)
    cache.write_bytes(unchecked + marshal.dumps(code))


def _to_be_held(folder: Path, interior: Interior) -> Iterator[tuple[int, str]]:
    tops: list[Path] = []
    for place in (folder, interior.stdlib, *interior.dynamic, *(path.parent for path in interior.packages)):
        if not walkable(place) and not any(place.is_relative_to(top) for top in tops):
            tops.append(place)
    return enumerate(map(str, tops), _HELD)


def _fresh() -> Path:
    """Make a folder that is removed when this process ends, or by the next one where it could not be."""
    places = Path(tempfile.gettempdir())
    for other in places.glob(f"{_PREFIX}*"):
        _remove_if_left(other)
    unnamed = Path(tempfile.mkdtemp(prefix=f".{_PREFIX}", dir=places))
    unnamed.chmod(0o755)
    handle = os.open(unnamed, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    fcntl.flock(handle, fcntl.LOCK_SH)  # as long as this process or a fork of it lives
    folder = unnamed.rename(places / unnamed.name[1:])  # found by others only now that it is locked
    owner = os.getpid()
    atexit.register(lambda: shutil.rmtree(folder, ignore_errors=True) if os.getpid() == owner else None)
    return folder


def _remove_if_left(folder: Path) -> None:
    try:
        handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:
        return
    try:
        if os.fstat(handle).st_uid == os.getuid():
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            shutil.rmtree(folder, ignore_errors=True)
    except OSError:
        return  # somebody lives in it
    finally:
        os.close(handle)
