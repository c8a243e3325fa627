"""What became of the generated mutants of a run: tried ones, and those certified equal on D, as pure functions."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from acidtest.mutants.certificates import Certificate
from acidtest.mutants.generated import function_of
from acidtest.mutants.model import Run, Status, Trial, Variant
from acidtest.reports.judge import Scores, plain_name, scores, status_of


@dataclass(frozen=True, slots=True)
class Tried:
    """One generated mutant that was tried, and what became of it; one killer only where its tests stop at the first."""

    variant: Variant
    status: Status
    killers: tuple[str, ...]
    odd: tuple[Trial, ...] = ()

    @property
    def function(self) -> str:
        """The qualified name of the function that it changes."""
        return function_of(self.variant)


@dataclass(frozen=True, slots=True)
class MachineMade:
    """The generated mutants of one run.

    Attributes:
        tried: those that count. scores: over them.
        certified: the others, which a certificate holds to be equal on D, by id.
        stale: how many certificates are for another D than today's, and were not used.
    """

    tried: tuple[Tried, ...]
    scores: Scores
    certified: Mapping[str, Certificate]
    stale: int = 0

    @property
    def alive(self) -> tuple[Tried, ...]:
        """Those that no test kills: survived, or reached by none."""
        return tuple(one for one in self.tried if one.status in (Status.SURVIVED, Status.NO_COVERAGE))

    @property
    def unjudged(self) -> tuple[Tried, ...]:
        """Those neither killed nor alive; one that cannot be imported is no mutant at all."""
        settled = (Status.KILLED, Status.SURVIVED, Status.NO_COVERAGE, Status.UNVIABLE)
        return tuple(one for one in self.tried if one.status not in settled)

    @property
    def messages(self) -> int:
        """How many of the certified ones change only the words of an error."""
        return sum(certificate.message for certificate in self.certified.values())

    @property
    def raw(self) -> Fraction | None:
        """The score that counts the certified ones as survivors, as tools without certificates do."""
        valid = self.scores.valid + len(self.certified)
        return None if self.scores.strict is None else Fraction(self.scores.killed, valid)

    @property
    def without_messages(self) -> Fraction | None:
        """The same, with those that change only the words of an error left out."""
        valid = self.scores.valid + len(self.certified) - self.messages
        return None if self.scores.strict is None else Fraction(self.scores.killed, valid)


def machine_made(
    run: Run, variants: Sequence[Variant], certified: Mapping[str, Certificate], stale: int = 0
) -> MachineMade:
    """Return what became of the generated ``variants`` that ``run`` tried."""
    tried = tuple(_tried(run, variant) for variant in variants)
    return MachineMade(tried, scores(run, [variant.id for variant in variants]), certified, stale)


def _tried(run: Run, variant: Variant) -> Tried:
    killers = tuple(dict.fromkeys(plain_name(test) for test in run.matrix.killers_of(variant.id)))
    odd = tuple(t for t in run.matrix.of_variant(variant.id) if t.outcome not in ("passed", "failed", "skipped"))
    return Tried(variant, status_of(run.matrix, variant.id), killers, odd)
