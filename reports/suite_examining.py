"""Shows a suite the implementations, right ones among mutants, in an order that the suite cannot know."""

import hashlib
import hmac
import os
import queue
import random
import secrets
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

from acidtest.mutants.lab import LabError
from acidtest.mutants.load import load_catalog
from acidtest.mutants.model import Mutant, Outcome
from acidtest.mutants.sandbox.desk import DeskError, SandboxRefusedError
from acidtest.mutants.sandbox.intake_text import IntakeError, cleaned
from acidtest.mutants.sandbox.subject import CHAPTER
from acidtest.mutants.sandbox.suite_desk import Shown, SuiteDesk, SuiteLimits, UngradableSuiteError, Unit
from acidtest.mutants.sandbox.suite_intake import Suite, take_suite
from acidtest.mutants.workload import Workload
from acidtest.reports.assessing import tidy
from acidtest.reports.context import UsageError, variant_for
from acidtest.reports.kills import kills_in
from acidtest.reports.matrix_runs import MatrixRuns
from acidtest.reports.store import Store
from acidtest.reports.subsumption import MutantClass, dominators
from acidtest.reports.suite_grading import Showing, Standing, SuiteAssessment, Validity, conclude, judge_units

REFERENCE = "reference"
TWICE = 2
"""How often a mutant is shown to a test that fails on it."""


@dataclass(frozen=True, slots=True)
class SuiteTerms:
    """By what a suite is graded.

    Attributes:
        salt: the assignment; another one draws other inputs, in another order.
        showings: how often each right implementation is shown, each time under another seed; at least 2.
        seconds: wall clock for all showings together.
        jobs: how many go on at once.
        tier: of the sandbox, by number; None for the first that holds.
    """

    salt: str = ""
    showings: int = 3
    seconds: float = 300.0
    jobs: int = 1
    tier: int | None = None
    limits: SuiteLimits = field(default_factory=SuiteLimits)


@dataclass(frozen=True, slots=True)
class _Cell:
    unit: str
    variant: str
    right: bool
    seed: int


class SuiteExaminer:
    """What every suite of an assignment is shown, and the desks where that is done.

    Args:
        workload: whose implementation the suites test. folder: where runs and the secret of this place are kept.
        say: told in a line what takes long.

    Raises:
        UsageError: suites cannot be graded for this workload.
    """

    def __init__(self, workload: Workload, folder: Path, terms: SuiteTerms, say: Callable[[str], None]) -> None:
        modules = (CHAPTER.module, *CHAPTER.beside)
        if not set(modules) <= set(workload.modules):
            raise UsageError(f"suites are graded for the workload that ships alone, which has {', '.join(modules)}")
        self._workload, self._folder, self._terms, self._say = workload, folder, terms, say
        self.mutants: tuple[Mutant, ...] = tuple(
            mutant for mutant in load_catalog(workload.catalog) if mutant.expect == "killed"
        )
        self._reference = {module: workload.read(module) for module in modules}
        wheats = sorted(workload.wheats.glob("*.py")) if workload.wheats is not None else []
        self._right = (REFERENCE, *(f"wheat {path.stem}" for path in wheats))
        texts = {f"wheat {path.stem}": {CHAPTER.module: path.read_text("utf-8")} for path in wheats}
        texts |= {mutant.id: {mutant.module: variant_for(workload, mutant).source} for mutant in self.mutants}
        self._desks = [
            SuiteDesk(self._reference, {REFERENCE: {}, **texts}, terms.tier, slot) for slot in range(max(1, terms.jobs))
        ]
        self._dominators: tuple[MutantClass, ...] | None = None

    def begin(self) -> None:
        """Start the processes; nobody need wait for them yet."""
        for desk in self._desks:
            desk.begin()

    def close(self) -> None:
        """End them."""
        for desk in self._desks:
            desk.close(1.0)

    @property
    def tier(self) -> int:
        """The sandbox's number; -1 until something was put on a desk."""
        return self._desks[0].tier

    def dominators(self) -> tuple[MutantClass, ...]:
        """Return the catalog's dominator classes under the workload's own tests, from the latest full matrix.

        Raises:
            LabError, BaselineFailedError: there is none, and it cannot be made.
        """
        if self._dominators is None:
            variants = tuple(variant_for(self._workload, mutant) for mutant in self.mutants)
            with Store(self._folder) as store:
                run = MatrixRuns(self._workload, store, variants, self._terms.jobs, True, self._say).latest()
            if run.problems:
                raise LabError(f"no dominators: {run.problems[0]}; `acidtest run` says more")
            wanted = {mutant.id for mutant in self.mutants}
            killers = kills_in(run.matrix).killers
            self._dominators = dominators({mutant: kappa for mutant, kappa in killers.items() if mutant in wanted})
        return self._dominators

    def examine(self, path: Path) -> SuiteAssessment:
        """Return what the suite at ``path`` comes to; a fault of the grader is its standing, and no score.

        Raises:
            SandboxRefusedError: it cannot be run safely. LabError, BaselineFailedError: as ``dominators``.
        """
        begun = time.monotonic()
        base = SuiteAssessment(cleaned(path.name or str(path.absolute())), "", self.tier, Standing.UNGRADABLE)
        try:
            suite = take_suite(path)
            base = replace(base, sha256=suite.sha256)
            found = self._examined(base, suite)
        except (IntakeError, UngradableSuiteError) as error:
            found = replace(base, why=tidy(str(error)))
        except SandboxRefusedError:
            raise
        except DeskError as error:
            found = replace(base, standing=Standing.INTERNAL, why=str(error))
        return replace(found, tier=self.tier, seconds=time.monotonic() - begun)

    def _examined(self, base: SuiteAssessment, suite: Suite) -> SuiteAssessment:
        classes = self.dominators()
        key = hmac.digest(self._secret(), f"{self._terms.salt}\0{suite.sha256}".encode(), hashlib.sha256)
        chance = random.Random(key)
        seeds = [chance.getrandbits(32) for _ in range(self._terms.showings)]
        in_parallel(lambda desk: desk.load(suite, self._terms.limits), self._desks)
        units = self._desks[0].units(seeds[0])
        showings, left = self._shown(units, seeds, chance, time.monotonic() + self._terms.seconds)
        reports = judge_units(units, showings, TWICE)
        return conclude(replace(base, shown=len(showings), left=left), reports, self.mutants, classes)

    def _shown(
        self, units: Sequence[Unit], seeds: Sequence[int], chance: random.Random, until: float
    ) -> tuple[list[Showing], int]:
        """Show everything that can matter, and return the showings and how many there was no time for.

        The reference comes first. A mutant that would have answered as it did in all calls of a test cannot be told
        from it by that test, and is not shown to it.
        """
        ids = [mutant.id for mutant in self.mutants]
        first = [_Cell(unit.name, REFERENCE, True, seeds[0]) for unit in units]
        showings, shown, left = self._round(first, until, ids)
        alive = [showing.unit for showing in showings if showing.outcome is Outcome.PASSED]
        cells = [
            _Cell(unit, variant, True, seed)
            for unit in alive
            for variant in self._right
            for seed in seeds[:-1]
            if (variant, seed) != (REFERENCE, seeds[0])
        ]
        cells += [_Cell(unit, mutant, False, seeds[0]) for unit in alive for mutant in shown[unit].reached]
        chance.shuffle(cells)
        more, _, over = self._round(cells, until)
        showings, left = showings + more, left + over
        again = [
            _Cell(unit.name, variant, True, seeds[-1])
            for unit in judge_units(units, showings, 1)
            if unit.validity is Validity.VALID
            for variant in self._right
        ]
        valid = {cell.unit for cell in again}
        again += [
            _Cell(showing.unit, showing.variant, False, seeds[0])
            for showing in more
            if not showing.right and showing.outcome is Outcome.FAILED and showing.unit in valid
        ]
        chance.shuffle(again)
        more, _, over = self._round(again, until)
        return showings + more, left + over

    def _round(
        self, cells: Iterable[_Cell], until: float, sift: Sequence[str] = ()
    ) -> tuple[list[Showing], Mapping[str, Shown], int]:
        """Show cells on all desks at once; return the showings in that order, what was seen, how many were left."""
        waiting: queue.SimpleQueue[tuple[int, _Cell]] = queue.SimpleQueue()
        numbered = list(enumerate(cells))
        for each in numbered:
            waiting.put(each)
        found: dict[int, tuple[Showing, Shown]] = {}
        broken = threading.Event()

        def work(desk: SuiteDesk) -> None:
            try:
                show(desk)
            except BaseException:
                broken.set()
                raise

        def show(desk: SuiteDesk) -> None:
            with suppress(queue.Empty):
                while time.monotonic() < until and not broken.is_set():
                    number, cell = waiting.get_nowait()
                    shown = desk.show(cell.unit, cell.variant, cell.seed, sift, mutant=not cell.right)
                    reason, call = tidy(shown.reason), tidy(shown.call)
                    showing = Showing(cell.unit, cell.variant, cell.right, shown.outcome, reason, call, shown.differs)
                    found[number] = showing, shown

        in_parallel(work, self._desks)
        ordered = [found[number] for number, _ in numbered if number in found]
        seen = {showing.unit: shown for showing, shown in ordered}
        return [showing for showing, _ in ordered], seen, len(numbered) - len(ordered)

    def _secret(self) -> bytes:
        """Return what no suite can know, made once: from it come the order and the seeds."""
        place = self._folder / "suite-secret"
        try:
            return place.read_bytes()
        except FileNotFoundError:
            self._folder.mkdir(parents=True, exist_ok=True)
            with suppress(FileExistsError):
                handle = os.open(place, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
                with os.fdopen(handle, "wb") as file:
                    file.write(secrets.token_bytes(32))
            return place.read_bytes()


def in_parallel(work: Callable[[SuiteDesk], None], desks: Sequence[SuiteDesk]) -> None:
    """Let all desks do the same, each in a thread of its own.

    Raises:
        Exception: the first that one of them raised.
    """
    errors: list[BaseException] = []

    def guarded(desk: SuiteDesk) -> None:
        try:
            work(desk)
        except BaseException as error:  # whatever it is, the caller's thread has to see it
            errors.append(error)

    threads = [threading.Thread(target=guarded, args=(desk,), daemon=True) for desk in desks[1:]]
    for thread in threads:
        thread.start()
    guarded(desks[0])
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]
