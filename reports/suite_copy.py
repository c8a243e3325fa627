"""Copies of a suite, made to be changed: a property with one more example, or a suite without one of its tests."""

import re
import shutil
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from acidtest.mutants.workload import Workload

_IGNORED = shutil.ignore_patterns("__pycache__", ".*", "*.pyc")


@dataclass(frozen=True, slots=True)
class Property:
    """A Hypothesis test at the top level of a suite's file, found in its text.

    Attributes:
        parameters: the names of its arguments. block: its whole text, decorators included.
    """

    path: Path
    name: str
    parameters: tuple[str, ...]
    block: str


def copied(workload: Workload, folder: Path) -> Workload:
    """Return the workload with its suite copied into ``folder``: files with what lies beside them, folders whole."""
    tests: list[Path] = []
    places: dict[Path, Path] = {}
    for path in workload.tests:
        source = path if path.is_dir() else path.parent
        if source not in places:
            places[source] = folder / f"{len(places)}" / source.name
            if path.is_dir():
                shutil.copytree(path, places[source], ignore=_IGNORED)
            else:
                _copy_beside(source, places[source])
        if not path.is_dir():
            shutil.copy(path, places[source])
        tests.append(places[source] if path.is_dir() else places[source] / path.name)
    return replace(workload, tests=tuple(tests))


def _copy_beside(source: Path, place: Path) -> None:
    """Copy what test files of a folder may need: settings and helpers, not the other tests."""
    place.mkdir(parents=True)
    helpers = [path for path in source.glob("*.py") if not path.name.startswith(("test_", "__init__"))]
    for path in [*helpers, *source.glob("pytest.ini")]:
        shutil.copy(path, place)


def files_of(workload: Workload) -> list[Path]:
    """Return the files that the suite's tests may be in."""
    found = [sorted(path.rglob("test_*.py")) if path.is_dir() else [path] for path in workload.tests]
    return list(dict.fromkeys(path for paths in found for path in paths))


def properties_of(workload: Workload) -> list[Property]:
    """Return the Hypothesis tests of the suite that are plain functions, in order."""
    found = []
    for path in files_of(workload):
        text = path.read_text("utf-8")
        for match in re.finditer(r"^def (test_\w+)\(([^)]*)\)", text, re.MULTILINE):
            block = block_of(text, match[1])
            if "@given(" in block.partition(f"def {match[1]}(")[0]:
                names = [part.partition(":")[0].partition("=")[0].strip() for part in match[2].split(",")]
                found.append(Property(path, match[1], tuple(name for name in names if name), block))
    return found


def block_of(text: str, name: str) -> str:
    """Return the text of a top-level function, from its first decorator to the line before what follows it."""
    lines = text.splitlines(keepends=True)
    start = next(number for number, line in enumerate(lines) if re.match(rf"(?:async )?def {name}\(", line))
    end = start + 1
    while end < len(lines) and (not lines[end].strip() or lines[end][0] in " \t)#"):
        end += 1
    while end > start + 1 and (not lines[end - 1].strip() or lines[end - 1].startswith("#")):
        end -= 1
    while start > 0 and (lines[start - 1].startswith("@") or lines[start - 1][:1] in (" ", ")", "\t")):
        if not lines[start - 1].startswith("@") and not _in_decorator(lines, start - 1):
            break
        start -= 1
    return "".join(lines[start:end])


def _in_decorator(lines: Sequence[str], number: int) -> bool:
    """Return whether a continuation line belongs to a decorator: the nearest line above at the margin is one."""
    while number >= 0 and lines[number][:1] in (" ", ")", "\t"):
        number -= 1
    return number >= 0 and lines[number].startswith("@")


def without(path: Path, name: str) -> None:
    """Take one top-level test out of a file."""
    text = path.read_text("utf-8")
    path.write_text(text.replace(block_of(text, name), "", 1), encoding="utf-8")


def with_example(block: str, name: str, clone: str, line: str) -> str:
    """Return a test's text under the name ``clone``, with one more decorator right above it."""
    return re.sub(rf"^def {name}\(", lambda _: f"{line}\ndef {clone}(", block, count=1, flags=re.MULTILINE)


def missing_imports(path: Path, wanted: Sequence[str]) -> list[str]:
    """Return those import lines whose name a file does not import yet."""
    text = path.read_text("utf-8")
    return [line for line in wanted if not _imported(text, line.split()[-1])]


def _imported(text: str, name: str) -> bool:
    plain = rf"^(?:from [\w.]+ )?import (?:[^(\n]*[\s,])?{name}\b"
    listed = rf"^from [\w.]+ import \([^)]*\b{name}\b[^)]*\)"
    return bool(re.search(plain, text, re.MULTILINE) or re.search(listed, text, re.MULTILINE))


def add(path: Path, imports: Sequence[str], blocks: Sequence[str]) -> None:
    """Put import lines at a file's end, and functions after them: names are looked up when the file is loaded."""
    with path.open("a", encoding="utf-8") as file:
        file.write("\n\n" + "\n".join(imports) + "\n\n\n" + "\n\n".join(blocks) + "\n")
