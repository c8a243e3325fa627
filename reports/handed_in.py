"""What a class handed in: the submissions at the top of a folder or of a zip, each read when its turn comes.

At the top, a Python file, a zip and a folder are a submission each; other files are left out and listed. Nothing of a
zip is extracted, and what one submission does wrong, a name that points outside or a bomb, is refused for it alone.
"""

import os
import stat
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Self

from acidtest.mutants.sandbox.intake import LARGEST_ZIP, ZIP, Submission, checked, take
from acidtest.mutants.sandbox.intake_text import DEPENDENCIES, MAIN, IntakeError, cleaned, is_noise
from acidtest.mutants.sandbox.intake_zip import explained, from_entries, from_zip, parts_of, read_entry
from acidtest.reports.context import UsageError

_SUFFIXES = (".py", ".zip")
_WALKED = 20_000


@dataclass(frozen=True, slots=True)
class HandedIn:
    """One submission, not read yet.

    Attributes:
        name: of its file or folder at the top. counts: False for a file that is neither Python nor a zip: it is a
            submission only where the roster names it.
        read: returns it, where True is given with the modules beside it; raises ``IntakeError``.
        holds: returns how many files called ``rejection.py`` are in a folder, 0 for anything else.
    """

    name: str
    counts: bool
    read: Callable[[bool], Submission] = field(repr=False)
    holds: Callable[[], int] = field(repr=False, default=lambda: 0)

    @property
    def stem(self) -> str:
        """Return the name without its suffix, fit to be printed."""
        return printable(self.name.removesuffix(Path(self.name).suffix) if self.counts else Path(self.name).stem)


class Pile:
    """All that was handed in.

    Attributes:
        title: the folder's or zip's name, fit to be printed. submissions: by name, sorted.

    Args:
        path: of the folder or zip. apart: files that are no submission, such as the roster.

    Raises:
        UsageError: there is nothing, or it cannot be read.
    """

    def __init__(self, path: Path, apart: Sequence[Path] = ()) -> None:
        self.title = cleaned(path.absolute().name or str(path.absolute()))
        self._open = ExitStack()
        try:
            if path.is_dir():
                found = _in_folder(path, apart)
            elif is_zip(path):
                with explained(self.title):
                    found = _in_zip(self._open.enter_context(zipfile.ZipFile(path)))
            else:
                raise UsageError(f"{path}: is neither a folder nor a zip; a class is one of the two")
        except OSError as error:
            raise UsageError(f"{path}: {error.strerror}; name a folder that you may read") from error
        except IntakeError as error:
            raise UsageError(str(error)) from error
        self.submissions: Mapping[str, HandedIn] = {one.name: one for one in sorted(found, key=lambda one: one.name)}

    @property
    def left_out(self) -> tuple[str, ...]:
        """Return the files at the top that are no submission by themselves."""
        return tuple(cleaned(one.name) for one in self.submissions.values() if not one.counts)

    def is_class(self) -> bool:
        """Return whether this looks like what several people handed in.

        It does not where ``rejection.py`` lies at the top, or exactly one file at any depth is called so: that is one
        submission. Else it does where at least two of the Python files, zips, and folders with a ``rejection.py``
        lie at the top.
        """
        if MAIN in self.submissions:
            return False
        holding = [one.holds() for one in self.submissions.values()]
        loose = sum(one.counts and one.name.lower().endswith(_SUFFIXES) for one in self.submissions.values())
        return sum(holding) != 1 and loose + sum(count > 0 for count in holding) >= 2

    def close(self) -> None:
        """Let go of the zip."""
        self._open.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()


def printable(name: str) -> str:
    """Return a name without control characters, however long."""
    return "".join(letter if letter.isprintable() else "?" for letter in name)


def is_zip(path: Path) -> bool:
    """Return whether a path is a plain file that begins or is called like a zip."""
    try:
        if not path.is_file():
            return False
        with path.open("rb") as file:
            return file.read(4) in ZIP or path.suffix.lower() == ".zip"
    except OSError:
        return False


# --- a folder -----------------------------------------------------------------------------------------------------


def _in_folder(folder: Path, apart: Sequence[Path]) -> list[HandedIn]:
    others = {(status.st_dev, status.st_ino) for path in apart if (status := _status(path))}
    found = []
    with os.scandir(folder) as entries:
        for entry in entries:
            status = entry.stat(follow_symlinks=False)
            if is_noise((entry.name,)) or (status.st_dev, status.st_ino) in others:
                continue
            plain = stat.S_ISREG(status.st_mode)
            counts = not plain or entry.name.lower().endswith(_SUFFIXES)
            path = folder / entry.name
            alone = plain and not is_zip(path)
            found.append(HandedIn(entry.name, counts, _reader(path, alone), _counter(path)))
    return found


def _reader(path: Path, alone: bool) -> Callable[[bool], Submission]:
    """Return how to read; what lies beside a file is other people's."""
    return lambda own_deps: take(path, own_deps and not alone)


def _counter(path: Path) -> Callable[[], int]:
    def count() -> int:
        if path.is_symlink() or not path.is_dir():
            return 0
        found = 0
        for walked, (_, folders, names) in enumerate(os.walk(path)):
            folders[:] = [name for name in folders if not is_noise((name,))]
            found += MAIN in names
            if walked > _WALKED:
                break
        return found

    return count


def _status(path: Path) -> os.stat_result | None:
    try:
        return path.stat()
    except OSError:
        return None


# --- a zip --------------------------------------------------------------------------------------------------------


def _in_zip(archive: zipfile.ZipFile) -> list[HandedIn]:
    entries = [(parts_of(entry), entry) for entry in archive.infolist()]
    # an entry that points outside is no noise: it is refused
    placed = [(parts, entry) for parts, entry in entries if parts and not is_noise([p for p in parts if p != ".."])]
    depth = _wrapped(placed)
    groups: dict[str, list[tuple[list[str], zipfile.ZipInfo]]] = {}
    for parts, entry in placed:
        if len(parts) > depth:
            groups.setdefault(parts[depth], []).append((parts[depth:], entry))
    return list(_grouped(archive, groups))


def _wrapped(placed: Sequence[tuple[Sequence[str], zipfile.ZipInfo]]) -> int:
    """Return in how many folders everything lies, one in the other, but for a folder that is itself a submission."""
    depth = 0
    while True:
        inside = [(parts[depth:], entry) for parts, entry in placed if len(parts) > depth]
        tops = {parts[0] for parts, _ in inside}
        if len(tops) != 1 or any(len(parts) == 1 and not entry.is_dir() for parts, entry in inside):
            return depth
        if any(list(parts[1:]) == [MAIN] for parts, _ in inside):
            return depth
        depth += 1


def _grouped(
    archive: zipfile.ZipFile, groups: Mapping[str, Sequence[tuple[list[str], zipfile.ZipInfo]]]
) -> Iterator[HandedIn]:
    for name, group in groups.items():
        entries = [entry for _, entry in group]
        plain = all(len(parts) == 1 and not entry.is_dir() for parts, entry in group)
        counts = not plain or name.lower().endswith(_SUFFIXES)
        count = sum(len(parts) > 1 and parts[-1] == MAIN for parts, _ in group)
        yield HandedIn(name, counts, _unzipper(archive, name, entries, plain), lambda count=count: count)  # type: ignore[misc]


def _unzipper(
    archive: zipfile.ZipFile, name: str, entries: Sequence[zipfile.ZipInfo], plain: bool
) -> Callable[[bool], Submission]:
    shown = cleaned(name)

    def read(own_deps: bool) -> Submission:
        wanted = DEPENDENCIES if own_deps else ()
        with explained(shown):
            if not plain:
                return checked(shown, from_entries(archive, entries, shown, wanted))
            if len(entries) > 1:
                raise IntakeError(f"{shown}: is there {len(entries)} times; leave only one")
            if name.lower().endswith(".zip"):
                data = read_entry(archive, entries[0], shown, LARGEST_ZIP)
                return checked(shown, from_zip(data, shown, wanted))
            return checked(shown, {MAIN: read_entry(archive, entries[0], shown)})

    return read


def is_class(path: Path, said: bool | None, roster: Path | None) -> bool:
    """Return whether a class is to be graded: because it was said, because there is a roster, or by what is there.

    Args:
        said: True for a class, False for one submission, None where nothing was said.

    Raises:
        UsageError: one submission has no roster.
    """
    if said is False and roster is not None:
        raise UsageError("--one and --roster ask for opposite things; give one of them")
    if said is not None or roster is not None:
        return said is not False
    try:
        with Pile(path) as pile:
            return pile.is_class()
    except UsageError:
        return False  # whatever it is, the one submission that it is taken for will be refused in a sentence
