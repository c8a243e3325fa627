"""What a submission comes to: how it stands, its score under each scheme, the exit code. Pure functions of trials."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from fractions import Fraction
from typing import TYPE_CHECKING

from acidtest.mutants.model import Mutant, Outcome, Test, Trial
from acidtest.reports.exits import ExitCode

if TYPE_CHECKING:
    from acidtest.reports.diagnosis import Diagnosis

_KILLED = "was killed"


class Standing(StrEnum):
    """How a submission stands."""

    PASSED = "passed"
    FAILED = "failed"
    STOPPED = "stopped"
    UNGRADABLE = "ungradable"
    INTERNAL = "internal"


MEANINGS = {
    Standing.PASSED: "every test passed",
    Standing.FAILED: "at least one test failed",
    Standing.STOPPED: "no test failed, but one ran out of time or memory, crashed, or broke the protocol",
    Standing.UNGRADABLE: "there is nothing to judge: refused, does not compile, or lacks a function",
    Standing.INTERNAL: "the grader failed; no score, no attempt is spent, an earlier score stays",
}

EXITS = {
    Standing.PASSED: ExitCode.KEPT,
    Standing.FAILED: ExitCode.BROKEN,
    Standing.STOPPED: ExitCode.UNDECIDED,
    Standing.UNGRADABLE: ExitCode.CANNOT_JUDGE,
    Standing.INTERNAL: ExitCode.INTERNAL,
}


class Scheme(StrEnum):
    """How points are given; each share is of all points, 0 to 1."""

    ALL_OR_NOTHING = "all-or-nothing"
    BY_TEST = "by-test"
    BY_PITFALL = "by-pitfall"


@dataclass(frozen=True, slots=True)
class Assessment:
    """One submission, judged.

    Attributes:
        name: of the file or folder, fit to be printed. sha256: of what was handed in; empty where nothing was taken.
        seed: that the tests drew from. tier: of the sandbox, by number.
        why: the reason, for an ungradable submission or an internal fault.
        trials: one for each test, in the tests' order.
        answers: to the battery of the diagnosis, None where there was none.
        diagnosis: which mistakes these show; None where nothing was asked.
        scores: the share under each scheme; empty where there is none.
        seconds: from start to end. split: its parts.
        wrote: whether it printed anything while it was judged.
    """

    name: str
    sha256: str
    seed: int
    tier: int
    standing: Standing
    why: str = ""
    trials: tuple[Trial, ...] = ()
    answers: tuple[str | None, ...] = ()
    diagnosis: "Diagnosis | None" = None
    scores: Mapping[Scheme, Fraction] = field(default_factory=dict)
    seconds: float = 0.0
    split: Mapping[str, float] = field(default_factory=dict)
    wrote: bool = False

    @property
    def passed(self) -> int:
        """Return how many tests passed."""
        return sum(trial.outcome is Outcome.PASSED for trial in self.trials)

    @property
    def code(self) -> ExitCode:
        """Return the exit code."""
        return EXITS[self.standing]


def seed_of(salt: str, sha256: str) -> int:
    """Return the seed of a submission's tests: the same file under the same assignment draws the same inputs."""
    return int.from_bytes(hashlib.sha256(f"{salt}\0{sha256}".encode()).digest()[:4], "big")


def standing_of(trials: Sequence[Trial]) -> Standing:
    """Return how trials stand; a test that was skipped or gave up did not pass."""
    if not trials:
        return Standing.INTERNAL
    outcomes = {trial.outcome for trial in trials}
    if Outcome.FAILED in outcomes:
        return Standing.FAILED
    return Standing.PASSED if outcomes == {Outcome.PASSED} else Standing.STOPPED


def ran_out(trial: Trial) -> bool:
    """Return whether a test ran out of time or was killed: it may have been the machine, and is worth another try."""
    return trial.outcome is Outcome.TIMED_OUT or (trial.outcome is Outcome.CRASHED and _KILLED in trial.reason)


def scores_of(trials: Sequence[Trial], pitfalls: Mapping[int, frozenset[str]]) -> dict[Scheme, Fraction]:
    """Return the share of points under each scheme.

    Args:
        pitfalls: for each pitfall the ids of the tests that are about it; it is avoided where all of them passed.
    """
    if not trials:
        return {}
    passed = {trial.test for trial in trials if trial.outcome is Outcome.PASSED}
    avoided = sum(tests <= passed for tests in pitfalls.values())
    return {
        Scheme.ALL_OR_NOTHING: Fraction(len(passed) == len(trials)),
        Scheme.BY_TEST: Fraction(len(passed), len(trials)),
        Scheme.BY_PITFALL: Fraction(avoided, len(pitfalls)) if pitfalls else Fraction(len(passed) == len(trials)),
    }


def pitfalls_of(mutants: Sequence[Mutant], tests: Sequence[Test]) -> dict[int, frozenset[str]]:
    """Return the tests that are about each pitfall of the catalog: the named killers of its entries, if they ran."""
    ids: dict[str, set[str]] = {}
    for test in tests:
        ids.setdefault(test.name, set()).add(test.id)
    found: dict[int, set[str]] = {}
    for mutant in mutants:
        if mutant.pitfall is not None:
            about = found.setdefault(mutant.pitfall, set())
            about.update(*(ids.get(killer, set()) for killer in mutant.killers))
    return {pitfall: frozenset(about) for pitfall, about in sorted(found.items()) if about}
