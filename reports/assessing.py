"""Puts submissions to a desk and says what each comes to: everything about grading that is not a pure function."""

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from acidtest.mutants.model import Mutant, Outcome, Test, Trial
from acidtest.mutants.sandbox.desk import Budget, Desk, DeskError, Judged, SandboxRefusedError
from acidtest.mutants.sandbox.intake import Submission, take
from acidtest.mutants.sandbox.intake_text import IntakeError, cleaned
from acidtest.mutants.workload import Workload
from acidtest.reports.grading import Assessment, Standing, pitfalls_of, ran_out, scores_of, seed_of, standing_of

if TYPE_CHECKING:
    from acidtest.reports.diagnosis import Diagnosis
    from acidtest.reports.hints import Ladder
    from acidtest.reports.pairing import Known, Pairs

_LONGEST = 400


@dataclass(frozen=True, slots=True)
class Terms:
    """By what a submission is judged.

    Attributes:
        extended: all of the workload's tests, and not the chapter's own alone.
        salt: the assignment; another one draws other inputs.
        own_deps: ``categorical.py`` and ``uniforms.py`` beside the submission are part of it.
        explain: make failing examples small.
        spare: where every test passed, ask for no diagnosis and read no catalog: nobody is going to read of it.
    """

    extended: bool = False
    salt: str = ""
    own_deps: bool = False
    explain: bool = False
    spare: bool = False
    budget: Budget = field(default_factory=Budget)


class Assessor:
    """What every submission of an assignment is held against.

    Args:
        workload: the assignment's. folder: where the catalog's answers to the battery are kept.
        tell: takes a line that says what takes long.
    """

    def __init__(
        self, workload: Workload, folder: Path, terms: Terms, tell: Callable[[str], None] = lambda _: None
    ) -> None:
        self.workload, self.terms = workload, terms
        self._folder, self._tell = folder, tell
        self._known: Known | None = None
        self._asking = threading.Lock()
        self._one_at_a_time = threading.Lock()  # several desks may be waited for, each in its thread
        if not terms.spare:
            self._known = self.known  # now, and not when a clock runs

    @cached_property
    def mutants(self) -> Mapping[str, Mutant]:
        """The catalog's entries by id.

        Raises:
            CatalogError: one cannot be used.
        """
        from acidtest.mutants.load import load_catalog  # not to be imported where nothing is read

        return {mutant.id: mutant for mutant in load_catalog(self.workload.catalog)}

    @property
    def known(self) -> "Known":
        """The battery of calls for a diagnosis, and the catalog's answers, which may have to be asked for first.

        Raises:
            CatalogError: an entry cannot be used. LabError: it gives no answers.
        """
        from acidtest.reports.diagnosing import known

        with self._asking:
            if self._known is None:
                self._known = known(self.workload, self._folder, tuple(self.mutants.values()), self._tell)
            return self._known

    @cached_property
    def ladder(self) -> "Ladder":
        """The workload's hints."""
        from acidtest.reports.hints import ladder_of

        return ladder_of(self.workload)

    @cached_property
    def _pairs(self) -> "Pairs":
        from acidtest.reports.pairing import Pairs

        return Pairs(self.workload, self.known)

    def tests(self, desk: Desk) -> tuple[Test, ...]:
        """Return the tests that count: the chapter's, where the workload marks any and not all were asked for.

        Raises:
            DeskError: they cannot be collected.
        """
        every = desk.tests()
        chapter = tuple(test for test in every if test.chapter)
        return every if self.terms.extended or not chapter else chapter

    def assess(self, path: Path, name: str, desk: Desk) -> Assessment:
        """Return what the submission at ``path`` comes to; a fault of the grader is its standing, and no score."""
        begun = time.monotonic()
        try:
            submission = take(path, self.terms.own_deps)
        except IntakeError as error:
            return Assessment(name, "", 0, desk.tier, Standing.UNGRADABLE, str(error), seconds=time.monotonic() - begun)
        return replace(self.judge(submission, name, desk), seconds=time.monotonic() - begun)

    def judge(self, submission: Submission, name: str, desk: Desk) -> Assessment:
        """Return what a submission that was taken comes to.

        Raises:
            SandboxRefusedError: it cannot be run safely.
        """
        begun = time.monotonic()
        seed = seed_of(self.terms.salt, submission.sha256)
        empty = Assessment(name, submission.sha256, seed, desk.tier, Standing.INTERNAL)
        try:
            tests = self.tests(desk)
            empty = replace(empty, tier=desk.tier)
            judged = desk.judge(
                submission,
                seed,
                [test.id for test in tests],
                () if self.terms.spare else self.known.calls,
                self.terms.budget,
                own_deps=self.terms.own_deps,
                explain=self.terms.explain,
            )
            if self.terms.spare and not _all_passed(judged.trials):
                judged = replace(judged, answers=self._answers(submission, seed, desk, begun))
        except SandboxRefusedError:
            raise
        except DeskError as error:
            return replace(empty, why=str(error))
        if judged.ungradable:
            why = tidy(judged.ungradable)
            return replace(empty, standing=Standing.UNGRADABLE, why=why, split=judged.split, wrote=judged.wrote)
        return self._assessed(empty, tests, judged)

    def _answers(self, submission: Submission, seed: int, desk: Desk, begun: float) -> tuple[str | None, ...]:
        """Return what is answered to the battery after the tests, in what is left of the time for both."""
        left = self.terms.budget.seconds - (time.monotonic() - begun)
        calls = self.known.calls
        if left <= 0:
            return (None,) * len(calls)
        budget = replace(self.terms.budget, seconds=left)
        return desk.judge(submission, seed, (), calls, budget, own_deps=self.terms.own_deps).answers

    def judge_again(self, submission: Submission, name: str, desk: Desk, earlier: Assessment) -> Assessment:
        """Return what a submission comes to of which some tests ran out of something, at a desk that has no other.

        If the first test that ran out of time does so here too, alone, and the first that was killed is killed, it was
        not the machine: ``earlier`` stands as it is. Otherwise the whole submission is judged anew.

        Raises:
            SandboxRefusedError: it cannot be run safely.
        """
        first: dict[Outcome, Trial] = {}
        for trial in filter(ran_out, earlier.trials):
            first.setdefault(trial.outcome, trial)
        if first and all(self._ran_out_again(submission, trial, earlier.seed, desk) for trial in first.values()):
            return earlier
        return self.judge(submission, name, desk)

    def _ran_out_again(self, submission: Submission, trial: Trial, seed: int, desk: Desk) -> bool:
        """Return whether one test comes to the same once more; not where the grader fails, which says nothing."""
        try:
            judged = desk.judge(submission, seed, [trial.test], (), self.terms.budget, own_deps=self.terms.own_deps)
        except SandboxRefusedError:
            raise
        except DeskError:
            return False
        return [each.outcome for each in judged.trials if ran_out(each)] == [trial.outcome]

    def diagnose(self, answers: Sequence[str | None]) -> "Diagnosis | None":
        """Return the mistakes that the answers to the battery show."""
        if not answers:
            return None
        from acidtest.reports.diagnosing import diagnose

        with self._one_at_a_time:
            return diagnose(self.known, answers, self._pairs)

    def _assessed(self, empty: Assessment, tests: Sequence[Test], judged: Judged) -> Assessment:
        trials = tuple(_tidied(trial) for trial in judged.trials)
        spared = self.terms.spare and _all_passed(trials)  # every pitfall is avoided then, whichever there are
        pitfalls = {} if spared else pitfalls_of(tuple(self.mutants.values()), tests)
        return replace(
            empty,
            standing=standing_of(trials),
            trials=trials,
            diagnosis=self.diagnose(judged.answers),
            answers=judged.answers,
            scores=scores_of(trials, pitfalls),
            split=judged.split,
            wrote=judged.wrote,
        )


def _all_passed(trials: Sequence[Trial]) -> bool:
    return all(trial.outcome is Outcome.PASSED for trial in trials)


def tidy(text: str) -> str:
    """Return words that a submission may have chosen, fit to be printed on one line."""
    plain = "".join(letter if letter.isprintable() else " " for letter in text)
    plain = " ".join(plain.split())
    return plain if len(plain) <= _LONGEST else f"{plain[: _LONGEST - 1]}…"


def _tidied(trial: Trial) -> Trial:
    return replace(trial, reason=tidy(trial.reason), detail=_lines(trial.detail))


def _lines(text: str) -> str:
    """Return a text of several lines, such as an example that failed, fit to be printed."""
    return "\n".join(filter(None, (tidy(line) for line in text.splitlines()[:12])))


def named(path: Path) -> str:
    """Return what a submission is called: its file's name, fit to be printed."""
    return cleaned(path.name or str(path.absolute()))
