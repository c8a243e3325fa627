"""What mutmut itself found out about the generated mutants, read from its own result files and our plugin's lines."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from acidtest.mutants.generated import GeneratedError, function_of, mutmut_name, status_of
from acidtest.mutants.model import Variant
from acidtest.mutants.splice import function_texts
from acidtest.mutants.staging import Stage


@dataclass(frozen=True, slots=True)
class Ran:
    """One test that mutmut ran on a mutant; ``outcome`` is empty where it had not ended when mutmut ended it."""

    test: str
    outcome: str = ""
    error: str = ""
    text: str = ""
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class MutmutVerdict:
    """mutmut's word on one mutant, its exit code, how long it took, and the tests it ran, in their order."""

    variant: str
    status: str
    exit_code: int | None
    seconds: float
    ran: tuple[Ran, ...]

    @property
    def killers(self) -> tuple[Ran, ...]:
        """The tests that failed."""
        return tuple(ran for ran in self.ran if ran.outcome == "failed")


def read_verdicts(stage: Stage, variants: Sequence[Variant]) -> dict[str, MutmutVerdict]:
    """Return mutmut's verdict on each variant, by its id.

    Raises:
        GeneratedError: mutmut has no verdict on one, or means another mutant by its name.
    """
    results = {module: _results(stage.results(module)) for module in dict.fromkeys(v.module for v in variants)}
    ran = _ran(stage.log)
    verdicts = {}
    for variant in variants:
        name = mutmut_name(variant)
        codes, durations = results[variant.module]
        if name not in codes:
            raise GeneratedError(f"{variant.id}: mutmut has no mutant {name}; its files are in {stage.folder}")
        status = status_of(codes[name])
        seconds = durations.get(name, 0.0)
        verdicts[variant.id] = MutmutVerdict(variant.id, status, codes[name], seconds, ran.get(name, ()))
    return verdicts


def strangers(stage: Stage, variants: Sequence[Variant], sources: Mapping[str, str]) -> list[str]:
    """Return the variants whose function has another text in mutmut's mutated module, one line each; none is right."""
    wrong = []
    texts: dict[str, list[str]] = {}
    spans: dict[str, Mapping[str, Sequence[int]]] = {}
    for variant in variants:
        module = variant.module
        if module not in texts:
            texts[module] = stage.mutated(module).read_text("utf-8").splitlines()
            spans[module] = json.loads(stage.spans(module).read_text("utf-8"))["spans"]
        name = mutmut_name(variant).rpartition(".")[2]
        if name not in spans[module]:
            wrong.append(f"{variant.id}: mutmut wrote no function {name}")
            continue
        first, last = spans[module][name]
        function = function_of(variant)
        own = function.rpartition(".")[2]
        theirs = "\n".join(texts[module][first - 1 : last]).replace(name, own, 1)
        ours = function_texts(sources[module], variant.source, [function])[function]
        if theirs.strip() != ours.strip():
            wrong.append(f"{variant.id}: mutmut's {name} is another text than ours")
    return wrong


def _results(path: Path) -> tuple[Mapping[str, int | None], Mapping[str, float]]:
    try:
        data = json.loads(path.read_text("utf-8"))
        return data["exit_code_by_key"], data["durations_by_key"]
    except (OSError, ValueError, KeyError) as error:
        raise GeneratedError(f"{path}: mutmut's results cannot be read: {error}") from error


def _ran(log: Path) -> dict[str, tuple[Ran, ...]]:
    """Return the tests that ran on each mutant, by mutmut's name for it."""
    tests: dict[str, dict[str, Ran]] = {}
    for line in log.read_text("utf-8").splitlines() if log.is_file() else ():
        try:
            record = json.loads(line)
        except ValueError:
            continue  # half a line: its writer was killed
        ran = tests.setdefault(record["mutant"], {})
        test = record["test"]
        if record.get("begun"):
            ran[test] = Ran(test)
        elif ran.get(test, Ran(test)).outcome != "failed":
            ran[test] = Ran(test, record["outcome"], record["error"], record["text"], record["seconds"])
    return {mutant: tuple(ran.values()) for mutant, ran in tests.items()}
