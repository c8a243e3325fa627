"""`acidtest strength`: every measure of a suite, from a kept matrix run or a new one, and what to do about it."""

import sys
from dataclasses import dataclass
from pathlib import Path

from acidtest.mutants.certificates import certified, domain_today, folder_of, load_certificates
from acidtest.mutants.generated import function_of, generated
from acidtest.mutants.load import load_catalog
from acidtest.mutants.model import Mutant, Run, Status, Variant
from acidtest.mutants.workload import Workload
from acidtest.reports.context import UsageError, say, state_folder, suite_of, terminal, variant_for
from acidtest.reports.exits import ExitCode, worst
from acidtest.reports.inquiry import Inquiry
from acidtest.reports.kills import Kills, kills_in, pooled
from acidtest.reports.matrix_runs import MatrixRuns
from acidtest.reports.render.strength_json import strength_document
from acidtest.reports.render.strength_text import strength_page
from acidtest.reports.run_command import cores
from acidtest.reports.run_pages import Place, leave, page_of_strength
from acidtest.reports.store import Store
from acidtest.reports.strength import Evidence, Strength, strength
from acidtest.reports.strength_report import StrengthReport


@dataclass(frozen=True, slots=True)
class Options:
    """What was asked for on the command line."""

    run: int | None
    tests: tuple[Path, ...]
    seeds: int
    json: str | None
    domain: bool
    generated: bool
    state: Path | None
    jobs: int | None
    fork: bool = True
    page: bool = True


def strength_command(home: Workload, options: Options, here: Path) -> ExitCode:
    """Print the measures of a kept run; where there is none, run it first."""
    if options.run is not None and options.tests:
        raise UsageError("give either RUN or --tests: a kept run has its own tests")
    if options.json not in (None, "-") and not Path(options.json).resolve().parent.is_dir():
        raise UsageError(f"--json {options.json}: no such folder; name a file in one that is there, or - for stdout")
    workload = home.with_tests(options.tests) if options.tests else home
    folder = state_folder(workload, options.state, here)
    with Store(folder) as store:
        found = _measured(home, workload, options, store, folder)
    if found is None:
        return ExitCode.NO_VERDICT
    run, measures = found
    pages = sys.stderr if options.json == "-" else sys.stdout
    view = terminal(pages)
    say(strength_page(measures, str(workload.root), suite_of(workload), run.seed, view.width, view.colour), pages)
    if options.page:
        place = Place(home, workload, options.state, here, options.jobs or cores(), options.fork)
        report = StrengthReport(measures, run, str(workload.root), suite_of(workload))
        with Store(folder) as store:
            leave(lambda: page_of_strength(place, report, store), here, pages)
    _write(strength_document(measures, str(workload.root), suite_of(workload), run.seed), options.json)
    return _code(measures.kills)


def _measured(
    home: Workload, workload: Workload, options: Options, store: Store, folder: Path
) -> tuple[Run, Strength] | None:
    mutants = load_catalog(workload.catalog)
    variants, entries = _variants(workload, mutants, options, folder)
    jobs = options.jobs or cores()
    runs = MatrixRuns(workload, store, variants, jobs, options.fork, _told)
    run = runs.kept(options.run) if options.run is not None else runs.latest()
    if run.problems:
        say(f"no measures: {run.problems[0]}; run again\n", sys.stderr)
        return None
    kills = kills_in(run.matrix)
    pool = kills
    if options.tests:
        own = MatrixRuns(home, store, variants, jobs, options.fork, _told).latest()
        pool = pooled(kills, kills_in(own.matrix))
    known = {variant.id for variant in variants}
    notes = _notes(kills)
    if not known >= set(kills.killers):
        more = sorted(set(kills.killers) - known)
        notes.append(
            f"{len(more)} mutants of the run were not asked anything: {more[0]} and others are not the catalog's"
        )
    tried = tuple(variant for variant in variants if variant.id in kills.killers)
    inquiry = Inquiry(workload, tried, entries, folder, jobs, options.fork, _told)
    deltas = inquiry.deltas(ask=options.domain)
    if workload.calls is None:
        notes.append("no calls module: nothing about the domain, trigger rates and power")
    elif deltas is None:
        notes.append("domain subsumption: --domain asks every call of D once, some minutes, and keeps the answers")
    if not options.seeds:
        notes.append("kill confidence, false alarms, measured power: --seeds N runs the matrix under N seeds")
    evidence = Evidence(
        deltas=deltas,
        seedings=runs.seedings(run, options.seeds) if options.seeds else None,
        triggers=inquiry.triggers() or None,
        ledgers=inquiry.ledgers(run.matrix.tests, options.seeds) or None,
    )
    return run, strength(run.matrix, kills, pool, evidence, notes)


def _variants(
    workload: Workload, mutants: tuple[Mutant, ...], options: Options, folder: Path
) -> tuple[tuple[Variant, ...], dict[str, str]]:
    """Return what is tried, and for each the function that a call of it enters by."""
    variants = tuple(variant_for(workload, mutant) for mutant in mutants)
    entries = {mutant.id: mutant.witness.function for mutant in mutants}
    if options.generated:
        made = _uncertified(workload, generated(workload, folder), folder)
        variants += made
        entries |= {variant.id: function_of(variant) for variant in made}
    return variants, entries


def _uncertified(workload: Workload, made: tuple[Variant, ...], folder: Path) -> tuple[Variant, ...]:
    """Return the generated mutants without those that a certificate holds to answer as the reference does."""
    certificates = load_certificates(folder_of(workload))
    if not certificates:
        return made
    sources = {module: workload.read(module) for module in workload.modules}
    held = certified(made, sources, certificates, domain_today(workload, folder))
    return tuple(variant for variant in made if variant.id not in held)


def _notes(kills: Kills) -> list[str]:
    first = [mutant for mutant, status in kills.unjudged.items() if status is Status.PENDING]
    others = {mutant: status for mutant, status in kills.unjudged.items() if status is not Status.PENDING}
    notes = []
    if first:
        notes.append(
            f"{len(first)} mutants were not tried by every test and are left out; "
            "--generated tries every test on the generated ones too"
        )
    notes += [f"{mutant} is left out: {status.replace('_', ' ')}" for mutant, status in others.items()]
    return notes


def _told(text: str) -> None:
    say(f"first: {text}\n", sys.stderr)


def _write(document: str, place: str | None) -> None:
    if place == "-":
        say(document)
    elif place is not None:
        try:
            Path(place).write_text(document, encoding="utf-8")
        except OSError as error:
            raise UsageError(f"--json {place}: {error.strerror}; name a file that can be written") from error


def _code(kills: Kills) -> ExitCode:
    codes = {ExitCode.BROKEN} if kills.survivors else set()
    if any(status not in (Status.PENDING, Status.UNVIABLE) for status in kills.unjudged.values()):
        codes.add(ExitCode.UNDECIDED)
    if not kills.killers:
        codes.add(ExitCode.NO_VERDICT)
    return worst(codes)
