"""What a result depends on, but for the submission: the parts by name, the key over them, and how they have changed."""

import hashlib
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path

from acidtest.mutants import lab
from acidtest.mutants.workload import Workload
from acidtest.reports.assessing import Terms
from acidtest.reports.context import shown
from acidtest.reports.key import run_key, texts_of

Facts = Mapping[str, Mapping[str, str]]

_LAB = Path(lab.__file__).parent
_REPORTS = Path(__file__).parent
_JUDGING = ("assessing", "covers", "diagnosing", "diagnosis", "grading", "likeness", "symptoms")
_SHOWN = 3


def facts_of(workload: Workload, terms: Terms, tier: int) -> Facts:
    """Return everything that a result depends on, by part: tests (and target), catalog, acidtest, versions, terms.

    Files are there with the hash of their bytes. The scheme is no part of it: each result has its score under all.
    """
    rooms = (*_LAB.rglob("*.py"), *(_REPORTS / f"{name}.py" for name in _JUDGING))
    ours = {str(path.relative_to(_LAB.parent)): path for path in rooms}
    lab_too = {shown(path, workload.root) for path in rooms}
    texts = {name: text for name, text in texts_of(workload).items() if name not in lab_too}
    budget = {f"budget {name}": str(value) for name, value in asdict(terms.budget).items()}
    return {
        "tests": {name: _digest(text.encode("utf-8", "surrogateescape")) for name, text in texts.items()},
        "catalog": _digests({path.name: path for path in workload.catalog.glob("*.toml")}),
        "acidtest": _digests({name: path for name, path in ours.items() if "/tests/" not in name}),
        "versions": lab.versions(),
        "terms": {
            "tier": str(tier),
            "salt": terms.salt,
            "extended": str(terms.extended),
            "own deps": str(terms.own_deps),
            "examples": str(terms.explain),
            **budget,
        },
    }


def key_of(facts: Facts) -> str:
    """Return the key under which a submission is never judged twice."""
    return run_key({}, (), {}, {name: dict(part) for name, part in facts.items()})


def changes(before: Facts, after: Facts) -> tuple[str, ...]:
    """Return what has changed between two gradings, in words."""
    words = []
    for name, part in after.items():
        old = before.get(name, {})
        changed = sorted(key for key in {*old, *part} if old.get(key) != part.get(key))
        if not changed:
            continue
        if name in ("versions", "terms"):
            words += [f"{key} {old.get(key) or 'none'} → {part.get(key) or 'none'}" for key in changed]
        else:
            more = f" and {len(changed) - _SHOWN} more" if len(changed) > _SHOWN else ""
            words.append(f"{name} changed: {', '.join(changed[:_SHOWN])}{more}")
    return tuple(words)


def _digests(paths: Mapping[str, Path]) -> dict[str, str]:
    return {name: _digest(path.read_bytes()) for name, path in sorted(paths.items())}


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:16]
