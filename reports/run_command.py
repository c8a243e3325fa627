"""`acidtest run`: the whole job, from the entries on disk to the exit code."""

import os
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import TextIO

from acidtest.mutants import lab
from acidtest.mutants.certificates import Certificate, domain_today, folder_of, load_certificates
from acidtest.mutants.certificates import certified as certificates_for
from acidtest.mutants.generated import KIND, function_of, generated
from acidtest.mutants.load import load_catalog
from acidtest.mutants.model import Mode, Mutant, Run, Variant
from acidtest.mutants.workload import Workload
from acidtest.reports.context import (
    UsageError,
    choose,
    say,
    select,
    shown,
    suite_of,
    terminal,
    variant_for,
)
from acidtest.reports.exits import ExitCode
from acidtest.reports.key import run_key, texts_of
from acidtest.reports.machine_made import machine_made
from acidtest.reports.render import text
from acidtest.reports.render.json_ import run_document
from acidtest.reports.render.progress import Bar
from acidtest.reports.report_files import ReportFiles, report_without_verdict, write_files
from acidtest.reports.run_pages import Place, leave, page_of_run, page_without_verdict
from acidtest.reports.run_report import RunReport
from acidtest.reports.store import RunRecorder, Store
from acidtest.reports.summary import Summary, summarize


@dataclass(frozen=True, slots=True)
class Options:
    """What was asked for on the command line."""

    tests: tuple[Path, ...]
    only: tuple[str, ...]
    first_kill: bool
    matrix: bool
    generated: bool
    seed: int
    jobs: int | None
    json: str | None
    fail_under: Fraction | None
    fork: bool
    prune: bool
    state: Path | None
    quiet: bool
    timeout: float
    page: bool = True
    files: ReportFiles = field(default_factory=ReportFiles)


def run_command(home: Workload, options: Options, here: Path) -> ExitCode:
    """Run the job and print what came of it."""
    if options.json not in (None, "-") and not Path(options.json).resolve().parent.is_dir():
        raise UsageError(f"--json {options.json}: no such folder; name a file in one that is there, or - for stdout")
    options.files.check()
    workload = home.with_tests(options.tests) if options.tests else home
    mutants = load_catalog(workload.catalog)
    if options.only:
        mutants = select(mutants, [identifier for identifier in options.only if "." not in identifier])
    entries = tuple(variant_for(workload, mutant) for mutant in mutants)
    settings = _settings(workload, options)
    with lab.begun(settings) as bench:
        place = Place(home, workload, options.state, here, settings.jobs, settings.fork)
        return _run(settings, options, mutants, entries, place, bench)


def _run(
    settings: lab.Settings,
    options: Options,
    mutants: tuple[Mutant, ...],
    entries: tuple[Variant, ...],
    place: Place,
    bench: lab.Bench,
) -> ExitCode:
    workload = settings.workload
    variants, certified, stale = _generated(workload, options, place.folder)
    plan = _plan(settings, mutants, (*entries, *variants), options)
    pages = sys.stderr if options.json == "-" else sys.stdout
    root, suite = str(workload.root), suite_of(workload)
    if not options.quiet:
        width = terminal(pages).width
        say(text.header(root, suite, plan.seed, plan.mode, plan.jobs, lab.versions(), width), pages)
    with Store(place.folder) as store:
        key = run_key(texts_of(workload), plan.variants, lab.versions(), _results_depend_on(plan))
        recorder = store.begin(key, _meta(plan))
        if recorder.kept():
            say(f"goes on with an interrupted run: {len(recorder.kept())} trials are kept\n", sys.stderr)
        try:
            run = _tried(plan, recorder, options.quiet, bench)
        except lab.LabError as error:
            problem = str(error)
            _leave(options, pages, place, lambda: page_without_verdict(place, plan.seed, problem))
            code = ExitCode.CANNOT_JUDGE if isinstance(error, lab.BaselineFailedError) else ExitCode.NO_VERDICT
            _write(options, pages, place, report_without_verdict(workload, plan.seed, problem, code))
            raise
        if run is None:
            return ExitCode.INTERRUPTED
        recorder.finish(run)
        made = machine_made(run, variants, certified, stale) if variants or certified else None
        summary = summarize(run, mutants, root, suite, not options.tests, options.fail_under, made)
        _report(summary, options)
        _leave(options, pages, place, lambda: page_of_run(place, summary, plan.variants, recorder.run_id, store))
    report = RunReport(summary, recorder.run_id, "", {variant.id: variant for variant in plan.variants})
    _write(options, pages, place, report)
    return summary.code


def _write(options: Options, pages: TextIO, place: Place, report: RunReport) -> None:
    """Write the files that were asked for, and say where they are."""
    for path in write_files(options.files, report, place.workload, place.folder):
        if not options.quiet:
            say(f"file       {shown(path.resolve(), place.here.resolve())}\n", pages)


def _leave(options: Options, pages: TextIO, place: Place, write: Callable[[], Path]) -> None:
    """Leave a page behind where one is wanted, and say where it is."""
    if options.page:
        leave(write, place.here, None if options.quiet else pages)


def _generated(
    workload: Workload, options: Options, state: Path
) -> tuple[tuple[Variant, ...], Mapping[str, Certificate], int]:
    """Return the generated mutants to try, those that are certified equal on D, and how many certificates are stale."""
    named = [identifier for identifier in options.only if "." in identifier]
    if not named and (options.only or not options.generated):
        return (), {}, 0
    variants = generated(workload, state)
    if named:
        return choose(variants, named), {}, 0
    certificates = load_certificates(folder_of(workload))
    if not certificates:
        return variants, {}, 0
    today = domain_today(workload, state)
    sources = {module: workload.read(module) for module in workload.modules}
    certified = certificates_for(variants, sources, certificates, today)
    stale = sum(certificate.domain != today for certificate in certificates)
    return tuple(variant for variant in variants if variant.id not in certified), certified, stale


def _settings(workload: Workload, options: Options) -> lab.Settings:
    return lab.Settings(
        workload=workload,
        seed=options.seed,
        jobs=options.jobs or cores(),
        prune=options.prune,
        fork=options.fork and hasattr(os, "fork"),
        limits=lab.Limits(floor=options.timeout),
    )


def _plan(
    settings: lab.Settings, mutants: tuple[Mutant, ...], variants: tuple[Variant, ...], options: Options
) -> lab.Plan:
    named: dict[str, list[str]] = {}
    for mutant in mutants:
        named.setdefault(mutant.function, []).extend(mutant.killers)
    made = [variant for variant in variants if variant.kind == KIND]
    likely = {variant.id: tuple(dict.fromkeys(named.get(function_of(variant), ()))) for variant in made}
    return lab.Plan(
        workload=settings.workload,
        seed=settings.seed,
        jobs=settings.jobs,
        prune=settings.prune,
        fork=settings.fork,
        limits=settings.limits,
        variants=variants,
        killers={mutant.id: mutant.killers for mutant in mutants} | likely,
        first_kill=frozenset() if options.matrix else frozenset(likely),
        mode=Mode.FIRST_KILL if options.first_kill else Mode.MATRIX,
    )


def _meta(plan: lab.Plan) -> dict[str, object]:
    """Return what tells a person, and `acidtest show`, which run this is."""
    suite = [str(path) for path in plan.workload.tests]
    return {"workload": str(plan.workload.root), "suite": suite, "variants": [v.id for v in plan.variants]}


def _results_depend_on(plan: lab.Plan) -> dict[str, object]:
    return {
        "seed": plan.seed,
        "mode": plan.mode.value,
        "first kill": sorted(plan.first_kill),
        "prune": plan.prune,
        "fork": plan.fork,
        "install": plan.install,
        "limits": [plan.limits.floor, plan.limits.factor, plan.limits.startup, plan.limits.memory_mb],
        "tests": [str(path) for path in plan.workload.tests],
    }


def _tried(plan: lab.Plan, recorder: RunRecorder, quiet: bool, bench: lab.Bench) -> Run | None:
    """Return the lab's run; None where it was interrupted, after saying what is kept."""
    try:
        with Bar(sys.stderr, show=sys.stderr.isatty() and not quiet) as bar:
            return lab.run(plan, recorder, bar, bench)
    except KeyboardInterrupt:
        kept = recorder.count()
        say(
            f"acidtest: interrupted; {kept} finished trials are kept, the same command goes on from there\n", sys.stderr
        )
        return None


def _report(summary: Summary, options: Options) -> None:
    pages = sys.stderr if options.json == "-" else sys.stdout
    view = terminal(pages)
    render = text.conclusions if options.quiet else text.run_page
    say(render(summary, view.width, view.colour), pages)
    if options.json == "-":
        say(run_document(summary))
    elif options.json is not None:
        try:
            Path(options.json).write_text(run_document(summary), encoding="utf-8")
        except OSError as error:
            raise UsageError(f"--json {options.json}: {error.strerror}; name a file that can be written") from error


def cores() -> int:
    """Return how many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
