"""`acidtest certify`: search D for a call that shows a generated mutant; where none does, certify it as equal on D."""

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from acidtest.mutants.certificates import (
    Certificate,
    certificate_of,
    certified,
    domain_today,
    folder_of,
    load_certificates,
    write_certificates,
)
from acidtest.mutants.generated import function_of, generated
from acidtest.mutants.model import Finding, Variant
from acidtest.mutants.repetition import argument_text
from acidtest.mutants.witness import EQUAL, search
from acidtest.mutants.workload import Workload
from acidtest.reports.context import UsageError, say, state_folder
from acidtest.reports.exits import ExitCode

Reasons = Mapping[str, tuple[str, bool]]
"""For a variant's id: why no call can show it, and whether only the words of an error change."""


def certify(
    workload: Workload, names: Sequence[str], because: str, message: bool, check: bool, state: Path | None, here: Path
) -> ExitCode:
    """Certify the named mutants, or search again for all that are certified.

    Args:
        because: the reason, a sentence. check: change no file; say which certificates hold today.
    """
    folder = state_folder(workload, state, here)
    variants = {variant.id: variant for variant in generated(workload, folder)}
    kept = _kept(workload, variants)
    if names:
        unknown = [name for name in names if name not in variants]
        if unknown:
            raise UsageError(f"no generated mutant {unknown[0]!r}; `acidtest run` lists those that survive")
        if not because.strip():
            raise UsageError("--because is missing; say in a sentence why no call can tell it from the reference")
        reasons: Reasons = {name: (because.strip(), message) for name in names}
    else:
        reasons = kept
    if not reasons:
        raise UsageError("nothing is certified yet; name a generated mutant, and why it is equal with --because")
    chosen = [variants[name] for name in reasons]
    say(f"searching D for {len(chosen)} mutants, a second or two each\n", sys.stderr)
    findings = search(workload, [(None, variant) for variant in chosen])
    held = {variant.id for variant, found in zip(chosen, findings, strict=True) if found.verdict == EQUAL}
    say("".join(_line(variant, found) for variant, found in zip(chosen, findings, strict=True)))
    if not check:
        reasons = {name: reason for name, reason in {**kept, **reasons}.items() if name in held or name not in reasons}
        _write(workload, variants, reasons, domain_today(workload, folder))
    say(f"{len(held)} of {len(chosen)} are equal on D\n")
    if any(found.verdict not in (EQUAL, "distinct") for found in findings):
        return ExitCode.UNDECIDED
    return ExitCode.KEPT if len(held) == len(chosen) else ExitCode.BROKEN


def _kept(workload: Workload, variants: Mapping[str, Variant]) -> dict[str, tuple[str, bool]]:
    """Return the reasons of all certificates there are, for whatever D."""
    sources = {module: workload.read(module) for module in workload.modules}
    kept: dict[str, tuple[str, bool]] = {}
    certificates = load_certificates(folder_of(workload))
    for domain in {one.domain for one in certificates}:
        found: Mapping[str, Certificate] = certified(variants.values(), sources, certificates, domain)
        kept.update({name: (one.reason, one.message) for name, one in found.items()})
    return kept


def _write(workload: Workload, variants: Mapping[str, Variant], reasons: Reasons, domain: str) -> None:
    """Write the certificates anew; the file of a function that has none left goes."""
    folder = folder_of(workload)
    certificates = [
        certificate_of(workload.read(variants[name].module), variants[name], reason, domain, message)
        for name, (reason, message) in sorted(reasons.items(), key=lambda item: list(variants).index(item[0]))
    ]
    written = set(write_certificates(folder, certificates))
    for path in folder.glob("*.toml"):
        if path not in written:
            path.unlink()


def _line(variant: Variant, found: Finding) -> str:
    what = found.verdict if not found.why else f"{found.verdict}: {found.why}"
    if found.witness is not None:
        shown = ", ".join(f"{name}={argument_text(value)}" for name, value in found.witness.args.items())
        what += f" at {found.witness.function}({shown})"
    line = f"{variant.id} in {function_of(variant)}: {what}, {found.searched} calls\n"
    return line if len(line) <= 400 else line[:399] + "…\n"
