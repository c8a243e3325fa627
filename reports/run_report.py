"""Everything that the page of one run tells, as one value: the judged run, and what else is known of it today."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from acidtest.mutants.law_pictures import Laws
from acidtest.mutants.model import Variant
from acidtest.reports.gaps import Gaps
from acidtest.reports.strength import Strength
from acidtest.reports.summary import Summary


@dataclass(frozen=True, slots=True)
class RunReport:
    """One run, ready to be rendered.

    Attributes:
        number: the run's number in the store; None where it is not kept. started: when, as ISO 8601.
        variants: what was tried, by id, as today's code gives it: titles and diffs.
        strength: the measures; None where the matrix has no mutant that every test was tried on.
        gaps: what the survivors miss; None where nobody searched.
        laws: output laws to look at; None where none were kept or asked for.
        examples: the failing input made small, for the variants and tests of which it is known.
        notes: what a reader has to know before reading on, a sentence each.
    """

    summary: Summary
    number: int | None = None
    started: str = ""
    variants: Mapping[str, Variant] = field(default_factory=dict)
    strength: Strength | None = None
    gaps: Gaps | None = None
    laws: tuple[Laws, ...] | None = None
    examples: Mapping[tuple[str, str], str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
