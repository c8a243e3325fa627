"""Read the catalog: one TOML file, one mutant, every field checked before anything is built on it."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from acidtest.mutants.model import Edit, Mutant, Variant, Witness
from acidtest.mutants.splice import SpliceError, anchors, changed_functions, derived_diff, splice
from acidtest.mutants.toml_folder import toml_files

EXPECTATIONS = ("killed", "survived")
_ID = re.compile(r"[a-z]+[0-9]+")
_TEXT = "a text"
_Check = tuple[Callable[[Any], bool], str]


class CatalogError(ValueError):
    """An entry that cannot be used, in one line: the file, the value, and what to write instead."""


def load_catalog(folder: Path) -> tuple[Mutant, ...]:
    """Return every entry of ``folder``, in the order of the ids.

    Raises:
        CatalogError: the first of ``catalog_problems``.
    """
    mutants, problems = read_catalog(folder)
    if problems:
        raise CatalogError(problems[0])
    return mutants


def catalog_problems(folder: Path) -> list[str]:
    """Return everything that is wrong with the catalog's files, one line each; empty where all is well."""
    return read_catalog(folder)[1]


def read_catalog(folder: Path) -> tuple[tuple[Mutant, ...], list[str]]:
    """Return the entries that can be read, and one line for everything that is wrong."""
    if not folder.is_dir():
        return (), [f"{folder}: no such folder; name the catalog's folder in [tool.acidtest]"]
    problems: list[str] = []
    mutants: dict[str, Mutant] = {}
    for path, data, fault in toml_files(folder, "not a catalog entry"):
        if data is None:
            problems.append(fault)
            continue
        mutant, found = _entry(path, data)
        problems += found
        if mutant is None:
            continue
        if mutant.id in mutants:
            problems.append(f"{path.name}: id {mutant.id} is taken by {mutants[mutant.id].path.name}; choose another")
        else:
            mutants[mutant.id] = mutant
    if not mutants and not problems:
        problems.append(f"{folder}: no entry in the catalog; write the first as s01_what_it_does_wrong.toml")
    return tuple(sorted(mutants.values(), key=lambda mutant: _order(mutant.id))), problems


def variant_of(mutant: Mutant, source: str) -> Variant:
    """Return the mutant made in ``source``, the text of its module.

    Raises:
        CatalogError: an edit cannot be made; the line begins with the entry's file name.
    """
    try:
        mutated = splice(source, mutant.function, mutant.edits)
        functions = changed_functions(source, mutated)
        lines = anchors(source, mutated)
    except SpliceError as error:
        raise CatalogError(f"{mutant.path.name}: {error}") from error
    return Variant(
        id=mutant.id,
        title=mutant.title,
        module=mutant.module,
        source=mutated,
        functions=functions or (),
        anchors=lines,
        diff=derived_diff(source, mutated, mutant.module.replace(".", "/") + ".py"),
    )


def stem_of(identifier: str, title: str) -> str:
    """Return the file name, without suffix, of an entry with this id and title."""
    return f"{identifier}_{re.sub(r'[^a-z0-9]+', '_', title.lower()).strip('_')}"


def _order(identifier: str) -> tuple[str, int]:
    letters = identifier.rstrip("0123456789")
    return letters, int(identifier[len(letters) :])


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and bool(value.strip())


def _is_texts(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(map(_is_text, value))


_REQUIRED: dict[str, _Check] = {
    "id": (lambda value: isinstance(value, str) and bool(_ID.fullmatch(value)), "letters and a number, such as s01"),
    "title": (_is_text, "the wrong behaviour, in a few words"),
    "module": (_is_text, "the module's dotted name"),
    "function": (_is_text, "the function's name, or Class.method"),
    "killers": (lambda value: value == [] or _is_texts(value), "a list of test names"),
    "rationale": (_is_text, "two or three sentences"),
    "witness": (lambda value: isinstance(value, dict), "a table with args, reference and mutant"),
}
_OPTIONAL: dict[str, _Check] = {
    "before": (_is_text, "syntax of the function"),
    "after": (lambda value: isinstance(value, str), _TEXT),
    "edits": (lambda value: isinstance(value, list) and bool(value), "a list of tables with before and after"),
    "pitfall": (lambda value: type(value) is int and value > 0, "the number of the pitfall"),
    "origin": (_is_text, "the project and its issue"),
    "expect": (lambda value: value in EXPECTATIONS, "killed or survived"),
    "because": (_is_text, "why nothing can kill it"),
}
_WITNESS_REQUIRED: dict[str, _Check] = {
    "args": (lambda value: isinstance(value, dict), "a table of the call's arguments"),
    "reference": (_is_text, "what the reference answers"),
    "mutant": (_is_text, "what the mutant answers"),
}
_WITNESS_OPTIONAL: dict[str, _Check] = {"function": (_is_text, "the function that is called")}
_EDIT_REQUIRED: dict[str, _Check] = {
    "before": (_is_text, "syntax of the function"),
    "after": (lambda value: isinstance(value, str), _TEXT),
}


def _entry(path: Path, data: dict[str, Any]) -> tuple[Mutant | None, list[str]]:
    """Return the entry, or None and what is wrong with it."""
    found = _faults(data, "", _REQUIRED, _OPTIONAL)
    if isinstance(data.get("witness"), dict):
        found += _faults(data["witness"], "witness.", _WITNESS_REQUIRED, _WITNESS_OPTIONAL)
    for number, edit in enumerate(data["edits"] if isinstance(data.get("edits"), list) else [], start=1):
        found += (
            _faults(edit, f"edit {number}: ", _EDIT_REQUIRED, {})
            if isinstance(edit, dict)
            else [f"edit {number} must be a table with before and after, got {edit!r}"]
        )
    found += _contradictions(data)
    if not found:
        stem = stem_of(data["id"], data["title"])
        if path.stem != stem:
            found.append(f"the name does not say id and title; rename the file to {stem}.toml")
    if found:
        return None, [f"{path.name}: {fault}" for fault in found]
    return _mutant(data, path), []


def _faults(table: dict[str, Any], where: str, required: dict[str, _Check], optional: dict[str, _Check]) -> list[str]:
    """Return one line for each key that is missing, unknown or of the wrong kind."""
    checks = {**required, **optional}
    missing = [f"{where}{key} is missing; it is {what}" for key, (_, what) in required.items() if key not in table]
    unknown = [
        f"{where}{key} is not a key of an entry; known are {', '.join(checks)}" for key in table if key not in checks
    ]
    wrong = [
        f"{where}{key} must be {what}, got {table[key]!r}"
        for key, (holds, what) in checks.items()
        if key in table and not holds(table[key])
    ]
    return missing + unknown + wrong


def _contradictions(data: dict[str, Any]) -> list[str]:
    """Return what no single key shows."""
    found: list[str] = []
    if "edits" in data and ("before" in data or "after" in data):
        found.append("edits stands beside before or after; write all changes as [[edits]]")
    if "edits" not in data and "after" not in data:
        found.append("after is missing; write what stands there instead, or [[edits]] for several places")
    if data.get("expect") == "survived" and "because" not in data:
        found.append('expect is "survived" without because; say why nothing can kill it')
    if "because" in data and data.get("expect") != "survived":
        found.append('because stands without expect = "survived"; remove it')
    if data.get("killers") == [] and data.get("expect") != "survived":
        found.append("killers is empty; name the tests that must fail")
    if isinstance(data.get("killers"), list) and _is_texts(data["killers"]):
        twice = sorted({name for name in data["killers"] if data["killers"].count(name) > 1})
        found += [f"killers names {name} twice; once is enough" for name in twice]
    if "pitfall" in data and "origin" in data:
        found.append("pitfall and origin stand together; an entry comes from one of them")
    return found


def _mutant(data: dict[str, Any], path: Path) -> Mutant:
    edits = data.get("edits") or [{"after": data["after"], **({"before": data["before"]} if "before" in data else {})}]
    witness = data["witness"]
    return Mutant(
        id=data["id"],
        title=data["title"],
        module=data["module"],
        function=data["function"],
        edits=tuple(Edit(after=edit["after"], before=edit.get("before")) for edit in edits),
        killers=tuple(data["killers"]),
        rationale=" ".join(data["rationale"].split()),
        witness=Witness(
            function=witness.get("function", data["function"]),
            args=witness["args"],
            reference=witness["reference"],
            mutant=witness["mutant"],
        ),
        path=path,
        pitfall=data.get("pitfall"),
        origin=data.get("origin"),
        expect=data.get("expect", "killed"),
        because=data.get("because"),
    )
