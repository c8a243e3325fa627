"""A learner's suite as bytes: one test module, or a folder of test modules with the helpers that they import.

Nothing is run or compiled here, and no link is followed. What cannot be taken is refused in one sentence for the
person who wrote it.
"""

import hashlib
import os
import stat
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from acidtest.mutants.sandbox.intake_text import LARGEST, IntakeError, check_text, cleaned, is_noise

_FLAGS = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0)
_FILES = 100
_DEPTH = 6
_TAKEN = frozenset({"acidtest", "tinyllm", "numpy", "pytest", "hypothesis"})


@dataclass(frozen=True, slots=True)
class Suite:
    """What somebody wrote to test an implementation with.

    Attributes:
        name: of the file or folder, fit to be printed.
        modules: the text of each module that can be imported, by its full name.
        tests: which of them hold tests, in order.
        sha256: of all names and texts.
    """

    name: str
    modules: Mapping[str, bytes]
    tests: tuple[str, ...]
    sha256: str


def looks_like_tests(name: str) -> bool:
    """Return whether a file of this name holds tests, as pytest sees it."""
    return name.endswith(".py") and (name.startswith("test_") or name.endswith("_test.py"))


def take_suite(path: Path) -> Suite:
    """Return the suite at ``path``; a file is taken for tests whatever it is called.

    Modules of a folder import each other by their place in it; an ``__init__.py`` is not run.

    Raises:
        IntakeError: it cannot be taken.
    """
    shown = cleaned(path.name or str(path.absolute()))
    if _is_folder(path, shown):
        files = dict(_below(path, "", shown))
        names = {_module(place, shown): place for place in sorted(files)}
        texts = {name: files[place] for name, place in names.items()}
        tests = tuple(name for name, place in names.items() if looks_like_tests(place.rpartition("/")[2]))
        if not tests:
            raise IntakeError(f"{shown}: holds no test module; a name such as test_rejection.py makes one")
    else:
        texts = {path.stem if path.stem.isidentifier() else "test_suite": _read(path, shown)}
        check_text(next(iter(texts.values())), shown)
        tests = tuple(texts)
        if _TAKEN & set(tests):
            raise IntakeError(f"{shown}: has the name of what it tests with; call it test_rejection.py")
    digest = hashlib.sha256()
    for name, data in sorted(texts.items()):
        digest.update(f"{name}\0{len(data)}\0".encode() + data)
    return Suite(shown, texts, tests, digest.hexdigest())


def _below(folder: Path, prefix: str, shown: str) -> Iterator[tuple[str, bytes]]:
    """Yield every Python file below a folder with its place in it."""
    if prefix.count("/") > _DEPTH:
        raise IntakeError(f"{shown}: has folders more than {_DEPTH} deep; hand in only your own code")
    found = 0
    with os.scandir(folder) as entries:
        for entry in sorted(entries, key=lambda entry: entry.name):
            place = f"{prefix}{entry.name}"
            if is_noise((entry.name,)):
                continue
            if entry.is_dir(follow_symlinks=False):
                yield from _below(Path(entry.path), f"{place}/", shown)
            elif entry.name.endswith(".py") and entry.name != "__init__.py":  # folders are packages without it
                found += 1
                if found > _FILES:
                    raise IntakeError(f"{shown}: holds more than {_FILES} modules; hand in only your own code")
                yield place, _read(Path(entry.path), f"{shown}: {cleaned(place)}")


def _module(place: str, shown: str) -> str:
    parts = place.removesuffix(".py").split("/")
    if not all(part.isidentifier() for part in parts):
        raise IntakeError(f"{shown}: {cleaned(place)} cannot be imported under this name; use letters, digits and _")
    if parts[0] in _TAKEN and len(parts) == 1:
        raise IntakeError(f"{shown}: {cleaned(place)} has the name of what it tests with; choose another")
    return ".".join(parts)


def _read(path: Path, shown: str) -> bytes:
    _is_folder(path, shown)
    try:
        handle = os.open(path, _FLAGS)
    except OSError as error:
        raise IntakeError(f"{shown}: cannot be opened ({error.strerror}); hand in a plain file") from error
    with os.fdopen(handle, "rb") as file:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            raise IntakeError(f"{shown}: is no plain file; hand in the Python file itself")
        data = file.read(LARGEST + 1)
    if data.strip():  # a helper may be empty
        check_text(data, shown)
    return data


def _is_folder(path: Path, shown: str) -> bool:
    """Return whether ``path`` is a folder; a link and whatever is neither file nor folder is refused."""
    try:
        mode = os.stat(path, follow_symlinks=False).st_mode
    except OSError as error:
        raise IntakeError(f"{shown}: cannot be read ({error.strerror}); check its name") from error
    if stat.S_ISLNK(mode):
        raise IntakeError(f"{shown}: is a link; hand in the file itself")
    if not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):
        raise IntakeError(f"{shown}: is neither a file nor a folder; hand in a Python file")
    return stat.S_ISDIR(mode)
