"""Mutants that nobody thought of: mutmut changes one operator, number or argument at a time, we make them variants.

mutmut reads its settings from the folder it stands in, so it makes its mutants in a process and a folder of their
own. What it made is kept under the hash of what it was made from.
"""

import hashlib
import importlib.metadata
import itertools
import json
import os
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from acidtest.mutants.executors import WorkerDiedError, finished
from acidtest.mutants.model import Variant
from acidtest.mutants.splice import SpliceError, anchors, changed_functions, derived_diff, same_tree
from acidtest.mutants.workload import Workload

KIND = "generated"
_FORMAT = 1
_PATIENCE = 300.0
_SETTINGS = '[tool.mutmut]\nsource_paths = ["."]\n'


class GeneratedError(Exception):
    """mutmut could not make its mutants, or could not try them; one line with the remedy."""


@dataclass(frozen=True, slots=True)
class Text:
    """One mutated function as mutmut wrote it, and the text that it stands for in the module."""

    function: str
    number: int
    original: str
    mutated: str


def version() -> str:
    """Return mutmut's version: another one may make other mutants."""
    return importlib.metadata.version("mutmut")


def generated(workload: Workload, folder: Path) -> tuple[Variant, ...]:
    """Return mutmut's mutants of the workload's modules, in its order, with ids such as ``rejection.speculative_step.7``.

    The number is mutmut's. Mutants that mean the same program as the original, or have the same text as an earlier
    one, are left out.

    Args:
        folder: where runs are kept; what was made before is read from there.

    Raises:
        GeneratedError: mutmut failed, or its text does not fit the module's.
    """
    return tuple(variant for module in workload.modules for variant in _variants(workload, module, folder))


def function_of(variant: Variant) -> str:
    """Return the qualified name of the function that a generated variant changes, its defaults included."""
    return variant.id.partition(".")[2].rpartition(".")[0]


def mutmut_name(variant: Variant) -> str:
    """Return what mutmut calls the variant, such as ``tinyllm.prob.rejection.x_speculative_step__mutmut_7``."""
    owner, _, name = function_of(variant).rpartition(".")
    mangled = f"xǁ{owner}ǁ{name}" if owner else f"x_{name}"
    return f"{variant.module}.{mangled}__mutmut_{variant.id.rpartition('.')[2]}"


def _variants(workload: Workload, module: str, folder: Path) -> Iterator[Variant]:
    source = workload.read(module)
    seen = {source}
    for text in _texts(source, module, folder):
        if source.count(text.original) != 1:
            raise GeneratedError(f"{module}: mutmut's text of {text.function} is not the module's; leave that out")
        mutated = source.replace(text.original, text.mutated)
        if mutated in seen:
            continue
        seen.add(mutated)
        try:
            if same_tree(source, mutated):
                continue
            yield _variant(module, text, source, mutated)
        except SpliceError as error:
            raise GeneratedError(f"{module}: mutmut's mutant {text.number} of {text.function}: {error}") from error


def _variant(module: str, text: Text, source: str, mutated: str) -> Variant:
    first, last, change = _change(source.splitlines(), mutated.splitlines())
    return Variant(
        id=f"{module.rpartition('.')[2]}.{text.function}.{text.number}",
        title=change,
        module=module,
        source=mutated,
        functions=changed_functions(source, mutated) or (),
        anchors=anchors(source, mutated),
        diff=derived_diff(source, mutated, module.replace(".", "/") + ".py"),
        kind=KIND,
        span=(first, last),
    )


def _change(before: list[str], after: list[str]) -> tuple[int, int, str]:
    """Return the first and the last line of ``before`` that changed, and the change in a few words."""
    same = [one == other for one, other in zip(before, after, strict=False)]
    start = same.index(False) if False in same else len(same)
    tail = 0
    while tail < min(len(before), len(after)) - start and before[-1 - tail] == after[-1 - tail]:
        tail += 1
    removed, added = before[start : len(before) - tail], after[start : len(after) - tail]
    old, new = (" ".join(line.strip() for line in lines) for lines in (removed, added))
    return start + 1, max(start + 1, len(before) - tail), f"{old} -> {new}" if new else f"{old} left out"


def _texts(source: str, module: str, folder: Path) -> list[Text]:
    """Return mutmut's texts for a module, from ``folder`` where they were made before."""
    parts = json.dumps([_FORMAT, version(), module, source])
    kept = folder / "generated" / f"{hashlib.sha256(parts.encode()).hexdigest()[:20]}.json"
    try:
        return [Text(*fields) for fields in json.loads(kept.read_text("utf-8"))]
    except (OSError, ValueError, TypeError):
        made = _made(source, module)
    kept.parent.mkdir(parents=True, exist_ok=True)
    fresh = kept.with_suffix(f".{os.getpid()}")
    fresh.write_text(json.dumps(made), "utf-8")
    fresh.replace(kept)
    return [Text(*fields) for fields in made]


def _made(source: str, module: str) -> list[list[Any]]:
    """Let mutmut make its mutants, in a process and a folder of its own."""
    with tempfile.TemporaryDirectory(prefix="acidtest-mutmut-") as name:
        place = Path(name)
        (place / "pyproject.toml").write_text(_SETTINGS)
        (place / "target.py").write_bytes(source.encode())
        try:
            text = finished(["-P", "-m", __spec__.name], place, _PATIENCE)
            made: list[list[Any]] = json.loads(text.splitlines()[-1])
        except (WorkerDiedError, ValueError, IndexError) as error:
            remedy = "leave the generated mutants out with --no-generated"
            raise GeneratedError(f"{module}: mutmut {version()} cannot mutate it: {error}; {remedy}") from error
        return made


def make() -> list[list[Any]]:
    """Return the mutants of ``target.py`` in the current folder, as fields of ``Text``; runs where mutmut may."""
    from mutmut.mutation.file_mutation import mutate_file_contents

    source = Path("target.py").read_bytes().decode()
    file = mutate_file_contents("target.py", source)
    lines = file.code.splitlines(keepends=True)
    made: list[list[Any]] = []
    for name in file.mutant_names:
        mangled, _, number = name.rpartition("__mutmut_")
        original, mutated = (
            _restored(lines[span.start - 1 : span.end], owner, mangled)
            for owner, span in (
                (f"{mangled}__mutmut_orig", file.line_span_by_function_name[f"{mangled}__mutmut_orig"]),
                (name, file.line_span_by_function_name[name]),
            )
        )
        made.append([_unmangled(mangled), int(number), original, mutated])
    return made


def _restored(lines: list[str], generated_name: str, mangled: str) -> str:
    """Return a generated function under its own name, from its ``def`` on."""
    own = _unmangled(mangled).rpartition(".")[2]
    kept = list(itertools.dropwhile(lambda line: not line.lstrip().startswith(("def ", "async ", "@")), lines))
    head = next(index for index, line in enumerate(kept) if generated_name in line)
    kept[head] = kept[head].replace(generated_name, own, 1)
    return "".join(kept)


def _unmangled(mangled: str) -> str:
    """Return ``Class.method`` of ``xǁClassǁmethod``, and ``f`` of ``x_f``."""
    return mangled[2:].replace("ǁ", ".") if mangled.startswith("xǁ") else mangled[2:]


if __name__ == "__main__":
    print(json.dumps(make()), file=sys.stdout)
