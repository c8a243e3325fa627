"""Which tests a variant has to face, in which order, and how it may be installed for each."""

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from acidtest.mutants.limits import Limits
from acidtest.mutants.model import Baseline, Mode, Test, Variant
from acidtest.mutants.workload import Workload

_ALIKE = 4  # a test of 16 times as many calls is run later, whatever it touches


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What a baseline depends on.

    Attributes:
        prune: take the shortcuts below; a run without them gives the same matrix.
        fork: a child of a worker for each variant; without it a fresh process, slower, with the same results.
        jobs: how many variants at a time.
    """

    workload: Workload
    seed: int = 0
    jobs: int = 1
    prune: bool = True
    fork: bool = True
    limits: Limits = field(default_factory=Limits)


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan(Settings):
    """What one run is to do.

    Attributes:
        killers: each variant's named tests, run first where a run stops at the first kill.
        first_kill: ids of variants that stop at their first kill in a matrix run too.
        prune: leave out a test that executes no changed line on the unchanged target; its trial passes, ``unreached``.
            Call properties on the examples that the baseline drew, where the variant cannot change those. And leave
            out a test to which the variant answers each call as before; its trial passes, ``same answers``.
        install: ``auto`` (hot where that is exact, else cold) or ``cold``.
    """

    variants: tuple[Variant, ...]
    killers: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    first_kill: frozenset[str] = frozenset()
    mode: Mode = Mode.MATRIX
    install: str = "auto"

    def stops(self, variant: str) -> bool:
        """Return whether the variant's tests end at its first kill."""
        return self.mode is Mode.FIRST_KILL or variant in self.first_kill


@dataclass(frozen=True, slots=True)
class Task:
    """A variant's tests on one bench, one after the other: those that a hot install is exact for, and the others.

    With ``repeat`` a test need not run where the variant answers each of its calls alike.
    """

    name: str
    variant: Variant | None
    hot: tuple[str, ...]
    cold: tuple[str, ...]
    bail: bool
    repeat: bool = False


class Schedule:
    """What the baseline showed, put to use."""

    def __init__(self, plan: Plan, baseline: Baseline) -> None:
        self._plan = plan
        self._baseline = baseline
        self._executed: dict[tuple[str, str], frozenset[int]] = {}
        self._costs = {test.id: self._cost(test.id) for test in baseline.tests}

    def task(self, variant: Variant, tests: Sequence[Test]) -> Task:
        """Return the task of running ``tests`` on ``variant``; likely killers first where a run stops at one."""
        bail = self._plan.stops(variant.id)
        named = self._plan.killers.get(variant.id, ())
        if bail:
            tests = sorted(
                tests,
                key=lambda test: (test.name not in named, self._distance(variant, test.id), *self._costs[test.id]),
            )
        hot, cold = self.split(variant, [test.id for test in tests])
        return Task(variant.id, variant, hot, cold, bail, repeat=self._plan.prune)

    def split(self, variant: Variant, tests: Sequence[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
        if not self._is_exact_hot(variant):
            return (), tuple(tests)
        opaque = self._baseline.opaque_tests
        return tuple(test for test in tests if test not in opaque), tuple(test for test in tests if test in opaque)

    def _is_exact_hot(self, variant: Variant) -> bool:
        """Return whether replacing code in place is exact: plain functions that did not run at collection."""
        if self._plan.install == "cold" or not self._plan.fork or not variant.functions or variant.anchors is None:
            return False
        ran = self._baseline.opaque.get(variant.module, frozenset())
        hookable = self._baseline.hookable.get(variant.module, frozenset())
        return hookable.issuperset(variant.functions) and not any(group & ran for group in variant.anchors)

    def reaches(self, variant: Variant, test: str) -> bool:
        """Return whether the test might see the variant."""
        return test in self._baseline.unbounded or self.executes(variant, test)

    def executes(self, variant: Variant, test: str) -> bool:
        """Return whether the test, as far as it was watched, comes to what the variant changes."""
        if variant.anchors is None or test in self._baseline.opaque_tests:
            return True
        lines = self._executed.get((test, variant.module))
        if lines is None:
            lines = self._baseline.reach.get(test, {}).get(variant.module, frozenset())
            lines = lines | self._baseline.opaque.get(variant.module, frozenset())
            self._executed[test, variant.module] = lines
        return not all(group.isdisjoint(lines) for group in variant.anchors)

    def _distance(self, variant: Variant, test: str) -> int:
        """Return how far behind the change the next line is that the test executes, where nothing better is known."""
        if variant.anchors is not None or variant.span is None:
            return 0
        first = variant.span[0]
        lines = self._baseline.reach.get(test, {}).get(variant.module, frozenset())
        return min((line - first for line in lines if line >= first), default=sys.maxsize)

    def _cost(self, test: str) -> tuple[int, int]:
        """Return how much work a test is, roughly, and how much of the target it touches: the closest look is first."""
        calls = self._baseline.work.get(test, 0)
        return calls.bit_length() // _ALIKE, sum(len(lines) for lines in self._baseline.reach.get(test, {}).values())
