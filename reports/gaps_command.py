"""`acidtest gaps`: the survivors of a run, and for each a call that shows it and a test that would notice."""

import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from acidtest.mutants.generated import generated
from acidtest.mutants.load import read_catalog
from acidtest.mutants.model import Finding, Run, Variant, Witness
from acidtest.mutants.witness import Judgement, interrupted, judge, search
from acidtest.mutants.workload import Workload
from acidtest.reports.context import UsageError, say, shown, state_folder, suite_of, terminal, variant_for
from acidtest.reports.exits import ExitCode
from acidtest.reports.gaps import Gaps, find_gaps, listed, page_of, survivors
from acidtest.reports.gaps_report import GapsReport
from acidtest.reports.proving import prove_text, wheats_of
from acidtest.reports.render.gaps_text import gaps_page
from acidtest.reports.run_command import Options as RunOptions
from acidtest.reports.run_command import cores, run_command
from acidtest.reports.run_pages import Place, leave, page_of_gaps
from acidtest.reports.store import RunRow, Store


@dataclass(frozen=True, slots=True)
class Options:
    """What was asked for on the command line."""

    run: int | None
    tests: tuple[Path, ...]
    write: Path | None
    state: Path | None
    seconds: float
    jobs: int | None
    fork: bool = True
    page: bool = True


def gaps_command(home: Workload, options: Options, here: Path) -> ExitCode:
    """Print the gaps of a kept run; where there is none of these tests, run them first."""
    if options.run is not None and options.tests:
        raise UsageError("give either RUN or --tests: a kept run has its own tests")
    if options.write is not None and not options.write.resolve().parent.is_dir():
        raise UsageError(f"--write {options.write}: no such folder; name a file in one that is there")
    workload = home.with_tests(options.tests) if options.tests else home
    folder = state_folder(workload, options.state, here)
    found = _kept(folder, workload, options.run)
    if found is None:
        say("no run of these tests is kept: they are run first\n", sys.stderr)
        code = run_command(home, _asked(options), here)
        found = _kept(folder, workload, None)
        if found is None or code in (ExitCode.INTERRUPTED, ExitCode.NO_VERDICT):
            return code
    row, run = found
    suite = tuple(Path(path) for path in row.meta.get("suite", ()))
    workload = home.with_tests(suite) if suite and suite != workload.tests else workload
    gaps = _gaps(workload, run, folder, options)
    view = terminal(sys.stdout)
    told = f"{row.id} of {row.started[:16].replace('T', ' ')}, seed {run.seed}, {run.mode} mode"
    say(gaps_page(gaps, suite_of(workload), told, workload.root, view.width, view.colour))
    module, problem = _module(workload, gaps, options.fork) if options.page or options.write is not None else ("", "")
    if options.page:
        report = GapsReport(gaps, run, row.id, row.started, workload.root, suite_of(workload), module, problem)
        place = Place(home, workload, options.state, here, options.jobs or cores(), options.fork)
        with Store(folder) as store:
            leave(lambda: page_of_gaps(place, report, store), here, sys.stdout)
    if options.write is not None:
        _write(options.write, workload, gaps, module, problem)
    return ExitCode.INTERRUPTED if interrupted([finding for _, finding in gaps.undecided]) else _code(gaps)


def _kept(folder: Path, workload: Workload, identifier: int | None) -> tuple[RunRow, Run] | None:
    """Return the finished run with this id, or the latest of the workload's tests; None where there is none."""
    if not (folder / "runs.sqlite").is_file():
        if identifier is not None:
            raise UsageError(f"run {identifier}: no runs are kept in {folder}; name another with --state")
        return None
    suite = [str(path) for path in workload.tests]
    with Store(folder) as store:
        rows = [row for row in store.runs() if row.finished is not None]
        if identifier is not None:
            rows = [row for row in rows if row.id == identifier]
            if not rows:
                raise UsageError(f"run {identifier}: no such finished run in {folder}; leave it out for the latest")
        else:
            root = str(workload.root)
            rows = [row for row in rows if row.meta.get("workload") == root and row.meta.get("suite") == suite]
        return (rows[-1], store.load(rows[-1].id)) if rows else None


def _asked(options: Options) -> RunOptions:
    return RunOptions(
        tests=options.tests,
        only=(),
        first_kill=True,
        matrix=False,
        generated=True,
        seed=0,
        jobs=options.jobs,
        json=None,
        fail_under=None,
        fork=options.fork,
        prune=True,
        state=options.state,
        quiet=True,
        timeout=5.0,
        page=False,
    )


def _gaps(workload: Workload, run: Run, folder: Path, options: Options) -> Gaps:
    names = survivors(run.matrix)
    known = _variants(workload, names, folder)
    gone = [name for name in names if name not in known]
    if gone:
        raise UsageError(f"{', '.join(gone[:5])}: made no longer from today's code; run `acidtest run` again")

    def find(pairs: Sequence[tuple[Variant | None, Variant]]) -> Sequence[Finding]:
        return search(workload, pairs, seconds=options.seconds, seed=run.seed, jobs=options.jobs, fork=options.fork)

    def weigh(seen: Sequence[tuple[Variant | None, Variant, Witness]]) -> Sequence[Judgement]:
        return judge(workload, seen, seconds=options.seconds, jobs=options.jobs, fork=options.fork)

    variants = [known[name] for name in names]
    progress = sys.stderr.isatty()
    gaps = find_gaps(
        workload,
        variants,
        find,
        weigh,
        seed=run.seed,
        fork=options.fork,
        say=lambda text: say(f"{text}\n", sys.stderr) if progress else None,
    )
    return replace(gaps, listed=listed(run.matrix), wheats=len(wheats_of(workload)))


def _variants(workload: Workload, names: Sequence[str], folder: Path) -> dict[str, Variant]:
    """Return the variants with these ids: entries of the catalog, and generated ones."""
    mutants = read_catalog(workload.catalog)[0]
    found = {mutant.id: variant_for(workload, mutant) for mutant in mutants if mutant.id in names}
    if any(name not in found for name in names):
        found |= {variant.id: variant for variant in generated(workload, folder) if variant.id in names}
    return found


def _module(workload: Workload, gaps: Gaps, fork: bool) -> tuple[str, str]:
    """Return the tests as one module, after it has been run as a whole; else nothing, and why it does not hold."""
    if not gaps.tests:
        return "", ""
    text = page_of(gaps.tests)
    kills = {gap.test.name: gap.variant for gap in gaps.gaps if gap.test is not None}
    proofs = prove_text(workload, text, kills, fork)
    bad = [f"{name}: {proofs[name].why}" if name in proofs else f"{name}: not collected"
           for name in kills if name not in proofs or not proofs[name].holds]  # fmt: skip
    return ("", f"as one module the tests do not hold: {bad[0]}") if bad else (text, "")


def _write(path: Path, workload: Workload, gaps: Gaps, module: str, problem: str) -> None:
    """Write the module of all tests."""
    if not gaps.tests:
        say(f"{path}: not written, for there is no test to paste\n")
        return
    if problem:
        raise UsageError(f"{path}: not written, {problem}")
    try:
        path.write_text(module, encoding="utf-8")
    except OSError as error:
        raise UsageError(f"--write {path}: {error.strerror}; name a file that can be written") from error
    say(f"{shown(path.resolve(), workload.root)}: {len(gaps.tests)} tests, run as they stand\n")


def _code(gaps: Gaps) -> ExitCode:
    if gaps.gaps:
        return ExitCode.BROKEN
    return ExitCode.UNDECIDED if gaps.undecided or gaps.listed else ExitCode.KEPT
