"""What runs first in a guest: it raises the walls, says so, and hands over. No code of a submission is near yet."""

import sys

if __name__ == "__main__":
    sys.path.insert(0, sys.argv[1])  # where the guest's own few files are, and this one among them

import contextlib
import gc
import importlib
import json
import os
import socket
from typing import Any

from acidtest.mutants.sandbox.walls import GuestLimits, Identity, Walls

READY = b"the walls stand\n"


def start(settings: dict[str, Any]) -> None:
    """Raise the walls that ``settings`` describe and call ``main(control, walls)`` of the module named there.

    ``settings`` has "control" (a descriptor), "main", "path" (all of ``sys.path``), "held" (folders to be kept open,
    by descriptor, because nobody could walk to them later), "readable", "identity", "filtered", "limits" and "parent".
    """
    for number, folder in settings["held"]:
        handle = os.open(folder, os.O_PATH | os.O_DIRECTORY)
        os.dup2(handle, number)
        os.close(handle)
    identity = Identity(*settings["identity"]) if settings["identity"] else None
    walls = Walls(GuestLimits(**settings["limits"]), identity, settings["readable"], settings["filtered"])
    walls.rise(settings["parent"])
    _look_only_in(settings["path"])
    os.environ.clear()  # bubblewrap sets PWD
    os.environ.update(OPENBLAS_NUM_THREADS="1", OMP_NUM_THREADS="1", MKL_NUM_THREADS="1")
    gc.disable()  # what is imported now stays: looking through it for garbage takes a twentieth of the time
    module = importlib.import_module(settings["main"])
    gc.enable()
    control = socket.socket(fileno=settings["control"])
    os.write(2, READY)
    os.dup2(1, 2)
    module.main(control, walls)


def _look_only_in(path: list[str]) -> None:
    """Import from ``path`` alone from now on, the further modules of packages that are loaded already included."""
    sys.path[:] = path
    sys.path_importer_cache.clear()
    for name, module in list(sys.modules.items()):
        if isinstance(getattr(module, "__path__", None), list):
            places = (os.path.join(folder, *name.split(".")) for folder in path)
            module.__path__[:] = [place for place in places if os.path.isdir(place)]


if __name__ == "__main__":
    try:
        start(json.loads(sys.argv[2]))
    except BaseException as error:
        with contextlib.suppress(OSError):
            os.write(2, f"{type(error).__name__}: {error}\n".encode(errors="replace"))
        os._exit(1)
    os._exit(0)
