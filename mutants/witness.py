"""The smallest call on which two implementations differ, or the statement that the bounded domain D holds none."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from acidtest.mutants.model import Finding, Variant, Witness
from acidtest.mutants.searchers import INTERRUPTED, Record, Side, asked, command_for
from acidtest.mutants.workload import Workload

DISTINCT, EQUAL = "distinct", "equal on D"
SECONDS = 30.0


@dataclass(frozen=True, slots=True)
class Judgement:
    """What a difference means.

    Attributes:
        kind: ``math-wrong``, ``bit-wrong`` or ``contract-wrong``; empty where the workload does not say, or in no time.
        severity: how bad it is, in one line that begins with the kind; where it could not be told, why.
        rule: the rule of the contract that the witness's answer breaks, a sentence; may be empty.
    """

    kind: str = ""
    severity: str = ""
    rule: str = ""


@dataclass(frozen=True, slots=True)
class Rates:
    """For each family of drawn calls, on how many of how many two implementations differ; ``why`` where not known."""

    function: str
    rates: Mapping[str, tuple[int, int]]
    why: str = ""


def search(
    workload: Workload,
    pairs: Sequence[tuple[Side, Variant]],
    *,
    seconds: float = SECONDS,
    seed: int = 0,
    jobs: int | None = None,
    fork: bool = True,
) -> list[Finding]:
    """Compare the implementations of each pair (None: the reference), and return one finding for each.

    Calls of D come first, and the first on which the two differ is the witness. Their order: calls of the changed
    function, then those of its callers, and so on outwards, since a witness on the function itself says most; within
    that as the workload lists D, smallest first (the chapter's: by the number of ids, then by the characters that its
    numbers take to write). Calls that cannot see a change are left out. Where D shows no difference, Hypothesis draws
    calls over wide float64, and what it finds is made small. Over D the answer does not depend on the seed.

    Args:
        seconds: how long one pair may take; a search that is not over then is ``undecided``.
        seed: of what Hypothesis draws.
        jobs: processes at once; as many as there are cores if not given.
        fork: a child for each pair; otherwise a fresh process, slower, with the same findings.

    Returns:
        The findings in the order of the pairs. After an interrupt (Ctrl-C) those that were not reached are
        ``undecided``, with the reason ``interrupted``.

    Raises:
        LabError: the workload does not say how to call its functions, or the reference cannot be imported.
    """
    commands = [command_for("compare", *pair) for pair in pairs]
    return [_finding(answer) for answer in asked(workload, commands, seconds, seed, jobs, fork)]


def deltas(
    workload: Workload,
    pairs: Sequence[tuple[Side, Variant]],
    *,
    seconds: float = SECONDS,
    jobs: int | None = None,
    fork: bool = True,
) -> list[frozenset[int] | None]:
    """Return, for each pair, the places in D at which the two answer differently; None where that was not found out.

    Raises:
        LabError: as ``search``.
    """
    commands = [command_for("delta", *pair) for pair in pairs]
    answers = asked(workload, commands, seconds, 0, jobs, fork)
    return [frozenset(answer["places"]) if answer["verdict"] == "delta" else None for answer in answers]


def judge(
    workload: Workload,
    found: Sequence[tuple[Side, Variant, Witness]],
    *,
    seconds: float = SECONDS,
    jobs: int | None = None,
    fork: bool = True,
) -> list[Judgement]:
    """Return, for each pair and the call on which it differs, how bad that is and which rule of the contract it breaks.

    Raises:
        LabError: as ``search``.
    """
    commands = [
        command_for("judge", reference, mutant) | {"function": witness.function, "args": dict(witness.args)}
        for reference, mutant, witness in found
    ]
    judgements = []
    for answer in asked(workload, commands, seconds, 0, jobs, fork):
        if answer["verdict"] != "judged":
            judgements.append(Judgement(severity=f"severity undecided: {answer['why']}"))
            continue
        kind = answer["severity"]
        judgements.append(Judgement(kind, f"{kind}: {answer['text']}" if kind else "", answer["rule"]))
    return judgements


def rates(
    workload: Workload,
    pairs: Sequence[tuple[Side, Variant]],
    functions: Sequence[str],
    *,
    count: int,
    seconds: float = SECONDS,
    seed: int = 0,
    jobs: int | None = None,
    fork: bool = True,
) -> list[Rates]:
    """Return, for each pair, how often drawn calls of a function meet the difference, family by family.

    Args:
        functions: for each pair the function to call; where it cannot be called or cannot see the change, the nearest
            one that can is.
        count: how many calls to draw from each family; the same for the same seed.

    Raises:
        LabError: as ``search``.
    """
    commands = [
        command_for("rates", *pair) | {"function": function, "count": count}
        for pair, function in zip(pairs, functions, strict=True)
    ]
    results = []
    for answer in asked(workload, commands, seconds, seed, jobs, fork):
        families = {family: (hits, drawn) for family, (hits, drawn) in answer.get("rates", {}).items()}
        results.append(Rates(answer.get("function", ""), families, answer.get("why", "")))
    return results


def _finding(answer: Record) -> Finding:
    witness = None
    if answer["verdict"] == DISTINCT:
        witness = Witness(answer["function"], answer["args"], answer["reference"], answer["mutant"])
    return Finding(
        verdict=answer["verdict"],
        witness=witness,
        searched=answer["searched"],
        domain=answer["domain"],
        seconds=answer["seconds"],
        why=answer.get("why", ""),
        size=answer["size"],
    )


def interrupted(findings: Sequence[Finding]) -> bool:
    """Return whether Ctrl-C kept a search from going on."""
    return any(finding.why == INTERRUPTED["why"] for finding in findings)
