"""What the output laws of mutants look like: asked of workers that hold the reference, one pair after the other."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from acidtest.mutants.model import Variant
from acidtest.mutants.searchers import asked, command_for
from acidtest.mutants.workload import Workload


@dataclass(frozen=True, slots=True)
class Laws:
    """A mutant's laws beside the reference's, as the workload's ``law_pictures`` tells them; exact fractions as texts.

    Attributes:
        data: None where the mutant changes no function that has a law. why: where the laws could not be found.
    """

    mutant: str
    data: Mapping[str, Any] | None
    why: str = ""


def law_pictures(
    workload: Workload,
    variants: Sequence[Variant],
    *,
    seconds: float,
    jobs: int | None = None,
    fork: bool = True,
) -> list[Laws]:
    """Return the laws of each variant beside the reference's.

    Args:
        seconds: how long one variant may take; places that are left out then are counted in what is told.

    Raises:
        LabError: the workload has no ``calls``, or the reference cannot be imported.
    """
    commands = [command_for("laws", None, variant) for variant in variants]
    answers = asked(workload, commands, seconds, 0, jobs, fork)
    return [
        Laws(variant.id, answer["laws"])
        if answer["verdict"] == "laws"
        else Laws(variant.id, None, str(answer.get("why", "")))
        for variant, answer in zip(variants, answers, strict=True)
    ]
