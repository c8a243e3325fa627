"""Where mutmut and the lab say different things of one mutant, and what the two left behind that explains it."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from acidtest.mutants.model import UNREACHED, KillMatrix, Outcome, Status, Trial
from acidtest.mutants.mutmut_verdicts import MutmutVerdict, Ran

SAME = {
    Status.KILLED: "killed",
    Status.SURVIVED: "survived",
    Status.NO_COVERAGE: "no tests",
    Status.TIMED_OUT: "timeout",
    Status.CRASHED: "segfault",
}
UNEXPLAINED = "unexplained"
SEEDS = 5
Again = Callable[[str, str, int], str]
_HYPOTHESIS = {
    "DeadlineExceeded": "one example took longer than Hypothesis's deadline, which the lab switches off",
    "FailedHealthCheck": "Hypothesis's health check failed, which the lab counts as undecided and not as a kill",
    "Unsatisfiable": "Hypothesis found no valid example, which the lab counts as undecided and not as a kill",
    "Flaky": "Hypothesis could not repeat the failure, which the lab counts as undecided and not as a kill",
    "FlakyFailure": "Hypothesis could not repeat the failure, which the lab counts as undecided and not as a kill",
    "FlakyReplay": "Hypothesis could not repeat the failure, which the lab counts as undecided and not as a kill",
}


_OURS = {
    Status.UNVIABLE: (
        "import",
        "the mutated module cannot be imported; mutmut imports it as it was and switches later",
    ),
    Status.TIMED_OUT: (
        "limit",
        "a test went over its limit in the lab, no kill there; mutmut has one limit for all",
    ),
    Status.UNDECIDED: (
        "hypothesis",
        "Hypothesis gave up in the lab, no kill there; for mutmut that is a failure",
    ),
    Status.CRASHED: ("crash", "the process ended in the lab, which is no kill there"),
}


@dataclass(frozen=True, slots=True)
class Difference:
    """One mutant on which the two disagree.

    Attributes:
        kind: ``shrinking``, ``limit``, ``selection``, ``examples``, ``hypothesis``, ``trampoline``, ``import``,
            ``crash`` or ``unexplained``.
        reason: the same in a sentence, with the test that shows it.
    """

    variant: str
    lab: Status
    mutmut: str
    kind: str
    reason: str


def differences(
    matrix: KillMatrix, statuses: Mapping[str, Status], verdicts: Mapping[str, MutmutVerdict], again: Again
) -> Iterator[Difference]:
    """Yield each mutant on which the two disagree, with the reason that the records give.

    Args:
        matrix: the lab's trials. statuses: the lab's word on each variant. verdicts: mutmut's.
        again: runs one test on one variant in the lab once more, under another seed; returns the outcome.
    """
    for variant, status in statuses.items():
        verdict = verdicts[variant]
        if SAME.get(status) != verdict.status:
            trials = {trial.test: trial for trial in matrix.of_variant(variant)}
            kind, reason = _reason(status, verdict, trials, again)
            yield Difference(variant, status, verdict.status, kind, reason)


def _reason(status: Status, verdict: MutmutVerdict, trials: Mapping[str, Trial], again: Again) -> tuple[str, str]:
    killers = [test for test, trial in trials.items() if trial.outcome is Outcome.FAILED]
    if status in _OURS:
        return _OURS[status]
    if verdict.status == "timeout":
        return _out_of_time(verdict, killers)
    if verdict.status == "no tests":
        looked = sum(trial.reason != UNREACHED for trial in trials.values())
        return "selection", (
            f"mutmut saw no test call it while a test ran, so it tried none; the lab tried {looked}"
            + (f", and {killers[0]} fails" if killers else "")
        )
    if status is Status.KILLED and verdict.status == "survived":
        return _missed(verdict, killers, again)
    if verdict.status == "killed" and verdict.killers:
        return _only_there(verdict, verdict.killers[0], trials, again)
    return UNEXPLAINED, f"mutmut's exit code is {verdict.exit_code}, and its tests left no record that says why"


def _out_of_time(verdict: MutmutVerdict, killers: Sequence[str]) -> tuple[str, str]:
    """mutmut ended it: while a test shrank its failure, or because its tests are slow."""
    running = [ran.test for ran in verdict.ran if not ran.outcome]
    shrinking = [test for test in running if test in killers]
    if shrinking:
        return "shrinking", f"{shrinking[0]} fails in the lab; mutmut's time ended while Hypothesis made it small"
    if running:
        return (
            "limit",
            f"mutmut's time, {verdict.seconds:.1f} s, ended in {running[0]}; here each test has a limit",
        )
    return UNEXPLAINED, f"mutmut's time, {verdict.seconds:.1f} s, ended between tests"


def _missed(verdict: MutmutVerdict, killers: Sequence[str], again: Again) -> tuple[str, str]:
    """The lab kills it, and mutmut does not: it did not run that test, or the test drew other examples there."""
    ran = {one.test for one in verdict.ran}
    here = [test for test in killers if test in ran]
    if not here:
        return "selection", f"mutmut did not run {killers[0]}: it saw that test make no call of the function"
    return _by_seeds(verdict.variant, here[0], "fails", again)


def _only_there(verdict: MutmutVerdict, killer: Ran, trials: Mapping[str, Trial], again: Again) -> tuple[str, str]:
    """mutmut kills it, and the lab does not: for a reason that is no kill here, or with other examples."""
    if killer.error in _HYPOTHESIS:
        return "hypothesis", f"{killer.test}: {_HYPOTHESIS[killer.error]}"
    trial = trials.get(killer.test)
    if trial is None:
        return UNEXPLAINED, f"{killer.test} fails there with {killer.error}, and the lab has no trial of it"
    if trial.outcome is Outcome.TIMED_OUT:
        return "limit", f"{killer.test} fails there after {killer.seconds:.1f} s; here its time was over before"
    if trial.reason == UNREACHED:
        return "trampoline", f"{killer.test} executes no changed line here, yet fails there with {killer.error}"
    return _by_seeds(verdict.variant, killer.test, "passes", again)


def _by_seeds(variant: str, test: str, here: str, again: Again) -> tuple[str, str]:
    """Run the test under other seeds: one whose outcome changes with the seed hangs on the examples that it draws."""
    outcomes = [again(variant, test, seed) for seed in range(1, SEEDS + 1)]
    failed = outcomes.count("failed")
    if 0 < failed < SEEDS:
        return "examples", f"{test} {here} here; under {SEEDS} other seeds it fails {failed} times: its examples decide"
    if (failed == SEEDS) == (here == "fails"):
        return "trampoline", (
            f"{test} {here} here under {SEEDS} other seeds too, and does not there: "
            "apparently it sees the wrapper that mutmut puts around the function"
        )
    return "examples", f"{test} {here} here under one seed only, of {SEEDS + 1}: its examples decide"
