"""What the page shows of each mutant that lives on: the call that shows it, what it breaks, and a test to paste."""

from dataclasses import dataclass

from acidtest.mutants.model import Status
from acidtest.reports.differences import differences, exact_numbers
from acidtest.reports.emit import paste_text
from acidtest.reports.gaps import Gap
from acidtest.reports.judge import status_of
from acidtest.reports.render.gaps_text import call_text
from acidtest.reports.render.wording import source_of
from acidtest.reports.run_report import RunReport


@dataclass(frozen=True, slots=True)
class Survivor:
    """One mutant that no test noticed, ready to be shown; what is not known is empty.

    Attributes:
        call, reference, mutant: the witness and both answers. differs: in what they differ.
        state: ``gap``, ``equal on D``, ``undecided``, or empty where nobody searched.
        nearest: the test that came nearest and why it missed. test: to paste. problem: why there is no test.
        example: a line for a property of the suite, and where it goes.
    """

    id: str
    title: str
    place: str
    status: str
    expected: bool
    source: str = ""
    diff: str = ""
    state: str = ""
    call: str = ""
    reference: str = ""
    mutant: str = ""
    differs: str = ""
    rule: str = ""
    severity: str = ""
    nearest: str = ""
    test: str = ""
    problem: str = ""
    example: str = ""
    example_place: str = ""


def survivors_of(report: RunReport) -> list[Survivor]:
    """Return the mutants that live on, those of the catalog first, with all that is known of each."""
    matrix = report.summary.run.matrix
    mutants = {verdict.mutant.id: verdict.mutant for verdict in report.summary.verdicts}
    gaps = {gap.variant.id: gap for gap in report.gaps.gaps} if report.gaps else {}
    states: dict[str, tuple[str, str]] = {}
    for name, pairs in (("equal on D", report.gaps.equal), ("undecided", report.gaps.undecided)) if report.gaps else ():
        states |= {variant.id: (name, finding.why) for variant, finding in pairs}
    found = []
    for name in matrix.variants:
        status = status_of(matrix, name)
        if status not in (Status.SURVIVED, Status.NO_COVERAGE):
            continue
        variant, mutant, gap = report.variants.get(name), mutants.get(name), gaps.get(name)
        line = f", line {variant.span[0]}" if variant and variant.span else ""
        function = f", {mutant.function}" if mutant else ""
        fields = {"state": states.get(name, ("", ""))[0], "problem": states.get(name, ("", ""))[1]}
        if gap is not None:
            fields = told_of(gap)
        elif mutant is not None:
            witness = mutant.witness
            fields |= {
                "call": call_text(witness.function, witness.args),
                "reference": exact_numbers(witness.reference),
                "mutant": exact_numbers(witness.mutant),
                "differs": "; ".join(differences(witness.reference, witness.mutant)),
            }
        found.append(
            Survivor(
                id=name,
                title=variant.title if variant else "",
                place=f"{variant.module}{function}{line}" if variant else "",
                status=status.replace("_", " "),
                expected=mutant is not None and mutant.expect == "survived",
                source=source_of(mutant) if mutant else "",
                diff=variant.diff if variant else "",
                **fields,
            )
        )
    return found


def told_of(gap: Gap) -> dict[str, str]:
    """Return what a search told of a survivor, as fields of ``Survivor``."""
    witness, near, example = gap.witness, gap.nearest, gap.example
    return {
        "state": "gap",
        "call": call_text(witness.function, witness.args),
        "reference": exact_numbers(witness.reference),
        "mutant": exact_numbers(witness.mutant),
        "differs": "; ".join(differences(witness.reference, witness.mutant)) or "the answer",
        "rule": gap.told.rule,
        "severity": gap.told.severity,
        "nearest": f"{near.test.rpartition('/')[2]}: {near.miss}" if near.test else str(near.miss),
        "test": paste_text(gap.test) if gap.test is not None else "",
        "problem": gap.problem,
        "example": "\n".join([*example.imports, example.line]) if example is not None else "",
        "example_place": f"{example.property} in {example.path.name}" if example is not None else "",
    }
