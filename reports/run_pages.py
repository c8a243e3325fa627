"""The pages that commands leave behind: where they lie, how they are written, what is known for them already."""

import os
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TextIO, TypeVar

from acidtest.mutants import lab
from acidtest.mutants.generated import KIND, function_of
from acidtest.mutants.law_pictures import Laws
from acidtest.mutants.load import read_catalog
from acidtest.mutants.model import Mutant, Run, Variant
from acidtest.mutants.workload import Workload
from acidtest.reports.confidence import Seeding
from acidtest.reports.context import UsageError, say, shown, state_folder, suite_of, variant_for
from acidtest.reports.gaps_report import GapsReport
from acidtest.reports.inquiry import Inquiry, NotKeptError
from acidtest.reports.judge import bears
from acidtest.reports.kept_examples import KeptExamples, drawn_kills
from acidtest.reports.kept_laws import KeptLaws
from acidtest.reports.kills import kills_in
from acidtest.reports.matrix_runs import MatrixRuns
from acidtest.reports.run_index import PageNote, index_of
from acidtest.reports.run_report import RunReport
from acidtest.reports.store import Store, StoreError
from acidtest.reports.strength import Evidence, Strength, strength
from acidtest.reports.strength_report import StrengthReport
from acidtest.reports.summary import Summary

PAGE, GAPS_PAGE, STRENGTH_PAGE, INDEX_PAGE = "run.html", "gaps.html", "strength.html", "index.html"
T = TypeVar("T")
Examples = Mapping[tuple[str, str], str]


@dataclass(frozen=True, slots=True)
class Place:
    """Where a run was made and is kept.

    Attributes:
        home: the workload as it is by itself; ``workload``: judged by the run's suite.
        state: the state folder that was named, if one was. here: where one stands.
    """

    home: Workload
    workload: Workload
    state: Path | None
    here: Path
    jobs: int
    fork: bool = True

    @property
    def folder(self) -> Path:
        """The state folder."""
        return state_folder(self.workload, self.state, self.here)

    @property
    def page(self) -> Path:
        """Where the run's page goes: ``reports/out`` in a checkout, else ``reports`` in the state folder.

        A state folder that was named keeps its pages, in a checkout too.
        """
        checkout = self.home.embedded and (self.home.root / "pyproject.toml").is_file()
        if self.state is None and checkout and self.here.resolve().is_relative_to(self.home.root):
            return self.home.root / "reports" / "out" / PAGE
        return self.folder / "reports" / PAGE

    def beside(self, name: str) -> Path:
        """Return where another page goes: into the folder of the run's."""
        return self.page.with_name(name)


def page_of_run(place: Place, summary: Summary, variants: Sequence[Variant], number: int, store: Store) -> Path:
    """Write the page at the end of a run from what is known by then, and return where it is; no worker is asked.

    Args:
        variants: all that were tried. number: the run's in ``store``.
    """
    report = RunReport(
        summary=summary,
        number=number,
        started=next(row.started for row in store.runs() if row.id == number),
        variants={variant.id: variant for variant in variants},
        strength=strength_of(place, summary.run, variants, store),
        laws=laws_of(place, summary.run, variants, ask=False),
        examples=examples_of(place, summary.run, (), variants, ask="none"),
    )
    write_page(report, place.page)
    write_index(place, store, noted(PAGE, number), (number, summary))
    return place.page


def page_without_verdict(place: Place, seed: int, problem: str) -> Path:
    """Write the page of a run that came to no mutant, because of ``problem``, and return where it is."""
    from acidtest.reports.render.html.run_page import failed_page  # loads the templates: only where it is used

    suite = suite_of(place.workload)
    put(failed_page(str(place.workload.root), suite, seed, problem, lab.versions()), place.page)
    with Store(place.folder) as store:
        write_index(place, store, noted(PAGE, None, problem))
    return place.page


def page_of_gaps(place: Place, report: GapsReport, store: Store) -> Path:
    """Write the page of a run's gaps, and return where it is."""
    from acidtest.reports.render.html.gaps_page import gaps_html  # as above

    path = place.beside(GAPS_PAGE)
    put(gaps_html(report), path)
    write_index(place, store, noted(GAPS_PAGE, report.number))
    return path


def page_of_strength(place: Place, report: StrengthReport, store: Store) -> Path:
    """Write the page of a suite's strength, and return where it is."""
    from acidtest.reports.render.html.strength_page import strength_html  # as above

    path = place.beside(STRENGTH_PAGE)
    put(strength_html(report), path)
    write_index(place, store, noted(STRENGTH_PAGE))
    return path


def write_index(
    place: Place, store: Store, note: PageNote | None = None, judged: tuple[int, Summary] | None = None
) -> None:
    """Write the index of the runs anew, beside the pages.

    Args:
        note: a page that has just been written. judged: a run that has just been judged, with its number.
    """
    from acidtest.reports.render.html.index_page import index_page  # as above

    path = place.beside(INDEX_PAGE)
    put(index_page(index_of(store, place.home, path.parent, note, judged)), path)


def noted(file: str, run: int | None = None, problem: str = "") -> PageNote:
    """Return the note that a page has been written now."""
    return PageNote(file, datetime.now(UTC).isoformat(timespec="seconds"), run, problem)


def leave(write: Callable[[], Path], here: Path, stream: TextIO | None) -> None:
    """Leave a page behind and say where; where it cannot be written, that is said, and the verdict stands.

    Args:
        stream: where to say so; None for nowhere.
    """
    try:
        path = write()
    except (UsageError, StoreError) as error:
        say(f"acidtest: no page: {error}\n", sys.stderr)
        return
    if stream is not None:
        say(f"page       {shown(path, here.resolve())}\n", stream)


def write_page(report: RunReport, path: Path) -> None:
    """Render a run's page and write it.

    Raises:
        UsageError: the file cannot be written.
    """
    from acidtest.reports.render.html.run_page import run_page  # as above

    put(run_page(report), path)


def put(page: str, path: Path) -> None:
    """Write a page in one step: whoever opens the file sees the old one or the new one.

    Raises:
        UsageError: the file cannot be written.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}-")
        try:
            with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as file:
                file.write(page)
            Path(name).chmod(0o644)
            Path(name).replace(path)
        except OSError:
            Path(name).unlink(missing_ok=True)
            raise
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}; name a file that can be written") from error


def strength_of(place: Place, run: Run, variants: Sequence[Variant], store: Store) -> Strength | None:
    """Return the measures with all further evidence that is kept; None where no mutant met every test."""
    kills = kills_in(run.matrix)
    if not kills.killers or not run.matrix.tests:
        return None
    workload = place.workload
    catalog = read_catalog(workload.catalog)[0]
    entries = {mutant.id: mutant.witness.function for mutant in catalog}
    entries |= {v.id: function_of(v) for v in variants if v.kind == KIND and v.id in kills.killers}
    asked = tuple(variant for variant in variants if variant.id in kills.killers)
    inquiry = Inquiry(workload, asked, entries, place.folder, place.jobs, place.fork, _silent, kept_only=True)
    seedings: Sequence[Seeding] = ()
    if any(row.meta.get("further") for row in store.runs()):
        made = {variant.id: variant for variant in variants}
        whole = tuple(made.get(mutant.id) or variant_for(workload, mutant) for mutant in catalog)
        seedings = MatrixRuns(workload, store, whole, place.jobs, place.fork, _silent).kept_seedings(run)
    seeds = len(seedings) if len(seedings) > 1 else 0
    ledgers = _kept(lambda: inquiry.ledgers(run.matrix.tests, seeds))
    if ledgers is None and seeds:
        ledgers = _kept(lambda: inquiry.ledgers(run.matrix.tests, 0))
    evidence = Evidence(seedings=seedings if seeds else None, triggers=_kept(inquiry.triggers), ledgers=ledgers)
    return strength(run.matrix, kills, kills, evidence, sizes=False)


def laws_of(place: Place, run: Run, variants: Sequence[Variant], ask: bool) -> tuple[Laws, ...] | None:
    """Return the output laws of the catalog's mutants.

    Args:
        ask: ask workers for those that are not kept.
    """
    tried = set(run.matrix.variants)
    catalog = [variant for variant in variants if variant.kind != KIND and variant.id in tried]
    return KeptLaws(place.workload, place.folder, place.jobs, place.fork, told).of(catalog, ask)


def examples_of(place: Place, run: Run, mutants: Sequence[Mutant], variants: Sequence[Variant], ask: str) -> Examples:
    """Return the failing inputs made small that are known, or can be asked for.

    Args:
        ask: ``none``; ``named``, which asks about the kills by named killers that drew their input; or ``all``.
    """
    kills = drawn_kills(run.matrix, variants)
    kept = KeptExamples(place.workload, place.folder, run.seed, place.jobs, place.fork)
    if ask == "none":
        return kept.of(kills, ask=False)
    named = {
        (mutant.id, test.id)
        for mutant in mutants
        for test in run.matrix.tests
        for name in mutant.killers
        if bears(test, name)
    }
    asked = kills if ask == "all" else [kill for kill in kills if (kill[0].id, kill[1]) in named]
    if asked:
        told(f"the failing input of {len(asked)} kills made small; they are kept")
        kept.of(asked, ask=True)
    return kept.of(kills, ask=False)


def told(text: str) -> None:
    """Say what has to be done first."""
    say(f"first: {text}\n", sys.stderr)


def _kept(question: Callable[[], tuple[T, ...]]) -> tuple[T, ...] | None:
    """Return the answers to a question where all of them are kept, and there are any."""
    try:
        return question() or None
    except NotKeptError:
        return None


def _silent(text: str) -> None:
    """Say nothing: nobody is asked."""
