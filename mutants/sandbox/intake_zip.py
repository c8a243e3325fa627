"""A zip that was handed in: one file is read from it, into memory, and nothing else is looked at but the names."""

import contextlib
import io
import stat
import zipfile
import zlib
from collections.abc import Iterator, Sequence

from acidtest.mutants.sandbox.intake_text import LARGEST, MAIN, IntakeError, cleaned, is_noise, pick

_ENTRIES = 10_000
_UNPACKED = 100_000_000
_TAKEN = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_BROKEN = (
    *(zipfile.BadZipFile, zlib.error, EOFError, OSError, RuntimeError, NotImplementedError),
    *(ValueError, OverflowError, IndexError),
)
"""What the library raises over bytes that are no zip."""


def from_zip(data: bytes, shown: str, wanted: Sequence[str]) -> dict[str, bytes]:
    """Return ``rejection.py`` and those of the wanted files that lie beside it, by name.

    Raises:
        IntakeError: it is no zip, has none or several, or is made to do harm.
    """
    with explained(shown), zipfile.ZipFile(io.BytesIO(data)) as archive:
        return from_entries(archive, archive.infolist(), shown, wanted)


def from_entries(
    archive: zipfile.ZipFile, entries: Sequence[zipfile.ZipInfo], shown: str, wanted: Sequence[str]
) -> dict[str, bytes]:
    """Return the same from some of a zip's entries, as if these were all.

    Raises:
        IntakeError: as ``from_zip``. Whatever the library raises over bytes that are no zip: see ``explained``.
    """
    _check(entries, shown)
    found = [entry for entry in entries if not is_noise(parts_of(entry))]
    candidates = [entry for entry in found if parts_of(entry)[-1] == MAIN]
    others = [
        entry.filename
        for entry in found
        if not entry.is_dir() and entry.filename.lower().endswith((".py", ".zip", ".ipynb"))
    ]
    place = pick([entry.filename for entry in candidates], others, shown)
    main = next(entry for entry in candidates if entry.filename == place)
    files = {MAIN: read_entry(archive, main, shown)}
    for name in wanted:
        beside = [entry for entry in found if parts_of(entry) == [*parts_of(main)[:-1], name]]
        if len(beside) > 1:
            raise IntakeError(f"{shown}: holds {name} more than once; leave only one")
        if beside:
            files[name] = read_entry(archive, beside[0], shown)
    return files


@contextlib.contextmanager
def explained(shown: str) -> Iterator[None]:
    """Turn what the library raises over bytes that are no zip into a refusal."""
    try:
        yield
    except _BROKEN as error:
        raise IntakeError(f"{shown}: is no zip that can be read ({cleaned(str(error))}); make it anew") from error


def _check(entries: Sequence[zipfile.ZipInfo], shown: str) -> None:
    """Refuse what no honest zip has, wherever in it."""
    if len(entries) > _ENTRIES:
        raise IntakeError(f"{shown}: holds {len(entries)} entries; hand in only your own code")
    unpacked = sum(entry.file_size for entry in entries)
    if unpacked > _UNPACKED:
        raise IntakeError(f"{shown}: would unpack to {unpacked // 1_000_000} MB; hand in only your own code")
    for entry in entries:
        name = entry.filename.replace("\\", "/")
        if name.startswith("/") or name[1:2] == ":" or ".." in name.split("/"):
            raise IntakeError(f"{shown}: the entry {cleaned(entry.filename)} points outside the zip; make it anew")
        if not parts_of(entry):
            raise IntakeError(f"{shown}: an entry has no name; make it anew")


def parts_of(entry: zipfile.ZipInfo) -> list[str]:
    """Return the names along an entry's path."""
    return [part for part in entry.filename.replace("\\", "/").split("/") if part not in ("", ".")]


def read_entry(archive: zipfile.ZipFile, entry: zipfile.ZipInfo, shown: str, largest: int = LARGEST) -> bytes:
    """Return the bytes of one entry, at most ``largest`` of them.

    Raises:
        IntakeError: it is no plain file, or too large.
    """
    inside = f"{shown}: {cleaned(entry.filename)}"
    mode = entry.external_attr >> 16
    if entry.is_dir() or entry.filename.endswith("\\"):
        raise IntakeError(f"{inside} is a folder and not a file; put your code into a file of this name")
    if stat.S_ISLNK(mode):
        raise IntakeError(f"{inside} is a link; put the file itself into the zip")
    if stat.S_IFMT(mode) not in (0, stat.S_IFREG):
        raise IntakeError(f"{inside} is no plain file; put your code into one")
    if entry.flag_bits & 0x41:
        raise IntakeError(f"{inside} is encrypted; make the zip without a password")
    if entry.compress_type not in _TAKEN:
        raise IntakeError(f"{inside} is compressed in an unusual way; make an ordinary zip")
    if entry.file_size > largest:
        raise IntakeError(f"{inside} is larger than {largest // 1000} kB; hand in only your own code")
    with archive.open(entry) as file:
        return file.read(largest + 1)
