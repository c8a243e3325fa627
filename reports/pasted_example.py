"""Which property should have noticed: one that fails on the mutant as soon as the witness is among its examples."""

import re
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from acidtest.mutants.limits import LabError
from acidtest.mutants.model import Variant
from acidtest.mutants.workload import Workload
from acidtest.reports.proving import prove
from acidtest.reports.suite_copy import Property, add, copied, missing_imports, properties_of, with_example

_EXAMPLE = "from hypothesis import example"


@dataclass(frozen=True, slots=True)
class Offer:
    """A mutant, and what its witness offers for the parameters of properties: ``code`` and ``imports`` by parameter."""

    variant: Variant
    function: str
    parameters: Mapping[str, Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class PastedExample:
    """A line to paste above a property; tried: it passes where the code is right, and fails on the mutant.

    Attributes:
        path: the property's file. imports: lines that the file needs besides.
    """

    path: Path
    property: str
    line: str
    imports: tuple[str, ...] = ()


def examples_for(workload: Workload, offers: Mapping[str, Offer], fork: bool = True) -> dict[str, PastedExample]:
    """Return for each key the example to paste, where some property of the suite can take one.

    First each property's body is called on the witness, by itself; then the one that told the mutant from right code
    is run in full with the line pasted. A suite that cannot be run as a copy gets no examples.
    """
    with tempfile.TemporaryDirectory(prefix="acidtest-suite-") as folder:
        try:
            copy = copied(workload, Path(folder))
            originals = dict(zip(_texts(copy), _texts(workload), strict=True))
            return _examples(copy, originals, offers, fork)
        except (LabError, OSError):
            return {}


def _texts(workload: Workload) -> list[tuple[Path, str]]:
    return [(found.path, found.name) for found in properties_of(workload)]


def _examples(
    copy: Workload, originals: Mapping[tuple[Path, str], tuple[Path, str]], offers: Mapping[str, Offer], fork: bool
) -> dict[str, PastedExample]:
    tries = {
        f"test_acidtest_{number}_{place}": (key, found)
        for place, (key, offer) in enumerate(offers.items())
        for number, found in enumerate(_by_mention(properties_of(copy), offer.function))
        if found.parameters and set(found.parameters) <= set(offer.parameters)
    }
    chosen: dict[str, Property] = {}
    for name in _holding(_with_probes(copy, tries, offers), tries, offers, fork):
        key, found = tries[name]
        chosen.setdefault(key, found)
    clones = {f"{found.name}_gap_{place}": (key, found) for place, (key, found) in enumerate(chosen.items())}
    for name, (key, found) in clones.items():
        pasted = with_example(found.block, found.name, name, _line(found, offers[key]))
        add(found.path, [_EXAMPLE, *_imports(found, offers[key])], [pasted])
    result = {}
    for name in _holding(copy, clones, offers, fork):
        key, found = clones[name]
        path, _ = originals[found.path, found.name]
        imports = tuple(missing_imports(path, [_EXAMPLE, *_imports(found, offers[key])]))
        result[key] = PastedExample(path, found.name, _line(found, offers[key]), imports)
    return result


def _holding(
    copy: Workload, tries: Mapping[str, tuple[str, Property]], offers: Mapping[str, Offer], fork: bool
) -> list[str]:
    """Return the names of those tests that pass on all right code and fail on their mutant, in order."""
    if not tries:
        return []
    kills = {name: offers[key].variant for name, (key, _) in tries.items()}
    proofs = prove(copy, kills, fork)
    return [name for name in tries if name in proofs and proofs[name].holds]


def _with_probes(copy: Workload, tries: Mapping[str, tuple[str, Property]], offers: Mapping[str, Offer]) -> Workload:
    """Write files with a test for each try, which calls the property's body on the witness; return them as a suite."""
    probes: dict[Path, list[str]] = {}
    imports: dict[Path, list[str]] = {}
    for name, (key, found) in tries.items():
        probe = found.path.with_name("test_acidtest_probe.py")
        call = f"{found.path.stem}.{found.name}.hypothesis.inner_test({_arguments(found, offers[key])})"
        probes.setdefault(probe, []).append(f"def {name}():\n    {call}\n")
        imports.setdefault(probe, []).extend([f"import {found.path.stem}", *_imports(found, offers[key])])
    for probe, blocks in probes.items():
        add(probe, list(dict.fromkeys(imports[probe])), blocks)
    return copy.with_tests(tuple(probes)) if probes else copy


def _by_mention(properties: Sequence[Property], function: str) -> list[Property]:
    """Return the properties that name the function first, for they are about it."""
    return sorted(properties, key=lambda found: not re.search(rf"\b{function}\b", found.block))


def _arguments(found: Property, offer: Offer) -> str:
    return ", ".join(f"{name}={offer.parameters[name]['code']}" for name in found.parameters)


def _line(found: Property, offer: Offer) -> str:
    return f"@example({_arguments(found, offer)})"


def _imports(found: Property, offer: Offer) -> list[str]:
    return list(dict.fromkeys(line for name in found.parameters for line in offer.parameters[name]["imports"]))
