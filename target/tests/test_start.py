"""The file a learner begins from is complete, promises only what is true, and does nothing yet."""

import ast
import doctest
from collections.abc import Callable
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

import pytest

from tinyllm.prob import rejection

START = Path(__file__).parents[1] / "start" / "rejection.py"
HAND = ([0.5, 0.25, 0.25, 0.0], [0.25, 0.5, 0.0, 0.25])
CALLS: dict[str, tuple[object, ...]] = {
    "rejection_accept": (0.25, 0.5, 0.25),
    "acceptance_probability": HAND,
    "residual_distribution": HAND,
    "speculative_step": (*HAND, 1, 0.75, 0.75),
    "rejection_sample": (*HAND, 2.0, None),
}


@pytest.fixture(scope="module")
def start() -> ModuleType:
    spec = spec_from_file_location("learners_start", START)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("name", CALLS)
def test_each_function_waits_to_be_written(start: ModuleType, name: str) -> None:
    function: Callable[..., object] = getattr(start, name)
    with pytest.raises(NotImplementedError):
        function(*CALLS[name])


def test_the_start_gives_no_body_away() -> None:
    functions = [
        node for node in ast.parse(START.read_text(encoding="utf-8")).body if isinstance(node, ast.FunctionDef)
    ]
    assert [node.name for node in functions] == list(CALLS)
    for node in functions:
        assert ast.get_docstring(node), f"{node.name} teaches nothing"
        assert [ast.unparse(statement) for statement in node.body[1:]] == ["raise NotImplementedError"]


@pytest.mark.parametrize("name", CALLS)
def test_the_examples_in_the_docstrings_are_true_of_the_reference(start: ModuleType, name: str) -> None:
    reference = {key: getattr(rejection, key) for key in CALLS}
    documentation = getattr(start, name).__doc__
    example = doctest.DocTestParser().get_doctest(documentation, reference, name, str(START), 0)
    assert example.examples, f"{name} has no example"
    report: list[str] = []
    doctest.DocTestRunner(verbose=False).run(example, out=report.append)
    assert not report, "".join(report)


def test_the_learner_s_error_class_is_the_contract_s(start: ModuleType) -> None:
    assert issubclass(start.ZeroResidualError, ArithmeticError)


def test_the_examples_in_the_readme_are_true() -> None:
    outcome = doctest.testfile(str(START.parents[1] / "README.md"), module_relative=False, encoding="utf-8")
    assert outcome.attempted == 5
    assert outcome.failed == 0
