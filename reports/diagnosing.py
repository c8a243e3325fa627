"""Where the diagnosis gets what it compares with: the lab's answers to the battery, computed once and kept."""

import hashlib
import importlib.metadata
import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from acidtest.mutants import lab
from acidtest.mutants.generated import keep
from acidtest.mutants.load import load_catalog, variant_of
from acidtest.mutants.model import Mutant, Variant
from acidtest.mutants.splice import SpliceError, splice
from acidtest.mutants.workload import Workload
from acidtest.reports.diagnosis import Diagnosis, Verdict, explain, promising
from acidtest.reports.evidence import Battery, changes_of

PAIRS = 14
"""So many pairs of entries are made for a submission that no single one explains; the right pair comes early."""

Question = Mapping[str, Any]
_ROOMS = Path(__file__).resolve().parent.parent
_RULES = ("mutants/answers.py", "mutants/calling.py", "mutants/splice.py", "mutants/load.py", "reports/likeness.py")


@dataclass(frozen=True)
class Known:
    """The battery, ready to be put to a submission.

    Attributes:
        calls: ``{"module", "function", "args"}`` each, smallest first.
        battery: what the reference and every entry answer to them.
    """

    calls: tuple[Question, ...]
    battery: Battery


def known(workload: Workload, folder: Path) -> Known:
    """Return the workload's battery with its answers; from ``folder`` where nothing that they depend on has changed.

    A workload whose calls module chooses no calls for a diagnosis is diagnosed by its witnesses.

    Raises:
        CatalogError: an entry cannot be used. LabError: it gives no answers.
    """
    mutants = load_catalog(workload.catalog)
    file = folder / "diagnosis" / f"{_key(workload, mutants)}.json"
    found = _thawed(file)
    if found is None:
        found = _asked(workload, mutants)
        keep(file, _frozen(found))
    return found


def diagnose(workload: Workload, folder: Path, answers: Sequence[str | None]) -> Diagnosis:
    """Explain the answers that a submission gave to the workload's battery, in its order.

    Where no entry answers alike on every call, the likeliest pairs of entries are made, asked and compared too.

    Raises:
        CatalogError, LabError: as ``known``. ValueError: not as many answers as calls.
    """
    found = known(workload, folder)
    first = explain(answers, found.battery)
    if first.verdict in (Verdict.RIGHT, Verdict.UNFINISHED, Verdict.EXACT):
        return first
    pairs = promising(answers, found.battery, PAIRS)
    return explain(answers, found.battery, composed(workload, folder, found, pairs)) if pairs else first


def composed(
    workload: Workload, folder: Path, found: Known, pairs: Iterable[tuple[str, str]]
) -> dict[tuple[str, str], Mapping[int, str]]:
    """Return what two mistakes in one file answer where they differ from the reference, for the pairs that can be made.

    Raises:
        LabError: one of them gives no answers.
    """
    mutants = {mutant.id: mutant for mutant in load_catalog(workload.catalog)}
    place = folder / "diagnosis" / _key(workload, list(mutants.values()))
    kept: dict[tuple[str, str], Mapping[int, str]] = {}
    made: dict[tuple[str, str], Variant] = {}
    for pair in pairs:
        variant = both(workload, mutants[pair[0]], mutants[pair[1]])
        if variant is not None and (changes := _read_changes(place / f"{variant.id}.json")) is not None:
            kept[pair] = changes
        elif variant is not None:
            made[pair] = variant
    answers = answers_of(workload, list(made.values()), found.calls) if made else []
    for pair, mine in zip(made, answers, strict=True):
        kept[pair] = changes_of(mine, found.battery.reference)
        keep(place / f"{made[pair].id}.json", json.dumps(kept[pair]))
    return kept


def both(workload: Workload, one: Mutant, other: Mutant) -> Variant | None:
    """Return the module with two mistakes in it; None where they are in two modules or in each other's way."""
    if one.module != other.module:
        return None
    source = workload.read(one.module)
    for first, second in ((one, other), (other, one)):
        try:
            text = splice(splice(source, first.function, first.edits), second.function, second.edits)
        except SpliceError:
            continue
        return Variant(f"{one.id}+{other.id}", f"{one.title}; {other.title}", one.module, text, (), None, "")
    return None


def _asked(workload: Workload, mutants: Sequence[Mutant]) -> Known:
    """Ask the lab for all answers."""
    chosen = next(lab.answers(workload, [None], ["diagnostics"]))
    if isinstance(chosen, lab.LabError):
        raise chosen
    homes = {mutant.function: mutant.module for mutant in mutants}
    witnesses = {json.dumps(_witness(mutant)): None for mutant in mutants}
    calls: list[Question] = [json.loads(text) for text in chosen or witnesses]
    calls = [{"module": homes.get(call["function"], ""), **call} for call in calls]
    subjects = [None, *(variant_of(mutant, workload.read(mutant.module)) for mutant in mutants)]
    reference, *others = answers_of(workload, subjects, calls)
    answered = {mutant.id: answers for mutant, answers in zip(mutants, others, strict=True)}
    changes = {name: changes_of(found, reference) for name, found in answered.items()}
    functions = tuple(call["function"] for call in calls)
    return Known(tuple(calls), Battery(functions, tuple(reference), changes, _homes(mutants)))


def _homes(mutants: Iterable[Mutant]) -> dict[str, str]:
    return {mutant.id: mutant.function for mutant in mutants}


def _witness(mutant: Mutant) -> dict[str, Any]:
    witness = mutant.witness
    return {"module": mutant.module, "function": witness.function, "args": dict(witness.args)}


def answers_of(workload: Workload, subjects: Sequence[Variant | None], calls: Sequence[Question]) -> list[list[str]]:
    """Return the answers of each subject (None: the reference) to the calls.

    Raises:
        LabError: a subject gives no answers.
    """
    found = []
    for answers in lab.answers(workload, subjects, [calls] * len(subjects)):
        if isinstance(answers, lab.LabError):
            raise answers
        found.append(answers)
    return found


# --- kept from one submission to the next --------------------------------------------------------------------------


def _key(workload: Workload, mutants: Sequence[Mutant]) -> str:
    """Return the hash of everything that the answers depend on."""
    texts = [workload.read(module) for module in workload.modules]
    texts += [mutant.path.read_text("utf-8") for mutant in mutants]
    texts += [path.read_text("utf-8") for path in (*_files_of_calls(workload), *(_ROOMS / rule for rule in _RULES))]
    versions = [sys.version, importlib.metadata.version("numpy")]
    return hashlib.sha256(json.dumps([versions, texts]).encode()).hexdigest()[:20]


def _files_of_calls(workload: Workload) -> list[Path]:
    """Return the files beside the calls module, which may be all made of them."""
    if workload.calls is None:
        return []
    if workload.calls.endswith(".py"):
        return sorted(Path(workload.calls).parent.glob("*.py"))
    if workload.calls.startswith("acidtest.properties."):
        folder = _ROOMS / "properties"
        return [*sorted(folder.glob("*.py")), *sorted(folder.glob("*.jsonl"))]
    return []


def _frozen(found: Known) -> str:
    battery = found.battery
    mutants = {name: {str(call): text for call, text in changes.items()} for name, changes in battery.mutants.items()}
    return json.dumps(
        {"calls": found.calls, "reference": battery.reference, "mutants": mutants, "homes": battery.homes}
    )


def _read_changes(file: Path) -> Mapping[int, str] | None:
    try:
        return {int(call): str(text) for call, text in json.loads(file.read_text("utf-8")).items()}
    except (OSError, ValueError, AttributeError):
        return None


def _thawed(file: Path) -> Known | None:
    """Return what was kept; None where there is nothing, or nothing that can be read."""
    try:
        data = json.loads(file.read_text("utf-8"))
        calls = tuple(data["calls"])
        mutants = {name: {int(call): text for call, text in row.items()} for name, row in data["mutants"].items()}
        functions = tuple(call["function"] for call in calls)
        return Known(calls, Battery(functions, tuple(data["reference"]), mutants, data["homes"]))
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return None
