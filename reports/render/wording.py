"""Phrases that several renderings share: a call, a score, where a mistake comes from."""

from typing import TYPE_CHECKING

from acidtest.mutants.model import Mutant, Status, Witness
from acidtest.mutants.repetition import argument_text
from acidtest.reports.exits import MEANINGS, ExitCode
from acidtest.reports.judge import Grade, Verdict

if TYPE_CHECKING:
    from acidtest.reports.summary import Summary


def call_of(witness: Witness) -> str:
    """Return the witness as a person would write the call."""
    return f"{witness.function}({', '.join(f'{name}={argument_text(value)}' for name, value in witness.args.items())})"


def source_of(mutant: Mutant) -> str:
    """Return where the mistake comes from: the chapter's pitfall, the project it was seen in, or nothing."""
    parts = [] if mutant.pitfall is None else [f"pitfall {mutant.pitfall}"]
    return ", ".join([*parts, f"origin: {mutant.origin}"] if mutant.origin else parts)


def complaint(verdict: Verdict) -> str:
    """Return in one sentence what is wrong with a verdict that is not kept."""
    if verdict.mutant.expect == "survived" and verdict.killers:
        return f"expected to survive, yet killed by {', '.join(verdict.killers)}"
    sentence = _SENTENCES.get(verdict.grade, "").format(
        killers=", ".join(verdict.killers), silent=", ".join(verdict.silent), status=verdict.status.replace("_", " ")
    )
    if verdict.status is Status.NO_COVERAGE:
        sentence = "no test reaches the changed code"
    absent = ", ".join(verdict.absent)
    return f"{sentence}; there is no test {absent}" if absent else sentence


_SENTENCES = {
    Grade.PARTIAL: "not killed by {silent}",
    Grade.WRONG_KILLER: "killed by {killers}, not by {silent}",
    Grade.SURVIVED: "survived every test",
    Grade.UNVIABLE: "cannot be imported",
    Grade.UNJUDGED: "neither killed nor survived: {status}",
}


def _alive(number: int) -> str:
    return f"{number} generated {'mutant' if number == 1 else 'mutants'} alive"


def conclusion(summary: "Summary") -> str:
    """Return why the run exits as it does."""
    if summary.fail_under is not None and summary.code in (ExitCode.KEPT, ExitCode.BROKEN):
        side = "at least" if summary.code is ExitCode.KEPT else "below"
        which = "the" if summary.generated is None else "each" if summary.code is ExitCode.KEPT else "a"
        return f"{which} strict score is {side} {float(summary.fail_under):g}%"
    made = summary.generated
    if summary.code is ExitCode.KEPT:
        also = ", every generated mutant killed" if made is not None else ""
        return f"every promise kept{also}" if summary.contract and summary.verdicts else "every mutant killed"
    alive = _alive(len(made.alive)) if made is not None and made.alive else ""
    if summary.code is ExitCode.BROKEN:
        broken = [verdict.mutant.id for verdict in summary.verdicts if verdict.broken]
        if not broken:
            return alive
        shown = ", ".join(broken[:8]) + (f" and {len(broken) - 8} more" if len(broken) > 8 else "")
        return (
            f"broken {'promise' if len(broken) == 1 else 'promises'}: {shown}"
            if summary.contract
            else (f"not killed: {shown}")
        ) + (f"; {alive}" if alive else "")
    return MEANINGS[summary.code]
