"""Generated mutants that D cannot tell from the reference: each with a reason, and the D that was looked at.

A certificate is found by the function and a hash of the change, never by a number that may move. It holds for one D:
where D has another hash today it is *stale* and not used. One file a function, ``rejection_rejection_accept.toml``.
"""

import functools
import hashlib
import importlib.metadata
import json
import re
import sys
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from acidtest.mutants.asking import domain_hash
from acidtest.mutants.generated import function_of, keep
from acidtest.mutants.model import Variant
from acidtest.mutants.splice import function_texts, normal_form
from acidtest.mutants.toml_folder import toml_files
from acidtest.mutants.workload import Workload

_HASH = re.compile(r"[0-9a-f]{16}")
_FILE_KEYS = ("module", "function", "equal")
_TEXTS = ("change", "diff", "reason", "domain")
_HEAD = "# Generated mutants of {function} that answer like the reference on all of D.\n"


class CertificateError(ValueError):
    """A file of certificates that cannot be used, in one line: the file, the value, and what to write instead."""


@dataclass(frozen=True, slots=True)
class Certificate:
    """One generated mutant that is equal on D.

    Attributes:
        change: the hash of the change, see ``change_of``.
        diff: the changed lines, for people.
        reason: why no call of D can tell the two apart, in a sentence.
        domain: the hash of the D that was searched.
        message: whether the change is only in the words of an error, which the contract leaves open.
    """

    module: str
    function: str
    change: str
    diff: str
    reason: str
    domain: str
    message: bool = False


def folder_of(workload: Workload) -> Path:
    """Return where the workload's certificates lie: in ``equivalent``, beside its catalog."""
    return workload.catalog.parent / "equivalent"


def change_of(original: str, variant: Variant) -> str:
    """Return the hash of a change: of its function before and after, without layout, comments and docstring.

    Args:
        original: the text of the variant's module before the change.
    """
    function = function_of(variant)
    text = function_texts(original, variant.source, [function])[function]
    forms = [_form(original, function), normal_form(textwrap.dedent(text), function.rpartition(".")[2])]
    return hashlib.sha256(json.dumps(forms).encode()).hexdigest()[:16]


@functools.lru_cache(maxsize=64)
def _form(source: str, function: str) -> str:
    return normal_form(source, function)


def certificate_of(original: str, variant: Variant, reason: str, domain: str, message: bool = False) -> Certificate:
    """Return the certificate of a variant that a search found equal on the D with the hash ``domain``."""
    changed = [line for line in variant.diff.splitlines() if re.match(r"[-+](?![-+]{2} )", line)]
    diff = "\n".join(changed)
    return Certificate(
        variant.module, function_of(variant), change_of(original, variant), diff, reason, domain, message
    )


def load_certificates(folder: Path) -> tuple[Certificate, ...]:
    """Return every certificate of ``folder``; none where there is no such folder.

    Raises:
        CertificateError: the first of the faults that ``read_certificates`` finds.
    """
    certificates, problems = read_certificates(folder)
    if problems:
        raise CertificateError(problems[0])
    return certificates


def read_certificates(folder: Path) -> tuple[tuple[Certificate, ...], list[str]]:
    """Return the certificates that can be read, and one line for everything that is wrong."""
    certificates: list[Certificate] = []
    problems: list[str] = []
    for path, data, fault in toml_files(folder, "no certificates") if folder.is_dir() else ():
        if data is None:
            problems.append(fault)
            continue
        found, wrong = _certificates(path, data)
        certificates += found
        problems += wrong
    return tuple(certificates), problems


def certified(
    variants: Iterable[Variant], sources: Mapping[str, str], certificates: Iterable[Certificate], domain: str
) -> Mapping[str, Certificate]:
    """Return the certificate that holds today for each variant that has one, by the variant's id.

    Args:
        sources: the text of each module. domain: D's hash today; a certificate for another D does not hold.
    """
    held = {(one.module, one.function, one.change): one for one in certificates if one.domain == domain}
    functions = {(module, function) for module, function, _ in held}
    found: dict[str, Certificate] = {}
    for variant in variants:
        if (variant.module, function_of(variant)) in functions:
            key = variant.module, function_of(variant), change_of(sources[variant.module], variant)
            if key in held:
                found[variant.id] = held[key]
    return found


def domain_today(workload: Workload, folder: Path, fork: bool = True) -> str:
    """Return D's hash today; empty where the workload has no D.

    Enumerating D takes a worker a second or more, so the hash is kept in ``folder``, under the hash of every text
    that D is made from, where those can be told.

    Raises:
        LabError: D cannot be enumerated.
    """
    texts = texts_of_domain(workload)
    if texts is None:
        return domain_hash(workload, fork)
    versions = [sys.version, importlib.metadata.version("numpy"), workload.calls, texts]
    kept = folder / "generated" / f"domain-{hashlib.sha256(json.dumps(versions).encode()).hexdigest()[:20]}"
    if kept.is_file():
        return kept.read_text("ascii").strip()
    today = domain_hash(workload, fork)
    keep(kept, today)
    return today


def texts_of_domain(workload: Workload) -> list[str] | None:
    """Return the texts beside the calls module and those of the target; None where the module has no known place."""
    calls = workload.calls or ""
    if calls.endswith(".py"):
        folder = Path(calls).parent
    elif calls.startswith("acidtest.properties."):
        folder = Path(__file__).resolve().parent.parent / "properties"
    else:
        return None
    targets = (workload.module_path(module) for module in workload.modules)
    return [path.read_bytes().decode("utf-8", "surrogateescape") for path in [*sorted(folder.glob("*.py")), *targets]]


def write_certificates(folder: Path, certificates: Sequence[Certificate]) -> tuple[Path, ...]:
    """Write certificates, a file for each function, in place of what those files held; return the files."""
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for module, function in sorted({(one.module, one.function) for one in certificates}):
        path = folder / file_name(module, function)
        ours = [one for one in certificates if (one.module, one.function) == (module, function)]
        path.write_text(_HEAD.format(function=function) + _document(module, function, ours), "utf-8")
        written.append(path)
    return tuple(written)


def file_name(module: str, function: str) -> str:
    """Return the name of a function's file: the module's last part and the function, joined by underscores."""
    return f"{module.rpartition('.')[2]}_{function.replace('.', '_')}.toml"


def _document(module: str, function: str, certificates: Sequence[Certificate]) -> str:
    blocks = [f"module = {_text(module)}\nfunction = {_text(function)}\n"]
    for one in certificates:
        lines = [
            "[[equal]]",
            f"change = {_text(one.change)}",
            f"diff = '''\n{one.diff}\n'''" if "'''" not in one.diff else f"diff = {_text(one.diff)}",
            f"reason = {_text(one.reason)}",
            f"domain = {_text(one.domain)}",
            *(["message = true"] if one.message else []),
        ]
        blocks.append("\n".join(lines) + "\n")
    return "\n".join(blocks)


def _text(text: str) -> str:
    """Return a text as TOML writes it."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _certificates(path: Path, data: Mapping[str, Any]) -> tuple[list[Certificate], list[str]]:
    wrong = [f"{path.name}: no key {key!r} here; it takes {', '.join(_FILE_KEYS)}" for key in set(data) - {*_FILE_KEYS}]
    module, function, entries = (data.get(key) for key in _FILE_KEYS)
    if not isinstance(module, str) or not isinstance(function, str):
        return [], [*wrong, f"{path.name}: module and function must both be there, as texts"]
    if path.name != file_name(module, function):
        wrong.append(f"{path.name}: is about {function} of {module}; rename the file to {file_name(module, function)}")
    if not isinstance(entries, list) or not entries:
        return [], [*wrong, f"{path.name}: no [[equal]]; write one for each certified mutant, or remove the file"]
    certificates: list[Certificate] = []
    for number, entry in enumerate(entries, start=1):
        faults = _faults(entry)
        wrong += [f"{path.name}: [[equal]] {number}: {fault}" for fault in faults]
        if not faults:
            fields = {key: entry[key].strip("\n") for key in _TEXTS}
            certificates.append(Certificate(module, function, **fields, message=entry.get("message", False)))
    changes = [one.change for one in certificates]
    wrong += [f"{path.name}: {change} stands there twice; remove one" for change in _twice(changes)]
    return certificates, wrong


def _faults(entry: Any) -> list[str]:
    if not isinstance(entry, dict):
        return [f"{entry!r} is no table; write [[equal]] with {', '.join(_TEXTS)}"]
    faults = [
        f"no key {key!r} here; it takes {', '.join(_TEXTS)}, message" for key in set(entry) - {*_TEXTS, "message"}
    ]
    for key in _TEXTS:
        value = entry.get(key)
        if not isinstance(value, str) or not value.strip():
            faults.append(f"{key} = {value!r} must be a text")
        elif key == "change" and not _HASH.fullmatch(value):
            faults.append(f"change = {value!r} must be 16 hexadecimal digits")
    if not isinstance(entry.get("message", False), bool):
        faults.append(f"message = {entry['message']!r} must be true or false")
    return faults


def _twice(changes: Sequence[str]) -> list[str]:
    return sorted({change for change in changes if changes.count(change) > 1})
