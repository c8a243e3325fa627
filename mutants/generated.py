"""Mutants that nobody thought of: mutmut changes one operator, number or argument at a time, we make them variants.

The only module that starts mutmut. It reads its settings from the folder it stands in and writes beside them, so it
works in a process and a folder of its own.
"""

import contextlib
import hashlib
import importlib.metadata
import json
import os
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from acidtest.mutants.executors import WorkerDiedError, finished
from acidtest.mutants.model import Variant
from acidtest.mutants.splice import SpliceError, anchors, changed_functions, derived_diff
from acidtest.mutants.syntax import common_lines, lines_of
from acidtest.mutants.workload import Workload

KIND = "generated"
_RULES = ("generated", "mutations", "splice", "syntax", "anchors")  # the modules that decide what a variant is
_PATIENCE = 300.0
_STANDS_BACK = 5
_SETTINGS = '[tool.mutmut]\nsource_paths = ["."]\n'
_MUTMUT = "from mutmut.__main__ import cli; cli()"


class GeneratedError(Exception):
    """mutmut could not make its mutants, or could not try them; one line with the remedy."""


@dataclass(frozen=True, slots=True)
class Text:
    """One mutated function as mutmut wrote it, and the text that it stands for in the module."""

    function: str
    number: int
    original: str
    mutated: str


def generated(workload: Workload, folder: Path) -> tuple[Variant, ...]:
    """Return mutmut's mutants of the workload's modules, in its order.

    Ids are such as ``rejection.speculative_step.7``; the number is mutmut's. Mutants that mean the same program as the
    original, or have the same text as an earlier one, are left out.

    Args:
        folder: where runs are kept; what was made before is read from there.

    Raises:
        GeneratedError: mutmut failed, or its text does not fit the module's.
    """
    sources = {module: workload.read(module) for module in workload.modules}
    names = _names(workload.modules)
    files = {module: _file(module, names[module], source, folder) for module, source in sources.items()}
    found = {module: _thawed(files[module], module, source) for module, source in sources.items()}
    missing = {module: sources[module] for module, variants in found.items() if variants is None}
    if missing:
        for module, rows in _made(missing, names).items():
            keep(files[module], rows)
            found[module] = _variants_of(rows, module, sources[module])
    return tuple(variant for module in workload.modules for variant in found[module] or ())


def version() -> str:
    """Return mutmut's version: another one may make other mutants."""
    return importlib.metadata.version("mutmut")


def function_of(variant: Variant) -> str:
    """Return the qualified name of the function that a generated variant changes, its defaults included."""
    whole, tail = variant.module, variant.module.rpartition(".")[2]
    prefix = whole if variant.id.startswith(f"{whole}.") else tail
    return variant.id.removeprefix(f"{prefix}.").rpartition(".")[0]


def _names(modules: Sequence[str]) -> dict[str, str]:
    """Return what a module is called in ids: its last part, or all of it where two have the same."""
    tails = [module.rpartition(".")[2] for module in modules]
    return {module: tail if tails.count(tail) == 1 else module for module, tail in zip(modules, tails, strict=True)}


def mutmut_name(variant: Variant) -> str:
    """Return what mutmut calls the variant, such as ``tinyllm.prob.rejection.x_speculative_step__mutmut_7``."""
    owner, _, name = function_of(variant).rpartition(".")
    mangled = f"xǁ{owner}ǁ{name}" if owner else f"x_{name}"
    return f"{variant.module}.{mangled}__mutmut_{variant.id.rpartition('.')[2]}"


def run_mutmut(stage: Path, jobs: int, seconds: float, names: Sequence[str] = ()) -> None:
    """Let mutmut try its mutants, or those that ``names`` names, in a folder that is ready for it.

    Raises:
        GeneratedError: it failed, or had no end within ``seconds``.
    """
    try:
        finished(["-c", _MUTMUT, "run", "--max-children", str(jobs), *names], stage, seconds)
    except WorkerDiedError as error:
        raise GeneratedError(f"mutmut {version()} in {stage}: {error}; mend the tests or the target first") from error


def status_of(exit_code: int | None) -> str:
    """Return mutmut's word for an exit code in its result files, such as ``killed``, ``survived`` or ``no tests``."""
    from mutmut.stats import status_by_exit_code

    return str(status_by_exit_code[exit_code])


def _variants(module: str, name: str, source: str, texts: Sequence[Text]) -> Iterator[Variant]:
    seen = {source}
    for text in texts:
        if source.count(text.original) != 1:
            raise GeneratedError(f"{module}: mutmut's text of {text.function} is not the module's; use --no-generated")
        mutated = source.replace(text.original, text.mutated)
        if mutated in seen:
            continue
        seen.add(mutated)
        try:
            if changed_functions(source, mutated) != ():
                yield _variant(module, name, text, source, mutated)
        except SpliceError as error:
            raise GeneratedError(f"{module}: mutmut's mutant {text.number} of {text.function}: {error}") from error


def _variant(module: str, name: str, text: Text, source: str, mutated: str) -> Variant:
    before, after = lines_of(source), lines_of(mutated)
    first, kept = common_lines(before, after)
    old, new = (" ".join(line.strip() for line in lines[first : len(lines) - kept]) for lines in (before, after))
    return Variant(
        id=f"{name}.{text.function}.{text.number}",
        title=f"{old} -> {new or 'nothing'}",
        module=module,
        source=mutated,
        functions=changed_functions(source, mutated) or (),
        anchors=anchors(source, mutated),
        diff=derived_diff(source, mutated, module.replace(".", "/") + ".py"),
        kind=KIND,
        span=(first + 1, max(first + 1, len(before) - kept)),
    )


# --- kept from one run to the next ---------------------------------------------------------------------------------


def _file(module: str, name: str, source: str, folder: Path) -> Path:
    """Return where a module's variants are kept, under the hash of all that they depend on."""
    rules = [Path(__file__).with_name(f"{name}.py").read_text("utf-8") for name in _RULES]
    parts = json.dumps([version(), list(sys.version_info[:2]), module, name, source, rules])
    return folder / "generated" / f"{hashlib.sha256(parts.encode()).hexdigest()[:20]}.json"


def _rows(source: str, variants: Iterable[Variant]) -> str:
    """Return variants of one source as they are kept: JSON."""
    before = lines_of(source, keepends=True)
    rows = []
    for variant in variants:
        after = lines_of(variant.source, keepends=True)
        first, kept = common_lines(before, after)
        rows.append(
            {
                "id": variant.id,
                "title": variant.title,
                "edit": [first, kept, "".join(after[first : len(after) - kept])],
                "functions": list(variant.functions),
                "anchors": None if variant.anchors is None else [sorted(group) for group in variant.anchors],
                "diff": variant.diff,
                "span": list(variant.span or ()),
            }
        )
    return json.dumps(rows)


def keep(file: Path, text: str) -> None:
    """Write what saves work the next time; where the folder cannot be written to, the next time makes it again."""
    fresh = file.with_suffix(f".{os.getpid()}")
    with contextlib.suppress(OSError):
        file.parent.mkdir(parents=True, exist_ok=True)
        fresh.write_text(text, "utf-8")
        fresh.replace(file)


def _thawed(file: Path, module: str, source: str) -> tuple[Variant, ...] | None:
    """Return what was kept; None where there is nothing, or nothing that can be read."""
    try:
        return _variants_of(file.read_text("utf-8"), module, source)
    except (OSError, ValueError, TypeError, KeyError):
        return None


def _variants_of(rows: str, module: str, source: str) -> tuple[Variant, ...]:
    lines = lines_of(source, keepends=True)
    return tuple(_thaw(row, module, lines) for row in json.loads(rows))


def _thaw(row: Mapping[str, Any], module: str, lines: Sequence[str]) -> Variant:
    first, kept, text = row["edit"]
    return Variant(
        id=row["id"],
        title=row["title"],
        module=module,
        source="".join([*lines[:first], text, *lines[len(lines) - kept :]]),
        functions=tuple(row["functions"]),
        anchors=None if row["anchors"] is None else tuple(map(frozenset, row["anchors"])),
        diff=row["diff"],
        kind=KIND,
        span=(row["span"][0], row["span"][1]),
    )


# --- in mutmut's process -------------------------------------------------------------------------------------------


def _made(sources: Mapping[str, str], names: Mapping[str, str]) -> dict[str, str]:
    """Let mutmut make its mutants of some modules, in a process and a folder of its own; return what is kept of each.

    Args:
        names: what each module is called in ids.
    """
    with tempfile.TemporaryDirectory(prefix="acidtest-mutmut-") as name:
        place = Path(name)
        (place / "pyproject.toml").write_text(_SETTINGS)
        for module, source in sources.items():
            (place / f"{module}.py").write_bytes(source.encode())
        pairs = [f"{module}={names[module]}" for module in sources]
        try:
            text = finished(["-P", "-m", "acidtest.mutants.generated", *pairs], place, _PATIENCE)
            made = json.loads(text.splitlines()[-1])
            return {module: made[module] for module in sources}
        except (WorkerDiedError, ValueError, IndexError, KeyError, TypeError) as error:
            remedy = "leave the generated mutants out with --no-generated"
            raise GeneratedError(f"mutmut {version()} cannot mutate {', '.join(sources)}: {error}; {remedy}") from error


def main(pairs: Sequence[str]) -> None:
    """Print what is to be kept of each module, as JSON.

    It stands back where others need the processor: the baseline runs meanwhile, and everything waits for that.

    Args:
        pairs: a module, ``=``, and what it is called in ids.
    """
    if hasattr(os, "nice"):
        os.nice(_STANDS_BACK)
    from acidtest.mutants.mutations import make  # mutmut and its parser, for this process alone

    rows: dict[str, str] = {}
    for pair in pairs:
        module, _, name = pair.partition("=")
        source = Path(f"{module}.py").read_bytes().decode()
        rows[module] = _rows(source, _variants(module, name, source, [Text(*row) for row in make(module)]))
    print(json.dumps(rows))


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except GeneratedError as error:
        sys.exit(str(error))
