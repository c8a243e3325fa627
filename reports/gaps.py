"""What a suite does not notice: for each survivor the smallest call that shows it, and a test that closes the gap."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from acidtest.mutants.bench import Bench
from acidtest.mutants.lab import answers
from acidtest.mutants.limits import LabError, Limits
from acidtest.mutants.model import Baseline, Finding, KillMatrix, Status, Variant, Witness
from acidtest.mutants.witness import Judgement
from acidtest.mutants.workload import Workload
from acidtest.reports.diary import diary
from acidtest.reports.emit import FORMS, Case, Emitted, emit, module_text
from acidtest.reports.judge import status_of
from acidtest.reports.nearest import Asked, Miss, Nearest, nearest
from acidtest.reports.pasted_example import Offer, PastedExample, examples_for
from acidtest.reports.proving import Proof, prove_text

ASKING = Limits(startup=20.0)
PATIENCE = 40
SURVIVED = (Status.SURVIVED, Status.NO_COVERAGE)
Search = Callable[[Sequence[tuple[Variant | None, Variant]]], Sequence[Finding]]


Judge = Callable[[Sequence[tuple[Variant | None, Variant, Witness]]], Sequence[Judgement]]


@dataclass(frozen=True, slots=True)
class Gap:
    """One survivor that answers differently, and what would have noticed.

    Attributes:
        test: the test to paste, tried on the reference, on every wheat and on the mutant; None where ``problem`` says
            why there is none.
        example: the line for a property of the suite, where one takes the witness and then fails.
    """

    variant: Variant
    finding: Finding
    witness: Witness
    told: Judgement
    nearest: Nearest
    test: Emitted | None = None
    problem: str = ""
    example: PastedExample | None = None


@dataclass(frozen=True, slots=True)
class Gaps:
    """Every survivor of a run, by what the search for a distinguishing call came to.

    Attributes:
        equal, undecided: survivors without a call, each with its finding.
        listed: variants that neither survived nor were killed, with their status.
        wheats: how many right implementations each test was run on, the reference not counted.
    """

    gaps: tuple[Gap, ...]
    equal: tuple[tuple[Variant, Finding], ...] = ()
    undecided: tuple[tuple[Variant, Finding], ...] = ()
    listed: tuple[tuple[str, Status], ...] = ()
    wheats: int = 0

    @property
    def tests(self) -> tuple[Emitted, ...]:
        """The tests to paste, in order."""
        return tuple(gap.test for gap in self.gaps if gap.test is not None)


@dataclass(frozen=True, slots=True)
class _Written:
    """How a call is written: see ``mutants.written``."""

    module: str
    arguments: Mapping[str, str]
    given: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    recipe: Mapping[str, Any] | None = None


def survivors(matrix: KillMatrix) -> tuple[str, ...]:
    """Return the variants that no test noticed, whether or not one executes what changed."""
    return tuple(variant for variant in matrix.variants if status_of(matrix, variant) in SURVIVED)


def listed(matrix: KillMatrix) -> tuple[tuple[str, Status], ...]:
    """Return the variants that have no verdict, with what became of them."""
    statuses = [(variant, status_of(matrix, variant)) for variant in matrix.variants]
    return tuple((variant, status) for variant, status in statuses if status not in (*SURVIVED, Status.KILLED))


def find_gaps(
    workload: Workload,
    variants: Sequence[Variant],
    search: Search,
    judge: Judge,
    *,
    seed: int = 0,
    fork: bool = True,
    say: Callable[[str], None] = lambda text: None,
) -> Gaps:
    """Return what is known of each of ``variants``, all of them survivors of the workload's suite.

    Args:
        search: looks for the smallest call on which two implementations differ.
        judge: says how bad a difference is and which rule it breaks.
        seed: of the suite's run, so that its tests make the calls that they made. say: told what goes on.
    """
    say(f"searching for the smallest call on which each of {len(variants)} survivors differs")
    findings = search([(None, variant) for variant in variants])
    found = list(zip(variants, findings, strict=True))
    pairs = [(variant, finding) for variant, finding in found if finding.witness is not None]
    gaps: list[Gap] = []
    if pairs:
        seen = [(variant, finding.witness) for variant, finding in pairs if finding.witness is not None]
        told = judge([(None, *pair) for pair in seen])
        texts = _written(workload, seen, fork)
        say("looking for the test that came nearest")
        near = _nearest(workload, seen, texts, seed, fork)
        gaps = [
            Gap(variant, finding, witness, word, place)
            for (variant, finding), (_, witness), word, place in zip(pairs, seen, told, near, strict=True)
        ]
        say("running each test before it is shown")
        gaps = _with_examples(workload, _with_tests(workload, gaps, texts, fork), texts, fork)
    return Gaps(
        tuple(gaps),
        tuple((variant, finding) for variant, finding in found if finding.verdict == "equal on D"),
        tuple((variant, finding) for variant, finding in found if finding.verdict == "undecided"),
    )


def page_of(tests: Sequence[Emitted]) -> str:
    """Return the tests as one module that passes as it stands."""
    return module_text(
        tests, "Tests for what no other test noticed: each fails on one mutant and passes on right code."
    )


def _written(workload: Workload, seen: Sequence[tuple[Variant, Witness]], fork: bool) -> list[_Written | str]:
    """Return how each call is written in Python, or why it cannot be."""
    calls = [{**_call(variant, witness), "written": True} for variant, witness in seen]
    (found,) = answers(workload, [None], [calls], fork, ASKING)
    if isinstance(found, LabError):
        return [str(found)] * len(calls)
    return [_read(text) for text in found]


def _read(text: str) -> _Written | str:
    data = json.loads(text)
    opaque = [name for name, code in data["arguments"].items() if code is None]
    if opaque:
        return f"the argument {opaque[0]} cannot be written as Python"
    return _Written(data["module"], data["arguments"], data["given"], data["recipe"])


def _call(variant: Variant, witness: Witness) -> dict[str, Any]:
    return {"module": variant.module, "function": witness.function, "args": dict(witness.args)}


def _case(gap: Gap, text: _Written) -> Case:
    witness = gap.witness
    return Case(
        id=gap.variant.id,
        title=gap.variant.title,
        module=text.module,
        function=witness.function,
        arguments=text.arguments,
        reference=witness.reference,
        mutant=witness.mutant,
        rule=gap.told.rule,
        recipe=text.recipe,
        name=f"{gap.variant.id} {gap.variant.title if gap.variant.kind == 'catalog' else ''}",
    )


def _with_tests(workload: Workload, gaps: Sequence[Gap], texts: Sequence[_Written | str], fork: bool) -> list[Gap]:
    """Return the gaps, each with a test that was run and holds, in the first form that does."""
    done = {number: replace(gap, problem=text) for number, (gap, text) in enumerate(zip(gaps, texts, strict=True))
            if isinstance(text, str)}  # fmt: skip
    why: dict[int, str] = {}
    for form in FORMS:
        tests: dict[int, Emitted] = {}
        for number, (gap, text) in enumerate(zip(gaps, texts, strict=True)):
            if number in done or isinstance(text, str):
                continue
            taken = [test.name for test in tests.values()] + [g.test.name for g in done.values() if g.test]
            test = emit(_case(gap, text), taken, form)
            if test is not None:
                tests[number] = test
        proofs = _proofs(workload, tests, gaps, fork)
        for number, test in tests.items():
            proof = proofs.get(test.name, Proof("it was not collected"))
            if proof.holds:
                done[number] = replace(gaps[number], test=test)
            else:
                why.setdefault(number, proof.why)
    return [
        done.get(number, replace(gap, problem=why.get(number, "the answer cannot be written as Python")))
        for number, gap in enumerate(gaps)
    ]


def _proofs(workload: Workload, tests: Mapping[int, Emitted], gaps: Sequence[Gap], fork: bool) -> dict[str, Proof]:
    if not tests:
        return {}
    kills = {test.name: gaps[number].variant for number, test in tests.items()}
    try:
        return prove_text(workload, page_of(list(tests.values())), kills, fork)
    except LabError as error:
        return {test.name: Proof(str(error)) for test in tests.values()}


def _with_examples(workload: Workload, gaps: Sequence[Gap], texts: Sequence[_Written | str], fork: bool) -> list[Gap]:
    """Return the gaps with the line to paste above a property, where one takes it; the test's comment says it too."""
    offers = {}
    for number, (gap, text) in enumerate(zip(gaps, texts, strict=True)):
        if isinstance(text, _Written):
            own = {name: {"code": code, "imports": _imports(code)} for name, code in text.arguments.items()
                   if "Script(" not in code}  # fmt: skip
            offers[str(number)] = Offer(gap.variant, gap.witness.function, {**own, **text.given})
    found = examples_for(workload, offers, fork)
    return [_exemplified(workload, gap, found.get(str(number))) for number, gap in enumerate(gaps)]


def _imports(code: str) -> list[str]:
    known = {"np.": "import numpy as np", "math.": "import math"}
    return [line for mark, line in known.items() if mark in code]


def _exemplified(workload: Workload, gap: Gap, example: PastedExample | None) -> Gap:
    if example is None:
        return gap
    path = example.path
    shown = path.relative_to(workload.root) if path.is_relative_to(workload.root) else path
    note = f"The same gap, as an example for {example.property} in {shown}:\n    {example.line}"
    return replace(gap, example=example, test=gap.test and replace(gap.test, note=note))


def _nearest(
    workload: Workload,
    seen: Sequence[tuple[Variant, Witness]],
    texts: Sequence[_Written | str],
    seed: int,
    fork: bool,
) -> list[Nearest]:
    """Return for each survivor the test that came nearest; without the suite's calls where it cannot be watched."""
    bench = Bench(workload, seed, ASKING, fork)
    try:
        baseline = bench.baseline()
        homes = [(text.module, witness.function) for (_, witness), text in zip(seen, texts, strict=True)
                 if isinstance(text, _Written)]  # fmt: skip
        notes = diary(workload, bench, dict.fromkeys(homes), [test.id for test in baseline.tests])
        known: dict[str, list[str]] = {}
        result = []
        for variant, witness in seen:
            calls = [note for note in notes if note.function == witness.function]
            plain = [{"module": variant.module, "function": note.function, "args": note.args} for note in calls]
            right = known.get(witness.function) or _answers(bench, None, plain, [PATIENCE])
            known[witness.function] = right
            wrong = _answers(bench, variant, plain, [PATIENCE])
            asked = [Asked(*row) for row in zip(calls, right, wrong, strict=True)]
            result.append(nearest(witness, asked, reaching(variant, baseline)))
        return result
    except LabError:
        return [Nearest(Miss.NONE)] * len(seen)
    finally:
        bench.close(0.5)


def _answers(bench: Bench, variant: Variant | None, calls: list[dict[str, Any]], patience: list[int]) -> list[str]:
    """Return the answers to calls; an empty text for one that takes the process down or cannot be made.

    Args:
        patience: how many failures are looked into, by halves; counted down.
    """
    if not calls or patience[0] <= 0:
        return [""] * len(calls)
    try:
        return bench.answers(variant, calls)
    except LabError:
        patience[0] -= 1
        if len(calls) == 1:
            return [""]
    half = len(calls) // 2
    return _answers(bench, variant, calls[:half], patience) + _answers(bench, variant, calls[half:], patience)


def reaching(variant: Variant, baseline: Baseline) -> frozenset[str]:
    """Return the tests that execute a changed line on the unchanged code; all where that cannot be said by line."""
    if variant.anchors is None:
        return frozenset(test.id for test in baseline.tests)
    return frozenset(
        test.id
        for test in baseline.tests
        if any(group & baseline.reach.get(test.id, {}).get(variant.module, frozenset()) for group in variant.anchors)
    )
