"""What a guest is given of this machine: the interpreter, the libraries it loads, the standard library, numpy.

An allow list, looked up and not guessed: a child of this interpreter loads whatever the standard library and numpy
could load, and tells where the loader found it.
"""

import functools
import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

_LEFT_OUT = ("site-packages", "dist-packages", "test", "idlelib", "tkinter", "turtledemo", "lib2to3", "ensurepip")
_LOOK_UP = """
import ctypes, importlib.util, json, os, pathlib, sys, sysconfig

class Library(ctypes.Structure):
    _fields_ = [("address", ctypes.c_void_p), ("name", ctypes.c_char_p)]

def load(folder, deep):
    for path in sorted((folder.rglob if deep else folder.glob)("*.so")):
        if not any(word in path.name for word in ("test", "tkinter", "xx", "examples")):
            try:
                ctypes.CDLL(str(path))
            except OSError:
                pass  # it cannot be imported out here either

def note(library, size, data):
    names.append(os.fsdecode(library.contents.name or b""))
    return 0

def plain(name):  # a library found beside another has its way there in its name
    folder, file = os.path.split(name)
    return os.path.join(os.path.realpath(folder), file) if ".." in name else name

names = []
stdlib = pathlib.Path(sysconfig.get_path("stdlib"))
dynamic = [p for p in map(pathlib.Path, sys.path) if p.name == "lib-dynload" and p.is_dir()]
numpy = importlib.util.find_spec("numpy")
package = pathlib.Path(numpy.submodule_search_locations[0]) if numpy else None
for folder in dynamic:
    load(folder, False)
if package:
    load(package / ("_core" if (package / "_core").is_dir() else "core"), False)
    load(package / "linalg", False)
kind = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(Library), ctypes.c_size_t, ctypes.c_void_p)
ctypes.CDLL(None).dl_iterate_phdr(kind(note), None)
beside = [package, package.with_name("numpy.libs")] if package else []
print(json.dumps({
    "python": os.path.realpath(getattr(sys, "_base_executable", None) or sys.executable),
    "stdlib": str(stdlib),
    "dynamic": [str(folder) for folder in dynamic],
    "packages": [str(path) for path in beside if path.is_dir()],
    "libraries": [plain(name) for name in names if os.path.isabs(name) and os.path.exists(name)],
}))
"""


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


@functools.cache
def look_up() -> Interior:
    """Return what a guest is given here; looked up once in a process, about 70 ms.

    Raises:
        InteriorError: the interpreter does not tell, or has no numpy.
    """
    command = [sys.executable, "-I", "-B", "-c", _LOOK_UP]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
        found = json.loads(done.stdout)
    except (OSError, subprocess.SubprocessError, ValueError) as error:
        raise InteriorError(f"{sys.executable} does not tell what it is made of: {error}") from error
    if not found["packages"]:
        raise InteriorError(f"{sys.executable} has no numpy; the guest needs it")
    packages = tuple(map(Path, found["packages"]))
    stdlib = Path(found["stdlib"])
    inside = (stdlib, *packages)
    libraries = {Path(name) for name in found["libraries"] if not any(Path(name).is_relative_to(top) for top in inside)}
    cache = Path("/etc/ld.so.cache")
    libraries |= {cache} if cache.exists() else set()
    return Interior(
        Path(found["python"]), stdlib, tuple(map(Path, found["dynamic"])), packages, tuple(sorted(libraries))
    )


def walkable(path: Path) -> bool:
    """Return whether any user of this machine can read ``path`` and walk to it."""
    for place in (path, *path.parents):
        mode = os.stat(place).st_mode
        needed = 0o005 if place == path and path.is_dir() else 0o004 if place == path else 0o001
        if mode & needed != needed:
            return False
    return True
