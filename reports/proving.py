"""Run tests before they are shown: on the reference, on every wheat, and on the mutant that each is there to kill."""

import re
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from acidtest.mutants.bench import Bench
from acidtest.mutants.limits import Limits
from acidtest.mutants.model import Outcome, Trial, Variant
from acidtest.mutants.splice import anchors, changed_functions, functions_of
from acidtest.mutants.workload import Workload

FILE = "test_gaps.py"
_SETTINGS = "[pytest]\nfilterwarnings = error\n"


@dataclass(frozen=True, slots=True)
class Proof:
    """What became of one test.

    Attributes:
        reference: why it fails on the reference, empty where it passes.
        wheats: the same for each wheat on which it does not pass, by the wheat's name; they are asked only where the
            test fails on its mutant.
        mutant: how it ended on its mutant.
    """

    reference: str = ""
    wheats: Mapping[str, str] = field(default_factory=dict)
    mutant: Outcome | None = None

    @property
    def holds(self) -> bool:
        """Whether the test may be shown: it passes wherever the code is right, and fails on the mutant."""
        return not self.reference and not self.wheats and self.mutant is Outcome.FAILED

    @property
    def why(self) -> str:
        """Why it may not be shown."""
        if self.reference:
            return f"it fails on the reference: {self.reference}"
        if self.wheats:
            name, reason = next(iter(self.wheats.items()))
            return f"it fails on the wheat {name}: {reason}"
        return "" if self.holds else f"on the mutant it {self.mutant or 'was not run'}"


def prove_text(workload: Workload, text: str, kills: Mapping[str, Variant], fork: bool = True) -> dict[str, Proof]:
    """Return the proof of each test of a module, by the test's name.

    Warnings are errors. The module is all that is collected.

    Args:
        text: the module. kills: for each test's name the mutant that it has to fail on.
    """
    with tempfile.TemporaryDirectory(prefix="acidtest-gaps-") as folder:
        path = Path(folder) / FILE
        path.write_text(text, encoding="utf-8")
        (Path(folder) / "pytest.ini").write_text(_SETTINGS, encoding="utf-8")
        return prove(workload.with_tests((path,)), kills, fork)


def prove(workload: Workload, kills: Mapping[str, Variant], fork: bool = True) -> dict[str, Proof]:
    """Return the proof of each named test of the workload's suite; one that is not collected is not in the result."""
    bench = Bench(workload, 0, Limits(), fork)
    try:
        baseline = bench.baseline()
        named = {test.name: test for test in baseline.tests if test.name in kills}
        bad = {trial.test: _said(trial) for trial in baseline.failures}
        good = [test.id for test in named.values() if test.id not in bad]
        ended = _on_mutants(bench, {test.id: kills[name] for name, test in named.items() if test.id in good})
        wheats: dict[str, dict[str, str]] = {test: {} for test in good if ended.get(test) is Outcome.FAILED}
        for wheat in wheats_of(workload) if wheats else ():
            for trial in bench.trials(wheat, wheat.id, list(wheats), hot=False, bail=False):
                if trial.outcome is not Outcome.PASSED:
                    wheats[trial.test][wheat.id] = _said(trial)
    finally:
        bench.close(0.5)
    return {
        name: Proof(bad.get(test.id, ""), wheats.get(test.id, {}), ended.get(test.id)) for name, test in named.items()
    }


def wheats_of(workload: Workload) -> tuple[Variant, ...]:
    """Return every right implementation that the workload brings, as a variant of the module that it stands for.

    That is the one module whose public functions it names all and which it does not import.
    """
    if workload.wheats is None or not workload.wheats.is_dir():
        return ()
    found = []
    for path in sorted(workload.wheats.glob("*.py")):
        text = path.read_text("utf-8")
        module = _stands_for(workload, text)
        if module is not None:
            found.append(_wheat(workload, path.stem, module, text))
    return tuple(found)


def _stands_for(workload: Workload, text: str) -> str | None:
    for module in workload.modules:
        public = [name for name in functions_of(workload.read(module)) if not name.startswith("_") and "." not in name]
        package, _, last = module.rpartition(".")
        imported = rf"^\s*(?:from {re.escape(module)} import|import {re.escape(module)}\b)"
        if package:
            imported += rf"|^\s*from {re.escape(package)} import [^\n]*\b{last}\b"
        names = all(re.search(rf"\b{name}\b", text) for name in public)
        if public and names and not re.search(imported, text, re.MULTILINE):
            return module
    return None


def _wheat(workload: Workload, name: str, module: str, text: str) -> Variant:
    original = workload.read(module)
    return Variant(
        id=name,
        title="",
        module=module,
        source=text,
        functions=changed_functions(original, text) or (),
        anchors=anchors(original, text),
        diff="",
        kind="wheat",
    )


def _on_mutants(bench: Bench, kills: Mapping[str, Variant]) -> dict[str, Outcome]:
    """Return how each test ended on its mutant; one child for each mutant."""
    by_variant: dict[str, list[str]] = {}
    variants = {variant.id: variant for variant in kills.values()}
    for test, variant in kills.items():
        by_variant.setdefault(variant.id, []).append(test)
    return {
        trial.test: trial.outcome
        for name, tests in by_variant.items()
        for trial in bench.trials(variants[name], name, tests, hot=False, bail=False)
    }


def _said(trial: Trial) -> str:
    return f"{trial.outcome.replace('_', ' ')} {trial.reason} {trial.detail}".strip()
