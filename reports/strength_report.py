"""The measures of a suite and where they come from, as the value that the page is made of."""

from dataclasses import dataclass

from acidtest.mutants.model import Run
from acidtest.reports.strength import Strength


@dataclass(frozen=True, slots=True)
class StrengthReport:
    """What is known of a suite's strength.

    Attributes:
        run: the matrix run that is measured; further seeds are in the measures.
        workload: where the target lies. suite: where the tests lie.
    """

    strength: Strength
    run: Run
    workload: str
    suite: str
