"""The texts that a run was about, for formats that show mutants and tests in their places."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from acidtest.mutants.generated import generated
from acidtest.mutants.model import Variant
from acidtest.mutants.workload import Workload
from acidtest.reports.context import shown
from acidtest.reports.run_report import RunReport


@dataclass(frozen=True, slots=True)
class SourceFile:
    """One file of text. ``path`` is relative to the workload, with slashes."""

    path: str
    text: str


@dataclass(frozen=True, slots=True)
class RunFiles:
    """What a report alone does not hold.

    Attributes:
        modules: the target's files as they are unchanged, by the module's dotted name.
        tests: the files of tests, by the path in the tests' ids; those that cannot be read are left out.
        certified: the generated mutants that were left out of the run, by id.
    """

    modules: Mapping[str, SourceFile] = field(default_factory=dict)
    tests: Mapping[str, str] = field(default_factory=dict)
    certified: Mapping[str, Variant] = field(default_factory=dict)


def files_of(workload: Workload, folder: Path, report: RunReport) -> RunFiles:
    """Return the texts of a run as they are today.

    Args:
        folder: the state folder, where generated mutants are kept.
    """
    modules = {
        module: SourceFile(shown(workload.module_path(module), workload.root).replace("\\", "/"), workload.read(module))
        for module in workload.modules
    }
    names = dict.fromkeys(file_of(test.id) for test in report.summary.run.matrix.tests)
    tests = {name: text for name in names if (text := _read(workload, name)) is not None}
    made = report.summary.generated
    known = made.certified if made is not None else {}
    certified = {v.id: v for v in generated(workload, folder) if v.id in known} if known else {}
    return RunFiles(modules, tests, certified)


def file_of(test: str) -> str:
    """Return the file in a test's id."""
    return test.partition("::")[0]


def line_of(test: str, text: str) -> int | None:
    """Return the line where a test's function begins, from 1; None where the text has not exactly one of its name."""
    name = test.partition("[")[0].rpartition("::")[2]
    lines = text.split("\n")
    places = [n for n, line in enumerate(lines, 1) if re.match(rf"\s*(async\s+)?def\s+{re.escape(name)}\s*\(", line)]
    return places[0] if len(places) == 1 else None


def _read(workload: Workload, name: str) -> str | None:
    """Return a test file's text; ids are relative to the folder that pytest took for the root, mostly the project's."""
    roots = [workload.root, *(path.parent for path in workload.tests), *workload.tests]
    for root in roots:
        path = root / name
        try:
            return path.read_text("utf-8")
        except (OSError, ValueError):
            continue
    return None
