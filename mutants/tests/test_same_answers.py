"""No shortcut passes a test that would fail: every case is run with all shortcuts, and again with none."""

import ast
import re
from collections.abc import Mapping
from textwrap import dedent

import pytest

from acidtest.mutants import lab
from acidtest.mutants.model import Outcome, Trial, Variant
from acidtest.mutants.tests import tiny
from acidtest.mutants.tests.around_calls import SURROUNDINGS
from acidtest.mutants.tests.seen_by_tests import ANSWERS, Case
from acidtest.mutants.workload import Workload

CASES = {**ANSWERS, **SURROUNDINGS}
Trials = Mapping[tuple[str, str], Trial]


def _apart(number: int, case: Case) -> tuple[str, str, str | None, str]:
    """Return a case with names of its own, so that all can stand in one module."""
    source, tests, before, after = (dedent(text) if text is not None else "" for text in case)
    tree = ast.parse(source)
    own = {node.name for node in tree.body if isinstance(node, ast.FunctionDef | ast.ClassDef)}
    own |= {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and node.id.isupper()}
    names = re.compile(rf"\b({'|'.join(sorted(own))})\b")
    source, tests, before, after = (names.sub(rf"\1_{number}", text) for text in (source, tests, before, after))
    return source, tests, before if case[2] is not None else None, after


@pytest.fixture(scope="module")
def roads(tmp_path_factory: pytest.TempPathFactory) -> tuple[Trials, Trials]:
    """Return each case's trial with the shortcuts and without."""
    folder = tmp_path_factory.mktemp("cases")
    apart = [_apart(number, case) for number, case in enumerate(CASES.values())]
    box = tiny.workload(folder, "\n".join(source for source, _, _, _ in apart), "")
    for number, (_, tests, _, _) in enumerate(apart):
        (folder / "tests" / f"test_{number}.py").write_text(tests)
    (folder / "tests" / "test_box.py").unlink()
    variants = [
        tiny.variant(box, str(number), f"square_{number}", before, after)
        for number, (_, _, before, after) in enumerate(apart)
    ]
    usual = tiny.run(box, *variants, jobs=2)
    assert usual.problems == ()
    return {(trial.variant, trial.test): trial for trial in usual.matrix.trials}, dict(_plainly(box, variants))


def _plainly(box: Workload, variants: list[Variant]) -> list[tuple[tuple[str, str], Trial]]:
    """Return the trial of each variant's own test, with nothing left out."""
    limits = lab.Limits(floor=2.0, startup=20.0, baseline=20.0, memory_mb=1024)
    found = []
    with lab.begun(lab.Settings(workload=box, prune=False, limits=limits)) as bench:
        assert bench.baseline().failures == ()
        for variant in variants:
            test = f"tests/test_{variant.id}.py::test_it"
            (trial,) = bench.trials(variant, variant.id, [test], hot=True, bail=False)
            found.append(((variant.id, test), trial))
    return found


@pytest.mark.parametrize("number", range(len(CASES)), ids=list(CASES))
def test_what_a_test_can_see_is_not_taken_for_the_same(number: int, roads: tuple[Trials, Trials]) -> None:
    usual, plain = (road[str(number), f"tests/test_{number}.py::test_it"] for road in roads)
    assert plain.outcome is not Outcome.PASSED
    assert (usual.outcome, usual.reason) == (plain.outcome, plain.reason)
