"""The nouns of the lab, as frozen data: what is tried, what tried it, and what came of it."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from pathlib import Path
from typing import Any

UNREACHED = "unreached"
"""The reason of a trial that passed without being run, because its test does not come to the change."""
REPEATED = "same answers"
"""That of one that was not run because the variant answers each of the test's calls as the target does."""


class Outcome(StrEnum):
    """What became of one test on one variant. Only ``FAILED`` is a kill."""

    PASSED = "passed"
    FAILED = "failed"
    TIMED_OUT = "timed_out"
    CRASHED = "crashed"
    UNVIABLE = "unviable"
    UNDECIDED = "undecided"
    SKIPPED = "skipped"


class Status(StrEnum):
    """What became of one variant over all its trials."""

    KILLED = "killed"
    SURVIVED = "survived"
    NO_COVERAGE = "no_coverage"
    TIMED_OUT = "timed_out"
    CRASHED = "crashed"
    UNDECIDED = "undecided"
    UNVIABLE = "unviable"
    PENDING = "pending"


class Mode(StrEnum):
    """Stop at a variant's first kill, or run every test that reaches it."""

    FIRST_KILL = "first-kill"
    MATRIX = "matrix"


@dataclass(frozen=True, slots=True)
class Edit:
    """One splice: the syntax to find, exactly once, and what stands there instead. No ``before``: the whole body."""

    after: str
    before: str | None = None


@dataclass(frozen=True, slots=True)
class Witness:
    """A call on which reference and mutant answer differently; both answers as ``answers.describe`` writes them."""

    function: str
    args: Mapping[str, Any]
    reference: str
    mutant: str


@dataclass(frozen=True, slots=True)
class Mutant:
    """One catalog entry: a mistake that someone makes, the tests that must notice, and a call that proves it is one."""

    id: str
    title: str
    module: str
    function: str
    edits: tuple[Edit, ...]
    killers: tuple[str, ...]
    rationale: str
    witness: Witness
    path: Path
    pitfall: int | None = None
    origin: str | None = None
    expect: str = "killed"
    because: str | None = None


@dataclass(frozen=True, slots=True)
class Finding:
    """What a search for a call on which two implementations differ came to.

    Attributes:
        verdict: ``distinct``, ``equal on D`` or ``undecided``; the last is never read as equal.
        witness: the smallest call found, with both answers; None unless distinct.
        searched: how many calls were compared.
        domain: the hash of the bounded domain D. size: how many calls D has.
        why: what stopped an undecided search.
    """

    verdict: str
    witness: Witness | None
    searched: int
    domain: str
    seconds: float
    why: str = ""
    size: int = 0


@dataclass(frozen=True, slots=True)
class Variant:
    """A module of the target with something changed, ready to install.

    Attributes:
        source: the module's whole text after the change.
        functions: qualified names of the functions whose bodies changed; empty where the change lies elsewhere.
        anchors: one group of original line numbers for each changed place; a test that executes no line of any
            group cannot see the change. None: nothing can be said, every test has to run.
        diff: unified, for people.
        kind: ``catalog``, ``control`` or ``generated``.
        span: the first and the last changed line of the original, where one place changed.
    """

    id: str
    title: str
    module: str
    source: str
    functions: tuple[str, ...]
    anchors: tuple[frozenset[int], ...] | None
    diff: str
    kind: str = "catalog"
    span: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class Test:
    """One collected test: ``id`` as pytest writes it, ``name`` its function's.

    ``checks`` and ``matters`` come from its docstring; ``seconds`` is its own time on the unchanged target.
    """

    __test__ = False  # pytest shall not take the class for a test

    id: str
    name: str
    kind: str = ""
    chapter: bool = False
    checks: str = ""
    matters: str = ""
    expected_to_fail: bool = False
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Trial:
    """One test on one variant.

    Attributes:
        reason: ``assertion``, an exception's class, ``unreached`` or ``same answers`` for a test
            that cannot see the variant and was not run, or empty.
        detail: the exception's message, one line.
        seconds: the test's own time.
        examples: inputs tried up to and including the failing one, where Hypothesis drew them.
    """

    variant: str
    test: str
    outcome: Outcome
    reason: str = ""
    detail: str = ""
    seconds: float = 0.0
    examples: int | None = None


@dataclass(frozen=True)
class KillMatrix:
    """Every planned trial of a run, by variant and by test."""

    tests: tuple[Test, ...]
    variants: tuple[str, ...]
    trials: tuple[Trial, ...] = field(repr=False)

    @cached_property
    def _cells(self) -> dict[tuple[str, str], Trial]:
        return {(trial.variant, trial.test): trial for trial in self.trials}

    def trial(self, variant: str, test: str) -> Trial | None:
        """Return the trial, or None where it was not planned or has no outcome yet."""
        return self._cells.get((variant, test))

    def of_variant(self, variant: str) -> Iterator[Trial]:
        """Yield the variant's trials in the order of the tests."""
        for test in self.tests:
            trial = self._cells.get((variant, test.id))
            if trial is not None:
                yield trial

    def killers_of(self, variant: str) -> tuple[Test, ...]:
        """Return the tests that fail on the variant."""
        return tuple(test for test in self.tests if self._killed(variant, test.id))

    def kills_of(self, test: str) -> tuple[str, ...]:
        """Return the variants on which the test fails."""
        return tuple(variant for variant in self.variants if self._killed(variant, test))

    def _killed(self, variant: str, test: str) -> bool:
        trial = self._cells.get((variant, test))
        return trial is not None and trial.outcome is Outcome.FAILED


@dataclass(frozen=True, slots=True)
class Baseline:
    """The tests on the unchanged target: which there are, how each ended, and what each executed.

    Attributes:
        failures: trials that did not pass; empty for a green baseline.
        reach: for each test id, the module's executed lines, by module name.
        opaque: lines that ran at import or collection, by module name; every test may depend on them.
        hookable: by module name, the plain functions whose code may be replaced in place.
        opaque_tests: ids of tests that start processes: never pruned, always judged cold.
        unbounded: ids of tests of which nobody can say what they see of the target: never pruned.
        work: how many calls of the target each test was seen to make, by id: its cost, the same on every machine.
        seconds: wall time from the worker's start to the end of its baseline.
    """

    tests: tuple[Test, ...]
    failures: tuple[Trial, ...]
    reach: Mapping[str, Mapping[str, frozenset[int]]]
    opaque: Mapping[str, frozenset[int]]
    hookable: Mapping[str, frozenset[str]] = field(default_factory=dict)
    opaque_tests: frozenset[str] = frozenset()
    unbounded: frozenset[str] = frozenset()
    work: Mapping[str, int] = field(default_factory=dict)
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Control:
    """A variant whose verdict is known beforehand, and what it did: ``problem`` is empty where it behaved."""

    id: str
    expects: str
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Run:
    """All that one run of the lab found out. ``problems`` non-empty: the run has no verdict.

    Attributes:
        seconds: wall time of the whole run.
        lab_seconds: the time its variants took, each from the order to its last word, summed over all workers.
        test_seconds: how much of that was the tests' own.
        resumed: how many trials were kept from an interrupted run.
    """

    seed: int
    mode: Mode
    jobs: int
    baseline: Baseline
    controls: tuple[Control, ...]
    matrix: KillMatrix
    problems: tuple[str, ...]
    versions: Mapping[str, str]
    seconds: float = 0.0
    lab_seconds: float = 0.0
    test_seconds: float = 0.0
    resumed: int = 0
