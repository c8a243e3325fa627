"""Where the diagnosis gets what it compares with: the lab's answers to the battery, computed once and kept."""

import hashlib
import importlib.util
import json
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from acidtest.mutants.load import load_catalog, variant_of
from acidtest.mutants.model import Mutant
from acidtest.mutants.workload import Workload
from acidtest.reports.diagnosis import Diagnosis, Verdict, explain, promising
from acidtest.reports.evidence import Battery, changes_of
from acidtest.reports.pairing import Known, Pairs, Question, answers_of

PAIRS = 14
"""So many pairs of entries are made for a submission that no single one explains; the right pair comes early."""

_ROOMS = Path(__file__).resolve().parent.parent
_RULES = ("mutants/answers.py", "mutants/calling.py", "mutants/splice.py", "mutants/load.py", "reports/likeness.py")


def known(
    workload: Workload,
    folder: Path,
    mutants: Sequence[Mutant] | None = None,
    tell: Callable[[str], None] = lambda _: None,
) -> Known:
    """Return the workload's battery with its answers; from ``folder`` where nothing that they depend on has changed.

    A workload whose calls module chooses no calls for a diagnosis is diagnosed by its witnesses.

    Args:
        mutants: the catalog's entries, where they are loaded already. tell: takes a line if this takes long.

    Raises:
        CatalogError: an entry cannot be used. LabError: it gives no answers.
    """
    mutants = load_catalog(workload.catalog) if mutants is None else mutants
    place = folder / "diagnosis" / _key(workload, mutants)
    asked = _thawed(place.with_suffix(".json"))
    if asked is None:
        from acidtest.mutants.generated import keep  # seldom needed, and it imports much

        tell(f"the {len(mutants)} entries of the catalog answer the calls of the diagnosis: once, then it is kept\n")
        asked = _asked(workload, mutants)
        keep(place.with_suffix(".json"), _frozen(*asked))
    return Known(*asked, {mutant.id: mutant for mutant in mutants}, place)


def diagnose(known: Known, answers: Sequence[str | None], pairs: Pairs) -> Diagnosis:
    """Explain the answers that a submission gave to the battery, in its order.

    Where no entry answers alike on every call, the likeliest pairs of entries are made, asked and compared too: first
    on the calls that one of the two answers wrongly, or the submission. What else they may answer otherwise speaks
    against them, so that only what is to be named, or answers like the submission so far, has to be asked the rest.

    Raises:
        LabError: a pair gives no answers. ValueError: not as many answers as calls.
    """
    battery = known.battery
    first = explain(answers, battery)
    if first.verdict in (Verdict.RIGHT, Verdict.UNFINISHED, Verdict.EXACT):
        return first
    likely = promising(answers, battery, PAIRS)
    wrong = frozenset(first.wrong)
    due = {pair: wrong.union(*(battery.mutants[name] for name in pair)) for pair in likely}
    diagnosis = first
    while due:
        composed = pairs.composed(due)
        diagnosis = explain(answers, battery, composed)
        named = set(diagnosis.named)
        telling = [pair for pair, changes in composed.items() if named >= {*pair} or wrong <= changes.keys()]
        every = frozenset(range(len(answers)))
        if all(due[pair] == every for pair in telling):
            break
        due |= dict.fromkeys(telling, every)
    return diagnosis


def _asked(workload: Workload, mutants: Sequence[Mutant]) -> tuple[tuple[Question, ...], Battery]:
    """Ask the lab for all answers."""
    from acidtest.mutants import lab  # seldom needed: what it says is kept

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
    return tuple(calls), Battery(functions, tuple(reference), changes, _homes(mutants))


def _homes(mutants: Iterable[Mutant]) -> dict[str, str]:
    return {mutant.id: mutant.function for mutant in mutants}


def _witness(mutant: Mutant) -> dict[str, Any]:
    witness = mutant.witness
    return {"module": mutant.module, "function": witness.function, "args": dict(witness.args)}


# --- kept from one submission to the next --------------------------------------------------------------------------


def _key(workload: Workload, mutants: Sequence[Mutant]) -> str:
    """Return the hash of everything that the answers depend on."""
    texts = [workload.read(module) for module in workload.modules]
    texts += [mutant.path.read_text("utf-8") for mutant in mutants]
    texts += [path.read_text("utf-8") for path in (*_files_of_calls(workload), *(_ROOMS / rule for rule in _RULES))]
    numpy = importlib.util.find_spec("numpy")
    version = Path(numpy.origin).with_name("version.py") if numpy is not None and numpy.origin else None
    versions = [sys.version, version.read_text("utf-8") if version is not None and version.is_file() else ""]
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


def _frozen(calls: Sequence[Question], battery: Battery) -> str:
    mutants = {name: {str(call): text for call, text in changes.items()} for name, changes in battery.mutants.items()}
    return json.dumps({"calls": calls, "reference": battery.reference, "mutants": mutants, "homes": battery.homes})


def _thawed(file: Path) -> tuple[tuple[Question, ...], Battery] | None:
    """Return what was kept; None where there is nothing, or nothing that can be read."""
    try:
        data = json.loads(file.read_text("utf-8"))
        calls = tuple(data["calls"])
        mutants = {name: {int(call): text for call, text in row.items()} for name, row in data["mutants"].items()}
        functions = tuple(call["function"] for call in calls)
        return calls, Battery(functions, tuple(data["reference"]), mutants, data["homes"])
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return None
