"""The commands about the catalog and its tests: check, show, tests, new."""

import difflib
import sys
from collections.abc import Mapping
from pathlib import Path

from acidtest.mutants import lab
from acidtest.mutants.load import load_catalog, read_catalog, stem_of
from acidtest.mutants.model import Mutant, Outcome, Run, Trial, Variant
from acidtest.mutants.splice import function_source, functions_of
from acidtest.mutants.workload import Workload
from acidtest.reports.check import check_catalog
from acidtest.reports.context import UsageError, say, select, shown, state_folder, terminal, variant_for
from acidtest.reports.exits import ExitCode
from acidtest.reports.judge import bears
from acidtest.reports.render import catalog_text
from acidtest.reports.store import RunRow, Store, StoreError
from acidtest.reports.template import template


def check(workload: Workload) -> ExitCode:
    """Print each kind of claim as it is tried."""
    view = terminal(sys.stdout)
    broken = 0
    for claim in check_catalog(workload):
        say(catalog_text.claims_page([(claim.what, claim.count, claim.faults)], view.width, view.colour))
        broken += len(claim.faults)
    say(f"{broken} {'claim does' if broken == 1 else 'claims do'} not hold\n" if broken else "every claim holds\n")
    return ExitCode.BROKEN if broken else ExitCode.KEPT


def tests(workload: Workload) -> ExitCode:
    """Print the table of tests."""
    view = terminal(sys.stdout)
    mutants, _ = read_catalog(workload.catalog)
    say(catalog_text.tests_page(lab.collect(workload), mutants, view.width, view.colour))
    return ExitCode.KEPT


def show(workload: Workload, identifier: str, state: Path | None, examples: bool, here: Path) -> ExitCode:
    """Print one entry, and who killed it in the latest run that tried it."""
    (mutant,) = select(load_catalog(workload.catalog), [identifier])
    variant = variant_for(workload, mutant)
    run = _latest(workload, state_folder(workload, state, here), variant.id)
    kills: list[Trial] = []
    told = "no run kept yet that tried it: `acidtest run` says who kills it"
    if run is not None:
        kills = [trial for trial in run.matrix.of_variant(variant.id) if trial.outcome is Outcome.FAILED]
        told = f"in the latest run (seed {run.seed}) " + ("killed by" if kills else "killed by no test")
    named = {test.id for name in mutant.killers for test in (run.matrix.tests if run else ()) if bears(test, name)}
    kills.sort(key=lambda trial: trial.test not in named)
    found = _examples(workload, variant, [k.test for k in kills if k.test in named], run) if run and examples else {}
    view = terminal(sys.stdout)
    say(catalog_text.show_page(mutant, variant.diff, kills, found, told, view.width, view.colour))
    return ExitCode.KEPT


def new(workload: Workload, identifier: str, title: str, function: str | None) -> ExitCode:
    """Write the file of a new entry."""
    if workload.embedded and not (workload.root / "pyproject.toml").is_file():
        remedy = "clone the repository, or stand in a project with a [tool.acidtest] of its own"
        raise UsageError(f"the catalog that ships ({workload.catalog}) is not yours to change; {remedy}")
    if not identifier.isascii() or not identifier[:1].islower() or not identifier.isalnum():
        raise UsageError(f"id {identifier!r} must be letters and a number, such as s47")
    known: dict[str, Mutant] = {mutant.id: mutant for mutant in read_catalog(workload.catalog)[0]}
    taken = sorted(workload.catalog.glob(f"{identifier}_*.toml"))
    if taken or identifier in known:
        raise UsageError(f"id {identifier} is taken by {(taken or [known[identifier].path])[0].name}; choose another")
    module, name = _place(workload, function)
    source = function_source(workload.read(module), name) or ""
    path = workload.catalog / f"{stem_of(identifier, title)}.toml"
    try:
        with path.open("x", encoding="utf-8") as file:
            file.write(template(identifier, title, module, name, source))
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}; make the folder writable") from error
    say(f"{shown(path, workload.root)}: fill in what is marked TODO, then `acidtest check`\n")
    return ExitCode.KEPT


def _place(workload: Workload, function: str | None) -> tuple[str, str]:
    """Return the module and the function that an entry is to change."""
    places = [(module, name) for module in workload.modules for name in functions_of(workload.read(module))]
    if function is None:
        return places[0]
    for module, name in places:
        if name == function:
            return module, name
    names = [name for _, name in places]
    near = difflib.get_close_matches(function, names, n=3, cutoff=0.5) or names
    raise UsageError(f"--function {function}: not in {', '.join(workload.modules)}; there is {', '.join(near)}")


def _latest(workload: Workload, folder: Path, variant: str) -> Run | None:
    """Return the latest run of the workload's own tests that tried ``variant``."""

    def ours(row: RunRow) -> bool:
        suite = [str(path) for path in workload.tests]
        tried = variant in row.meta.get("variants", ())
        return row.meta.get("workload") == str(workload.root) and row.meta.get("suite") == suite and tried

    if not (folder / "runs.sqlite").is_file():
        return None
    try:
        with Store(folder) as store:
            return store.latest(ours)
    except StoreError as error:
        say(f"acidtest: {error}\n", sys.stderr)
        return None


def _examples(workload: Workload, variant: Variant, tests: list[str], run: Run) -> Mapping[str, str]:
    """Return the small failing example of each test that Hypothesis found one for."""
    found: dict[str, str] = {}
    for test in tests:
        try:
            example = lab.explain(workload, variant, test, run.seed).get("example")
        except lab.LabError as error:
            example = str(error)
        if example:
            found[test] = str(example)
    return found
