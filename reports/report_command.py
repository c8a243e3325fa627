"""`acidtest report`: a kept run as a page to open in a browser."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path

from acidtest.mutants import lab
from acidtest.mutants.certificates import Certificate, domain_today, folder_of, load_certificates
from acidtest.mutants.certificates import certified as certificates_for
from acidtest.mutants.generated import generated
from acidtest.mutants.load import read_catalog
from acidtest.mutants.model import Finding, Mutant, Run, Variant, Witness
from acidtest.mutants.witness import Judgement, judge, search
from acidtest.mutants.workload import Workload
from acidtest.reports.context import UsageError, say, shown, state_folder, suite_of, variant_for
from acidtest.reports.exits import ExitCode
from acidtest.reports.gaps import Gaps, find_gaps, listed, survivors
from acidtest.reports.machine_made import machine_made
from acidtest.reports.matrix_runs import last_change
from acidtest.reports.proving import wheats_of
from acidtest.reports.report_files import ReportFiles, write_files
from acidtest.reports.run_command import cores
from acidtest.reports.run_pages import (
    PAGE,
    Place,
    examples_of,
    laws_of,
    noted,
    strength_of,
    told,
    write_index,
    write_page,
)
from acidtest.reports.run_report import RunReport
from acidtest.reports.store import RunRow, Store
from acidtest.reports.summary import summarize


@dataclass(frozen=True, slots=True)
class Options:
    """What was asked for on the command line.

    Attributes:
        html: where the page goes; in its usual place if None. files: what else is written.
        quick: use only what is kept; ask no worker anything.
        examples: make every failing input small that was drawn, not only those of named killers.
    """

    run: int | None
    html: Path | None
    state: Path | None
    quick: bool = False
    examples: bool = False
    seconds: float = 30.0
    jobs: int | None = None
    fork: bool = True
    files: ReportFiles = field(default_factory=ReportFiles)


def report_command(home: Workload, options: Options, here: Path) -> ExitCode:
    """Write the page of a kept run, and the files that were asked for beside it, and say where they are."""
    options.files.check()
    if options.html is not None and not options.html.resolve().parent.is_dir():
        raise UsageError(f"--html {options.html}: no such folder; name a file in one that is there")
    folder = state_folder(home, options.state, here)
    if not (folder / "runs.sqlite").is_file():
        raise UsageError(f"no runs are kept in {folder}; `acidtest run` makes one, or name another with --state")
    with Store(folder) as store:
        row = _chosen(store, home, options.run, folder)
        run = store.load(row.id)
        suite = tuple(Path(path) for path in row.meta.get("suite", ()))
        workload = home.with_tests(suite) if suite and suite != home.tests else home
        place = Place(home, workload, options.state, here, options.jobs or cores(), options.fork)
        report = _report(place, row, run, store, options)
        path = options.html or place.page
        write_page(report, path)
        if options.html is None:
            write_index(place, store, noted(PAGE, row.id))
        written = [path, *write_files(options.files, report, workload, folder)]
    for path in written:
        say(f"{shown(path.resolve(), here.resolve())}\n")
    return ExitCode.KEPT


def _chosen(store: Store, workload: Workload, number: int | None, folder: Path) -> RunRow:
    """Return the finished run of this number, else the latest of the workload that a person asked for.

    A matrix that a measure of strength made for itself is taken where there is no other.
    """
    rows = [row for row in store.runs() if row.finished is not None]
    if number is not None:
        for row in rows:
            if row.id == number:
                return row
        there = ", ".join(str(row.id) for row in rows[-5:])
        raise UsageError(f"no finished run {number}; {f'there are {there}' if there else '`acidtest run` makes one'}")
    root = str(workload.root)
    rows = [row for row in rows if row.meta.get("workload") == root and not row.further]
    rows = [row for row in rows if row.asked] or rows
    if not rows:
        raise UsageError(f"no finished run of {root} is kept in {folder}; `acidtest run` makes one")
    return max(rows, key=lambda row: (row.finished or "", row.id))


def _report(place: Place, row: RunRow, run: Run, store: Store, options: Options) -> RunReport:
    workload = place.workload
    mutants, entries = _entries(workload, run)
    made, certified, stale = _generated(workload, run, place.folder)
    variants = (*entries, *made)
    machine = machine_made(run, made, certified, stale) if made or certified else None
    own = place.home.tests == workload.tests
    return RunReport(
        summary=summarize(run, mutants, str(workload.root), suite_of(workload), own, None, machine),
        number=row.id,
        started=row.started,
        variants={variant.id: variant for variant in variants},
        strength=strength_of(place, run, variants, store),
        gaps=None if options.quick else _gaps(place, run, variants, options.seconds),
        laws=laws_of(place, run, variants, ask=not options.quick),
        examples=examples_of(place, run, mutants, variants, _asking(options)),
        notes=_notes(workload, row, run, variants),
    )


def _asking(options: Options) -> str:
    """Return which failing inputs are to be made small."""
    if options.quick:
        return "none"
    return "all" if options.examples else "named"


def _entries(workload: Workload, run: Run) -> tuple[tuple[Mutant, ...], tuple[Variant, ...]]:
    """Return the entries of the catalog that the run tried and that today's code still makes."""
    tried = set(run.matrix.variants)
    mutants = tuple(mutant for mutant in read_catalog(workload.catalog)[0] if mutant.id in tried)
    return mutants, tuple(variant_for(workload, mutant) for mutant in mutants)


def _generated(
    workload: Workload, run: Run, folder: Path
) -> tuple[tuple[Variant, ...], Mapping[str, Certificate], int]:
    """Return the generated mutants that the run tried, the certified ones, and how many certificates are stale."""
    if not any("." in name for name in run.matrix.variants):
        return (), {}, 0
    variants = generated(workload, folder)
    tried = set(run.matrix.variants)
    certificates = load_certificates(folder_of(workload))
    today = domain_today(workload, folder) if certificates else ""
    sources = {module: workload.read(module) for module in workload.modules}
    held = certificates_for([v for v in variants if v.id not in tried], sources, certificates, today)
    stale = sum(certificate.domain != today for certificate in certificates)
    return tuple(variant for variant in variants if variant.id in tried), held, stale


def _gaps(place: Place, run: Run, variants: Sequence[Variant], seconds: float) -> Gaps | None:
    """Return what the survivors miss, searched for as `acidtest gaps` does; None where nothing can be searched."""
    workload, jobs, fork = place.workload, place.jobs, place.fork
    known = {variant.id: variant for variant in variants}
    alive = [known[name] for name in survivors(run.matrix) if name in known]
    if not alive or workload.calls is None:
        return None

    def find(pairs: Sequence[tuple[Variant | None, Variant]]) -> Sequence[Finding]:
        return search(workload, pairs, seconds=seconds, seed=run.seed, jobs=jobs, fork=fork)

    def weigh(seen: Sequence[tuple[Variant | None, Variant, Witness]]) -> Sequence[Judgement]:
        return judge(workload, seen, seconds=seconds, jobs=jobs, fork=fork)

    found = find_gaps(workload, alive, find, weigh, seed=run.seed, fork=fork, say=told)
    return replace(found, listed=listed(run.matrix), wheats=len(wheats_of(workload)))


def _notes(workload: Workload, row: RunRow, run: Run, variants: Sequence[Variant]) -> tuple[str, ...]:
    notes = []
    if datetime.fromisoformat(row.started).timestamp() < last_change(workload):
        notes.append("Files have changed since this run: titles and diffs are those of today's code.")
    gone = [name for name in run.matrix.variants if name not in {variant.id for variant in variants}]
    if gone:
        more = f" and {len(gone) - 5} more" if len(gone) > 5 else ""
        notes.append(f"Not made any more from today's code: {', '.join(gone[:5])}{more}.")
    if run.versions != lab.versions():
        notes.append("The run was made with other versions than those installed now.")
    return tuple(notes)
