"""The command witness: the smallest call on which two implementations differ, or that the bounded domain has none."""

import sys
from collections.abc import Sequence
from pathlib import Path

from acidtest.mutants.load import load_catalog
from acidtest.mutants.model import Variant
from acidtest.mutants.splice import SpliceError, anchors, changed_functions, derived_diff, functions_of
from acidtest.mutants.witness import DISTINCT, EQUAL, Judgement, interrupted, judge, search
from acidtest.mutants.workload import Workload
from acidtest.reports.context import UsageError, say, select, state_folder, terminal, variant_for
from acidtest.reports.exits import ExitCode
from acidtest.reports.learner_commands import module_for
from acidtest.reports.render import witness_text


def witness(
    workload: Workload, names: Sequence[str], seconds: float, seed: int, fork: bool, state: Path | None, here: Path
) -> ExitCode:
    """Compare one implementation with the reference, or two with each other, and print what came of it."""
    if len(names) > 2:
        raise UsageError(f"{len(names)} names; give one to compare with the reference, or two to compare")
    sides = [_variant(workload, name, state_folder(workload, state, here)) for name in names]
    mutant = sides[-1]
    reference = sides[0] if len(sides) == 2 else None
    if reference is not None and reference.module != mutant.module:
        homes = f"{names[0]} is of {reference.module} and {names[1]} of {mutant.module}"
        raise UsageError(f"{homes}; compare two of one module")
    (finding,) = search(workload, [(reference, mutant)], seconds=seconds, seed=seed, fork=fork, jobs=1)
    judgement = Judgement()
    if finding.witness is not None:
        (judgement,) = judge(workload, [(reference, mutant, finding.witness)], seconds=seconds, fork=fork, jobs=1)
    view = terminal(sys.stdout)
    left = reference.id if reference is not None else "reference"
    say(witness_text.page(mutant, left, finding, judgement, view.width, view.colour))
    if interrupted([finding]):
        return ExitCode.INTERRUPTED
    return {DISTINCT: ExitCode.BROKEN, EQUAL: ExitCode.KEPT}.get(finding.verdict, ExitCode.UNDECIDED)


def _variant(workload: Workload, name: str, state: Path) -> Variant:
    """Return the implementation of that name: a file, an entry of the catalog, or a generated mutant."""
    if name.endswith(".py") or Path(name).is_file():
        return _of_file(workload, Path(name))
    if "." not in name:
        return variant_for(workload, select(load_catalog(workload.catalog), [name])[0])
    from acidtest.mutants.generated import generated  # mutmut is only asked where a generated mutant is

    found = {variant.id: variant for variant in generated(workload, state)}
    if name not in found:
        near = [known for known in found if known.rpartition(".")[0] == name.rpartition(".")[0]]
        remedy = f"there are {near[0]} to {near[-1]}" if near else "`acidtest run` says which survived"
        raise UsageError(f"no generated mutant {name!r}; {remedy}")
    return found[name]


def _of_file(workload: Workload, path: Path) -> Variant:
    try:
        text = path.read_bytes().decode("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{path}: cannot be read as text: {error}; name a Python file") from error
    try:
        written = functions_of(text)
        module = module_for(workload, path, written)
        original = workload.read(module)
        changed = changed_functions(original, text) or ()
        lines = anchors(original, text)
    except SpliceError as error:
        raise SpliceError(f"{path}: {str(error).removeprefix('the source ')}") from error
    return Variant(str(path), path.stem, module, text, changed, lines, derived_diff(original, text, path.name), "file")
