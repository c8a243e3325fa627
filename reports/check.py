"""`acidtest check`: every claim that the catalog makes, tried; and every fault, not only the first."""

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from acidtest.mutants import lab
from acidtest.mutants.asking import Ask, asker
from acidtest.mutants.load import CatalogError, read_catalog
from acidtest.mutants.model import Mutant, Variant
from acidtest.mutants.workload import Workload, WorkloadError
from acidtest.reports.context import variant_for
from acidtest.reports.judge import bears
from acidtest.reports.proving import wheats_of
from acidtest.reports.separation import PROMISED, REFERENCE, disagreeing, too_close

MARK = "TODO"
LIMITS = lab.Limits(startup=20.0)  # for all calls of one variant; the bounded domain takes well under a second


@dataclass(frozen=True, slots=True)
class Claim:
    """One kind of claim: ``count`` says how many were tried, ``faults`` which do not hold."""

    what: str
    count: str
    faults: tuple[str, ...]


def check_catalog(workload: Workload) -> Iterator[Claim]:
    """Yield each kind of claim as soon as it has been tried."""
    mutants, problems = read_catalog(workload.catalog)
    files = len(list(workload.catalog.glob("*.toml"))) if workload.catalog.is_dir() else 0
    yield Claim("entries are complete, named after what they say, and nothing else lies in the folder",
                f"{len(mutants)} of {files}", tuple(problems))  # fmt: skip
    left = list(_unfinished(workload))
    if left:
        yield Claim("nothing is left to fill in", "", tuple(left))
    variants, faults = _spliced(workload, mutants)
    yield _claim("edits match exactly one place and change only the named function", len(mutants), faults)
    spliced = [mutant for mutant in mutants if mutant.id in variants]
    yield _claim("named killers exist", sum(len(m.killers) for m in mutants), _killers(workload, mutants))
    with asker(workload, limits=LIMITS) as ask:
        faults = list(_witnesses(ask, spliced, variants))
        yield _claim("witnesses are answered as stated, by the reference and by the mutant", 2 * len(spliced), faults)
        if workload.calls is None:
            return
        faults = list(_twins(ask, spliced, variants))
        yield _claim("no entry answers like the reference, or like another, on a small battery and on every witness",
                     len(spliced), faults)  # fmt: skip
        asked = _diagnostics(ask)
        if asked:
            faults = list(_separated(ask, workload, spliced, variants, asked))
            yield _claim(f"entries are told from one another and from the reference by {PROMISED} or more of the "
                         f"diagnosis's {len(asked)} calls, and right implementations agree on them all",
                         len(spliced), faults)  # fmt: skip


def _unfinished(workload: Workload) -> Iterator[str]:
    """Yield the places where an entry's template still waits for a person."""
    for path in sorted(workload.catalog.glob("*.toml")):
        for number, line in enumerate(path.read_text("utf-8", errors="replace").splitlines(), start=1):
            if MARK in line:
                key = line.split("=")[0].strip() if "=" in line else "rationale"
                yield f"{path.name}: line {number}, {key}: fill it in and take the {MARK} away"


def _claim(what: str, count: int, faults: Sequence[str]) -> Claim:
    return Claim(what, f"{count - min(count, len(faults))} of {count}", tuple(faults))


def _spliced(workload: Workload, mutants: Sequence[Mutant]) -> tuple[dict[str, Variant], list[str]]:
    variants: dict[str, Variant] = {}
    faults: list[str] = []
    for mutant in mutants:
        try:
            variant = variant_for(workload, mutant)
        except (CatalogError, WorkloadError) as error:
            faults.append(str(error))
            continue
        variants[mutant.id] = variant
        if variant.functions != (mutant.function,):
            changed = ", ".join(variant.functions) or "no function"
            faults.append(
                f"{mutant.path.name}: the edit changes {changed}, not {mutant.function} alone; move it inside"
            )
    return variants, faults


def _killers(workload: Workload, mutants: Sequence[Mutant]) -> list[str]:
    try:
        tests = lab.collect(workload)
    except lab.LabError as error:
        return [str(error)]
    return [
        f"{mutant.path.name}: killers: no test {name!r}; `acidtest tests` shows those there are"
        for mutant in mutants
        for name in mutant.killers
        if not any(bears(test, name) for test in tests)
    ]


def _witnesses(ask: Ask, mutants: Sequence[Mutant], variants: Mapping[str, Variant]) -> Iterator[str]:
    """Yield what is wrong with witnesses: an answer that differs from the stated one, or none at all."""
    for side in ("reference", "mutant"):
        for mutant in mutants:
            answer = ask(None if side == "reference" else variants[mutant.id], [_call(mutant)])
            stated = mutant.witness.reference if side == "reference" else mutant.witness.mutant
            where = f"{mutant.path.name}: witness.{side}"
            if isinstance(answer, lab.LabError):
                yield f"{where}: {answer}"
            elif answer != [stated]:
                yield f"{where} = {stated!r}, but the {side} answers {answer[0]!r}"


def _call(mutant: Mutant) -> Mapping[str, Any]:
    return {"module": mutant.module, "function": mutant.witness.function, "args": dict(mutant.witness.args)}


def _twins(ask: Ask, mutants: Sequence[Mutant], variants: Mapping[str, Variant]) -> Iterator[str]:
    """Yield entries that no call tells from the reference or from an earlier entry: none of the battery, no witness."""
    subjects = {"the reference": None, **{mutant.path.name: variants[mutant.id] for mutant in mutants}}
    alike: dict[tuple[str, ...], list[str]] = defaultdict(list)
    witnesses = [_call(mutant) for mutant in mutants]
    for name, subject in subjects.items():
        battery, others = ask(subject, "battery"), ask(subject, witnesses)
        if isinstance(battery, lab.LabError) or isinstance(others, lab.LabError):
            yield f"{name}: {battery if isinstance(battery, lab.LabError) else others}"
            continue
        answer = (*battery, *others)
        twins = alike[answer]
        if twins:
            yield f"{name}: answers like {twins[0]} on all {len(answer)} calls; make it a mistake of its own"
        twins.append(name)


def _diagnostics(ask: Ask) -> list[Mapping[str, Any]]:
    """Return the calls that the workload's calls module has chosen for the diagnosis."""
    texts = ask(None, "diagnostics")
    return [] if isinstance(texts, lab.LabError) else [{"module": "", **json.loads(text)} for text in texts]


def _separated(
    ask: Ask,
    workload: Workload,
    mutants: Sequence[Mutant],
    variants: Mapping[str, Variant],
    asked: Sequence[Mapping[str, Any]],
) -> Iterator[str]:
    """Yield entries that too few calls tell from another or from the reference, and wheats that answer otherwise."""
    right = {variant.id: variant for variant in wheats_of(workload)}
    subjects = {REFERENCE: None, **{mutant.id: variants[mutant.id] for mutant in mutants}, **right}
    answers: dict[str, list[str]] = {}
    for name, subject in subjects.items():
        given = ask(subject, asked)
        if isinstance(given, lab.LabError):
            yield str(given)
        else:
            answers[name] = given
    for close in too_close({name: given for name, given in answers.items() if name not in right}):
        remedy = "`python -m acidtest.reports.choosing` chooses anew"
        yield f"{close.other}: {close.apart} calls tell it from {close.one}, {PROMISED} are promised; {remedy}"
    wheat_answers = {name: given for name, given in answers.items() if name in right}
    for name, call in disagreeing(answers.get(REFERENCE, []), wheat_answers):
        yield f"{name}: answers {asked[call]['function']}({asked[call]['args']}) otherwise than the reference"
