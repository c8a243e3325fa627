"""What a guest is given of this machine: the interpreter, the libraries it loads, the standard library, numpy.

An allow list, looked up and not guessed: a child of this interpreter loads whatever the standard library and numpy
could load, and tells where the loader found it.
"""

import functools
import importlib.util
import os
import subprocess
import sys
import sysconfig
from dataclasses import dataclass
from pathlib import Path

from acidtest.mutants.sandbox import told

_LEFT_OUT = ("site-packages", "dist-packages", "test", "idlelib", "tkinter", "turtledemo", "lib2to3", "ensurepip")
_LOOK_UP = """
import ctypes, os, sys

class Library(ctypes.Structure):
    _fields_ = [("address", ctypes.c_void_p), ("name", ctypes.c_char_p)]

def load(folder):
    for name in sorted(os.listdir(folder)):
        if name.endswith(".so") and not any(word in name for word in ("test", "tkinter", "xx", "examples")):
            try:
                ctypes.CDLL(os.path.join(folder, name))
            except OSError:
                pass  # it cannot be imported out here either

def note(library, size, data):
    names.append(os.fsdecode(library.contents.name or b""))
    return 0

def plain(name):  # a library found beside another has its way there in its name
    folder, file = os.path.split(name)
    return os.path.join(os.path.realpath(folder), file) if ".." in name else name

names = []
dynamic = [path for path in sys.path if os.path.basename(path) == "lib-dynload" and os.path.isdir(path)]
for folder in (*dynamic, *sys.argv[1:]):
    load(folder)
kind = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(Library), ctypes.c_size_t, ctypes.c_void_p)
ctypes.CDLL(None).dl_iterate_phdr(kind(note), None)
names = [plain(name) for name in names if os.path.isabs(name) and os.path.exists(name)]
for words in (dynamic, names):
    print(*words, sep="\\0")
"""
"""A child's work: print the folders of the extension modules, then the libraries that these and numpy's load."""


class InteriorError(Exception):
    """The guest's interpreter, or numpy, cannot be found on this machine."""


@dataclass(frozen=True, slots=True)
class Interior:
    """What of this machine a guest may read.

    Attributes:
        python: the interpreter itself, no virtual environment's link to it.
        stdlib: the folder of its standard library.
        dynamic: the folders of its extension modules, mostly inside ``stdlib``.
        packages: numpy's folder, and the folder of the libraries that its wheel brings.
        libraries: the shared libraries that these load, under the names by which the loader finds them.
    """

    python: Path
    stdlib: Path
    dynamic: tuple[Path, ...]
    packages: tuple[Path, ...]
    libraries: tuple[Path, ...]

    def entries(self) -> tuple[Path, ...]:
        """Return what is at the top of the standard library, but not what is installed beside it."""
        return tuple(path for path in sorted(self.stdlib.iterdir()) if path.name not in _LEFT_OUT)

    def hidden(self) -> tuple[Path, ...]:
        """Return the folders inside the standard library that a guest must not see."""
        return tuple(path for name in _LEFT_OUT if (path := self.stdlib / name).is_dir() and not path.is_symlink())


_keeping: list[Path] = []
"""The folder, where there is one."""


def keep_in(folder: Path) -> None:
    """Have what is looked up kept in ``folder`` from now on, for the processes that come after this one."""
    _keeping[:] = [folder]


@functools.cache
def look_up() -> Interior:
    """Return what a guest is given here; looked up once in a process, in about 50 ms where nothing was kept.

    Raises:
        InteriorError: the interpreter does not tell, or has no numpy.
    """
    numpy = importlib.util.find_spec("numpy")
    if numpy is None or not numpy.submodule_search_locations:
        raise InteriorError(f"{sys.executable} has no numpy; the guest needs it")
    package = Path(numpy.submodule_search_locations[0])
    core = package / "_core"
    compiled = [str(core if core.is_dir() else package / "core"), str(package / "linalg")]
    command = [sys.executable, "-I", "-S", "-B", "-X", "utf8", "-c", _LOOK_UP, *compiled]
    dynamic, names = _told(command, compiled)
    packages = tuple(path for path in (package, package.with_name("numpy.libs")) if path.is_dir())
    python = Path(os.path.realpath(getattr(sys, "_base_executable", None) or sys.executable))
    stdlib = Path(sysconfig.get_path("stdlib"))
    inside = tuple(f"{top}{os.sep}" for top in (stdlib, *packages))
    libraries = {Path(name) for name in names if not name.startswith(inside)}
    cache = Path("/etc/ld.so.cache")
    libraries |= {cache} if cache.exists() else set()
    return Interior(python, stdlib, tuple(map(Path, dynamic)), packages, tuple(sorted(libraries)))


def _told(command: list[str], compiled: list[str]) -> told.Told:
    """Return what the command tells of the folders ``compiled``, or told when it was kept.

    Raises:
        InteriorError: it does not tell.
    """
    for folder in _keeping:
        if (before := told.kept(folder, command, compiled)) is not None:
            return before
    try:
        done = subprocess.run(command, capture_output=True, encoding="utf-8", check=True, timeout=60)
        dynamic, names = (line.split("\0") if line else [] for line in done.stdout.splitlines())
    except (OSError, subprocess.SubprocessError, ValueError) as error:
        raise InteriorError(f"{sys.executable} does not tell what it is made of: {error}") from error
    for folder in _keeping:
        told.keep(folder, command, compiled, (dynamic, names))
    return dynamic, names


def walkable(path: Path) -> bool:
    """Return whether any user of this machine can read ``path`` and walk to it."""
    for place in (path, *path.parents):
        mode = os.stat(place).st_mode
        needed = 0o005 if place == path and path.is_dir() else 0o004 if place == path else 0o001
        if mode & needed != needed:
            return False
    return True
