"""What an index of the runs in a store tells: a digest of each, kept so that no run is read twice."""

import json
import os
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from acidtest.mutants.load import read_catalog
from acidtest.mutants.workload import Workload
from acidtest.reports.codec import decode, encode
from acidtest.reports.context import UsageError
from acidtest.reports.digest import Digest, digest_of_run, digest_of_summary
from acidtest.reports.store import RunRow, Store, StoreError
from acidtest.reports.summary import Summary

FILE = "digests.json"
SHOWN = 200
"""So many finished runs at most are listed, the latest."""
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class PageNote:
    """What a page beside the index shows.

    Attributes:
        run: the number of the run; None where it is not that of one run.
        problem: why the command that wrote it came to no mutant.
    """

    file: str
    written: str
    run: int | None = None
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Unfinished:
    """A run that was interrupted, or that this program cannot read."""

    id: int
    started: str
    trials: int
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Index:
    """The runs of one state folder.

    Attributes:
        digests: finished runs, the oldest first. older: how many more there are before them.
        further: how many runs under further seeds were made for measures of strength; they are not listed.
        pages: the pages beside the index that are there.
    """

    folder: str
    digests: tuple[Digest, ...] = ()
    unfinished: tuple[Unfinished, ...] = ()
    further: int = 0
    older: int = 0
    pages: tuple[PageNote, ...] = ()

    @property
    def rows(self) -> tuple[Digest | Unfinished, ...]:
        """Every run that is listed, the latest first."""
        return tuple(sorted((*self.digests, *self.unfinished), key=lambda one: one.id, reverse=True))

    @property
    def latest(self) -> Digest | None:
        """The run that finished last among those that a person asked for, else among all; None where there is none."""
        return next((one for one in reversed(self.digests) if one.asked), None) or next(reversed(self.digests), None)


@dataclass(frozen=True)
class _Kept:
    digests: Mapping[str, Any] = field(default_factory=dict)
    pages: Mapping[str, Any] = field(default_factory=dict)


def index_of(
    store: Store,
    workload: Workload,
    beside: Path,
    note: PageNote | None = None,
    judged: tuple[int, Summary] | None = None,
) -> Index:
    """Return the index of a store, and keep what it took to make it.

    Args:
        workload: whose catalog says which mutants are meant to survive. beside: the folder of the pages.
        note: a page that has just been written. judged: a run that has just been judged, with its number.
    """
    kept = _read(store.folder / FILE)
    rows = store.runs()
    finished = sorted((row for row in rows if row.finished is not None and not row.further), key=_when)
    shown = finished[-SHOWN:]
    digests, unread = _digests(store, workload, shown, kept.digests, judged)
    pages = dict(kept.pages) | ({note.file: encode(note)} if note is not None else {})
    _write(
        store.folder / FILE, _Kept({_name(row): encode(digests[row.id]) for row in shown if row.id in digests}, pages)
    )
    there = [page for data in pages.values() if (page := _decoded(PageNote, data)) and (beside / page.file).is_file()]
    open_ones = [Unfinished(row.id, row.started, store.count(row.id)) for row in rows if row.finished is None]
    return Index(
        folder=str(store.folder),
        digests=tuple(digests[row.id] for row in shown if row.id in digests),
        unfinished=(*open_ones, *unread),
        further=sum(row.further and row.finished is not None for row in rows),
        older=len(finished) - len(shown),
        pages=tuple(there),
    )


def _digests(
    store: Store,
    workload: Workload,
    rows: Sequence[RunRow],
    kept: Mapping[str, Any],
    judged: tuple[int, Summary] | None,
) -> tuple[dict[int, Digest], list[Unfinished]]:
    found: dict[int, Digest] = {}
    unread: list[Unfinished] = []
    entries = {mutant.id: mutant.expect for mutant in read_catalog(workload.catalog)[0]}
    for row in rows:
        own = row.meta.get("workload") == str(workload.root)
        whole = not own or set(entries) <= set(row.meta.get("variants", ()))
        try:
            if judged is not None and judged[0] == row.id:
                found[row.id] = digest_of_summary(row, judged[1], whole)
            elif (known := _decoded(Digest, kept.get(_name(row)))) is not None:
                found[row.id] = known
            else:
                expected = [name for name, what in entries.items() if own and what == "survived"]
                found[row.id] = digest_of_run(row, store.load(row.id), expected, whole)
        except (StoreError, TypeError, KeyError, ValueError) as error:  # what another version wrote
            unread.append(Unfinished(row.id, row.started, 0, f"cannot be read: {error}"))
    return found, unread


def _decoded(kind: type[T], data: Any) -> T | None:
    """Return what was kept; None where it is nothing, or what another version kept: it is found out again."""
    try:
        return decode(kind, data) if data is not None else None
    except (TypeError, ValueError, KeyError, AttributeError):
        return None


def _when(row: RunRow) -> tuple[str, int]:
    return row.finished or "", row.id


def _name(row: RunRow) -> str:
    """Return what a digest is kept under: the number alone may be given again in another database."""
    return f"{row.id} {row.finished}"


def _read(path: Path) -> _Kept:
    """Return what is kept; nothing where there is none, or none that can be read: it can be found out again."""
    try:
        data = json.loads(path.read_text("utf-8"))
        return _Kept(dict(data["digests"]), dict(data["pages"]))
    except (OSError, ValueError, KeyError, TypeError):
        return _Kept()


def _write(path: Path, kept: _Kept) -> None:
    try:
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}-")
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            json.dump({"digests": kept.digests, "pages": kept.pages}, file)
        Path(name).replace(path)
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}; make the folder writable") from error
