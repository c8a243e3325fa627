"""What a learner is told about a failing test: the idea, then where to look, then a call to work out by hand.

No hint holds an expected value, a mutant's id or a word of a test: the texts of the first two rungs are the workload's,
by test or else by function, and the third is a call of the battery that the learner's own file answers wrongly.
"""

import json
import math
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from acidtest.mutants.workload import Workload

LEVELS = 3
"""The concept; the section and the kind of input; a concrete call."""

Question = Mapping[str, Any]
_PROPERTIES = Path(__file__).resolve().parent.parent / "properties"
_PLAIN = "Read once more what the contract of the function says about its value and about what it refuses."


@dataclass(frozen=True, slots=True)
class Rungs:
    """The texts for one test, or for all tests of a function that have none of their own.

    Attributes:
        functions: whose calls show what is meant, the most telling first. section: of the chapter; empty if unknown.
    """

    functions: tuple[str, ...]
    concept: str = _PLAIN
    section: str = ""
    input: str = "the smallest inputs there are, and inputs at the edge of what is allowed"


@dataclass(frozen=True)
class Ladder:
    """The hints of a workload."""

    tests: Mapping[str, Rungs] = field(default_factory=dict)
    functions: Mapping[str, Rungs] = field(default_factory=dict)
    prefixes: Mapping[str, str] = field(default_factory=dict)
    general: Rungs = Rungs(())

    def rungs(self, test: str) -> Rungs:
        """Return what there is for a test, by its function's name.

        Failing that, what there is for the function of the target that the name begins like, or for all of them.
        """
        if test in self.tests:
            return self.tests[test]
        fitting = [prefix for prefix in self.prefixes if test.startswith(prefix)]
        return self.functions[self.prefixes[max(fitting, key=len)]] if fitting else self.general

    def hint(self, test: str, level: int, call: Question | None = None) -> str:
        """Return one hint.

        Args:
            test: the test's function name. level: 1 to ``LEVELS``.
            call: one that the learner's file answers wrongly, see ``telling_call``; None where there is none.
        """
        if not 1 <= level <= LEVELS:
            raise ValueError(f"level = {level} must be 1 to {LEVELS}")
        rungs = self.rungs(test)
        if level == 1:
            return rungs.concept
        if level == 2:
            sections = "Sections" if " and " in rungs.section else "Section"
            where = f"{sections} {rungs.section} of the chapter. " if rungs.section else ""
            return f"{where}Try {rungs.input}."
        if call is None:
            return "No call of a fixed collection shows it; it takes the kind of input named above, and more of it."
        return f"Work this out by hand, then run it: {written(call)}"

    def up_to(self, test: str, attempt: int, call: Question | None = None) -> tuple[str, ...]:
        """Return the hints of an attempt, counted from 1: each attempt adds one, until there are no more."""
        return tuple(self.hint(test, level, call) for level in range(1, min(max(attempt, 1), LEVELS) + 1))

    def telling_call(self, test: str, calls: Sequence[Question], wrong: Iterable[int]) -> Question | None:
        """Return the call to show for a test: the smallest that is answered wrongly, of its most telling function.

        Args:
            calls: the battery, smallest first. wrong: which of them the learner's file answers wrongly.
        """
        failed = [calls[index] for index in sorted(wrong)]
        for function in self.rungs(test).functions:
            for call in failed:
                if call["function"] == function:
                    return call
        return None


def ladder_of(workload: Workload) -> Ladder:
    """Return the workload's hints, from the ``hints.toml`` beside its calls module."""
    calls = workload.calls or ""
    if calls.endswith(".py"):
        return load_ladder(Path(calls).with_name("hints.toml"))
    return load_ladder(_PROPERTIES / "hints.toml") if calls.startswith("acidtest.properties.") else Ladder()


def load_ladder(path: Path) -> Ladder:
    """Return the hints that a file holds; empty ones where there is no such file."""
    if not path.is_file():
        return Ladder()
    data = tomllib.loads(path.read_text("utf-8"))
    functions = {name: Rungs((name,), *_texts(entry)) for name, entry in data.get("functions", {}).items()}
    prefixes = {prefix: name for name, entry in data.get("functions", {}).items() for prefix in entry["prefixes"]}
    tests = {name: Rungs(tuple(entry["functions"]), *_texts(entry)) for name, entry in data.get("tests", {}).items()}
    general = Rungs(tuple(data["general"]["functions"]), *_texts(data["general"])) if "general" in data else Rungs(())
    return Ladder(tests, functions, prefixes, general)


def _texts(entry: Mapping[str, str]) -> tuple[str, str, str]:
    return entry["concept"], entry["section"], entry["input"]


def written(call: Question) -> str:
    """Return a call as one would write it in Python; what a source of uniforms hands out is said behind it."""
    arguments, script = [], ""
    for name, value in call["args"].items():
        if name == "rng":
            arguments.append("rng=rng")
            script = f", where rng.random() hands out {', '.join(map(_number, value))} in turn"
        else:
            arguments.append(f"{name}={_value(value)}")
    return f"{call['function']}({', '.join(arguments)}){script}"


def _value(value: Any) -> str:
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_value, value))}]"
    if isinstance(value, Mapping):
        ((kind, plain),) = value.items()
        return f"{kind}({_value(plain)})" if kind in ("list", "tuple") else f"np.array({_value(plain)}, {kind!r})"
    return _number(value) if isinstance(value, float) else json.dumps(value) if isinstance(value, str) else repr(value)


def _number(value: float) -> str:
    return repr(value) if math.isfinite(value) else f"float('{value!r}')"
