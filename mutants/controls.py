"""Variants whose verdict is known beforehand: if one misbehaves, no verdict of the run can be trusted."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

from acidtest.mutants.model import Baseline, Control, Outcome, Trial, Variant
from acidtest.mutants.splice import anchors, canary, changed_functions, equivalent, functions_of

Executes = Callable[[Variant, str], bool]
_SURVIVE = "an edit that changes nothing must survive"


@dataclass(frozen=True, slots=True)
class Planned:
    """A control and the tests that it runs; ``expects`` says of each which outcome is right.

    With ``repeat`` it takes every shortcut that a variant takes.
    """

    variant: Variant
    tests: tuple[str, ...]
    expects: Outcome
    sentence: str
    cold: bool = False
    repeat: bool = True


def plan_controls(sources: Mapping[str, str], baseline: Baseline, executes: Executes) -> tuple[Planned, ...]:
    """Return the controls that run beside the variants.

    - *equivalent*: each function of each module gains a local that nothing reads, and must survive; but tests that
      look at the target by other roads than calls may see it.
    - *canary*: each function of each module raises a ``BaseException`` at once, and every test that executes one of
      them must fail, but for tests that are expected to fail and those that start processes. Functions that already
      ran at import or collection are left alone: with them the variant would not import.
    """
    tests = tuple(test.id for test in baseline.tests)
    deaf = baseline.opaque_tests | {test.id for test in baseline.tests if test.expected_to_fail}
    controls: list[Planned] = []
    for module, source in sources.items():
        variant = _variant("equivalent", module, source, equivalent(source), baseline)
        reached = tuple(test for test in tests if executes(variant, test) and test not in baseline.unbounded)
        if reached:
            what = f"a dead local in every function of {module} must survive"
            controls.append(Planned(variant, reached, Outcome.PASSED, what))
        variant = _canary(module, source, baseline)
        reached = tuple(test for test in tests if executes(variant, test) and test not in deaf)
        if reached:
            what = f"an exception in every function of {module} must fail every test that executes one"
            controls.append(Planned(variant, reached, Outcome.FAILED, what))
    return tuple(controls)


def unchanged_control(sources: Mapping[str, str], baseline: Baseline) -> Planned:
    """Return the *unchanged* control: the first module's own text, a comment longer, takes the variants' road.

    Every test must pass on it, after all variants: it is the baseline again, too.
    """
    tests = tuple(test.id for test in baseline.tests)
    return Planned(_unchanged(sources, baseline), tests, Outcome.PASSED, _SURVIVE, repeat=False)


def cold_control(sources: Mapping[str, str], baseline: Baseline, tests: Collection[str]) -> Planned:
    """Return the *unchanged* control of the cold road, with the tests that variants ran there."""
    some = tuple(test.id for test in baseline.tests if test.id in tests)
    sentence = f"{_SURVIVE}, installed before import"
    return Planned(_unchanged(sources, baseline), some, Outcome.PASSED, sentence, cold=True)


def judge_control(planned: Planned, trials: Sequence[Trial]) -> Control:
    """Return what the control did; it behaved only if each of its tests has the outcome that was expected."""
    outcomes = {trial.test: trial for trial in trials}
    for test in planned.tests:
        trial = outcomes.get(test)
        if trial is None:
            return Control(planned.variant.id, planned.sentence, f"{test} has no outcome")
        if trial.outcome is not planned.expects:
            because = f" ({trial.reason}{': ' + trial.detail if trial.detail else ''})" if trial.reason else ""
            return Control(
                planned.variant.id, planned.sentence, f"{test} {trial.outcome}{because}, expected {planned.expects}"
            )
    return Control(planned.variant.id, planned.sentence)


def _unchanged(sources: Mapping[str, str], baseline: Baseline) -> Variant:
    module, source = next(iter(sources.items()))
    return _variant("unchanged", module, source, source + "\n# nothing changed above this line\n", baseline)


def _canary(module: str, source: str, baseline: Baseline) -> Variant:
    opaque = baseline.opaque.get(module, frozenset())
    every = canary(source)
    names, groups = changed_functions(source, every) or (), anchors(source, every) or ()
    busy = frozenset(name for name, group in zip(names, groups, strict=True) if group & opaque)
    idle = set(functions_of(source)) - busy
    mutated = source
    if idle & set(names):
        mutated = canary(source, busy) if busy else every
    return _variant("canary", module, source, mutated, baseline)


def _variant(what: str, module: str, original: str, mutated: str, baseline: Baseline) -> Variant:
    functions = changed_functions(original, mutated)
    if what == "unchanged":
        functions = tuple(sorted(baseline.hookable.get(module, frozenset())))
    return Variant(
        id=f"control:{what}:{module}",
        title=what,
        module=module,
        source=mutated,
        functions=functions or (),
        anchors=anchors(original, mutated),
        diff="",
        kind="control",
    )
