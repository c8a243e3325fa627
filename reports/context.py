"""What every command needs from the outside: its entries, its state folder, the terminal."""

import contextlib
import difflib
import os
import shutil
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

from acidtest.mutants.model import Mutant, Variant
from acidtest.mutants.workload import Workload


class UsageError(Exception):
    """The command line asks for something that is not there; one line with the remedy."""


@dataclass(frozen=True, slots=True)
class Terminal:
    """How wide the output is, and whether it may have colour."""

    width: int
    colour: bool


def terminal(stream: TextIO) -> Terminal:
    """Return what ``stream`` can show; colour only on a terminal and where NO_COLOR is not set."""
    colour = stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    return Terminal(max(40, shutil.get_terminal_size((80, 24)).columns), colour)


def tell(line: str) -> None:
    """Tell a person who waits what takes long; nobody else."""
    if sys.stderr.isatty():
        say(line, sys.stderr)


def say(text: str, stream: TextIO | None = None) -> None:
    """Write ``text``; a reader that has gone away (``| head``) does not change the verdict."""
    stream = stream or sys.stdout
    try:
        stream.write(text)
        stream.flush()
    except BrokenPipeError:
        with contextlib.suppress(OSError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def state_folder(workload: Workload, chosen: Path | None, here: Path) -> Path:
    """Return where runs are kept: ``chosen``, else ``.acidtest`` in the project, else in the current folder."""
    if chosen is not None:
        return chosen
    inside = here.resolve().is_relative_to(workload.root)
    return (workload.root if inside else here) / ".acidtest"


def variant_for(workload: Workload, mutant: Mutant) -> Variant:
    """Return the mutant made in the workload's source.

    Raises:
        CatalogError: its module is not the workload's, or an edit cannot be made.
    """
    from acidtest.mutants.load import CatalogError, variant_of  # some commands read no catalog

    if mutant.module not in workload.modules:
        known = ", ".join(workload.modules)
        raise CatalogError(f"{mutant.path.name}: module {mutant.module!r} is not one of the workload's: {known}")
    return variant_of(mutant, workload.read(mutant.module))


def select(mutants: Sequence[Mutant], ids: Iterable[str]) -> tuple[Mutant, ...]:
    """Return the entries with these ids, in the catalog's order.

    Raises:
        UsageError: there is none of that id; the message has the ones nearest to it.
    """
    known = {mutant.id: mutant for mutant in mutants}
    wanted = list(ids)
    for identifier in wanted:
        if identifier not in known:
            raise UsageError(f"no mutant {identifier!r}; {_near(identifier, known)}")
    return tuple(mutant for mutant in mutants if mutant.id in wanted)


def choose(variants: Sequence[Variant], ids: Sequence[str]) -> tuple[Variant, ...]:
    """Return the generated variants with these ids, in their own order.

    Raises:
        UsageError: there is none of that id; the message has the ones nearest to it.
    """
    known = {variant.id for variant in variants}
    for identifier in ids:
        if identifier not in known:
            near = difflib.get_close_matches(identifier, sorted(known), n=3, cutoff=0.5)
            remedy = f"did you mean {' or '.join(near)}?" if near else "`acidtest run` lists the survivors"
            raise UsageError(f"no generated mutant {identifier!r}; {remedy}")
    return tuple(variant for variant in variants if variant.id in ids)


def _near(identifier: str, known: dict[str, Mutant]) -> str:
    titles = {mutant.title.lower(): mutant.id for mutant in known.values()}
    ids = difflib.get_close_matches(identifier.lower(), known, n=3, cutoff=0.5)
    by_title = [titles[title] for title in titles if len(identifier) > 3 and identifier.lower() in title]
    found = list(dict.fromkeys([*ids, *by_title]))[:4]
    return f"did you mean {' or '.join(found)}?" if found else "`acidtest list` shows them all"


def suite_of(workload: Workload) -> str:
    """Return the tests' places as people would write them: many files of one folder as the folder."""
    return places_of(workload.tests, workload.root)


def places_of(paths: Sequence[Path], root: Path) -> str:
    """Return places of tests as people would write them, relative to ``root``."""
    folders = {path.parent for path in paths}
    if len(paths) > 2 and len(folders) == 1:
        return f"{shown(folders.pop(), root)} ({len(paths)} files)"
    return ", ".join(shown(path, root) for path in paths)


def shown(path: Path, root: Path) -> str:
    """Return ``path`` relative to ``root`` where it lies below it."""
    return str(path.relative_to(root)) if path.is_relative_to(root) else str(path)
