"""The files of a run that other programs read, beside the page that a person opens."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields, replace
from pathlib import Path

from acidtest.mutants import lab
from acidtest.mutants.model import Baseline, KillMatrix, Mode, Run
from acidtest.mutants.workload import Workload
from acidtest.reports.context import UsageError, suite_of
from acidtest.reports.exits import ExitCode
from acidtest.reports.run_files import files_of
from acidtest.reports.run_pages import put
from acidtest.reports.run_report import RunReport
from acidtest.reports.summary import summarize


@dataclass(frozen=True, slots=True)
class ReportFiles:
    """Where each format goes; None for one that was not asked for. A field has its option's name."""

    stryker: Path | None = None
    stryker_html: Path | None = None
    junit: Path | None = None
    markdown: Path | None = None
    csv: Path | None = None

    def asked(self) -> Iterator[tuple[str, Path]]:
        """Yield the names and the paths of those that were asked for."""
        for field in fields(self):
            path = getattr(self, field.name)
            if path is not None:
                yield field.name, path

    def check(self) -> None:
        """Look whether all files can be written, before anything is done for them.

        Raises:
            UsageError: a file's folder is not there, or two formats go to one file.
        """
        seen: dict[Path, str] = {}
        for name, path in self.asked():
            option = f"--{name.replace('_', '-')}"
            if not path.resolve().parent.is_dir():
                raise UsageError(f"{option} {path}: no such folder; name a file in one that is there")
            if path.resolve() in seen:
                raise UsageError(f"{option} {path}: that is where {seen[path.resolve()]} goes; name another file")
            seen[path.resolve()] = option


def report_without_verdict(workload: Workload, seed: int, problem: str, code: ExitCode) -> RunReport:
    """Return the report of a run that came to no mutant, because of ``problem``."""
    nothing = KillMatrix((), (), ())
    run = Run(seed, Mode.MATRIX, 1, Baseline((), (), {}, {}), (), nothing, (problem,), lab.versions())
    summary = summarize(run, (), str(workload.root), suite_of(workload), own_suite=True)
    return RunReport(replace(summary, code=code))


def write_files(files: ReportFiles, report: RunReport, workload: Workload, folder: Path) -> list[Path]:
    """Write every format that was asked for, and return where they are.

    Args:
        folder: the state folder.

    Raises:
        UsageError: a file cannot be written.
    """
    asked = dict(files.asked())
    if not asked:
        return []
    writers = _writers(report, workload, folder)
    for name, path in asked.items():
        _put(writers[name](), path.resolve())
    return list(asked.values())


def _put(document: str, path: Path) -> None:
    """Write a file in one step; a pipe or a device, which cannot be replaced, is written to."""
    if not path.exists() or path.is_file():
        put(document, path)
        return
    try:
        with path.open("w", encoding="utf-8", newline="") as stream:
            stream.write(document)
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}; name a file that can be written") from error


def _writers(report: RunReport, workload: Workload, folder: Path) -> dict[str, Callable[[], str]]:
    from acidtest.reports.render.csv_ import csv_document  # loaded where a file is asked for
    from acidtest.reports.render.junit import junit_document
    from acidtest.reports.render.markdown_summary import summary_document
    from acidtest.reports.render.stryker import stryker_document
    from acidtest.reports.render.stryker_page import stryker_page

    return {
        "stryker": lambda: stryker_document(report, files_of(workload, folder, report)),
        "stryker_html": lambda: stryker_page(report, files_of(workload, folder, report)),
        "junit": lambda: junit_document(report),
        "markdown": lambda: summary_document(report),
        "csv": lambda: csv_document(report),
    }
