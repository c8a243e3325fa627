"""One run and all that is concluded from it, as the value that every rendering takes."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from acidtest.mutants.model import Mode, Mutant, Run
from acidtest.reports.exits import ExitCode
from acidtest.reports.judge import Scores, Verdict, exit_code, judge, scores
from acidtest.reports.machine_made import MachineMade


@dataclass(frozen=True, slots=True)
class Summary:
    """A judged run.

    Attributes:
        workload: where the target and the catalog lie. suite: where the tests lie.
        contract: whether named killers were compared.
        fail_under: the score in percent that decides the exit code, where one was asked for.
        generated: what became of the generated mutants, where the run had any.
    """

    workload: str
    suite: str
    run: Run
    verdicts: tuple[Verdict, ...]
    scores: Scores
    code: ExitCode
    contract: bool
    fail_under: Fraction | None = None
    generated: MachineMade | None = None

    @property
    def kept(self) -> int:
        """How many promises are kept."""
        return sum(verdict.kept for verdict in self.verdicts)


def summarize(
    run: Run,
    mutants: Sequence[Mutant],
    workload: str,
    suite: str,
    own_suite: bool,
    fail_under: Fraction | None = None,
    generated: MachineMade | None = None,
) -> Summary:
    """Judge ``run``.

    Args:
        mutants: the entries that were tried.
        own_suite: whether the tests are the ones that the catalog names; else no killers are compared.
        generated: what became of the mutants that are not the catalog's; they make no promise, and should be killed.
    """
    contract = own_suite and run.mode is Mode.MATRIX
    verdicts = judge(run.matrix, mutants, contract)
    counted = scores(run, [mutant.id for mutant in mutants])
    others = [one.status for one in generated.tried] if generated else []
    code = exit_code(run, verdicts, counted, fail_under, others, generated.scores if generated else None)
    return Summary(workload, suite, run, verdicts, counted, code, contract, fail_under, generated)
