"""Tests to paste: executed as text, each passes on what the reference answers and fails on what the mutant does."""

from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from acidtest.mutants.written import expression
from acidtest.reports.emit import FORMS, Case, emit, module_text


def case(reference: str, mutant: str, **arguments: str) -> Case:
    return Case("m1", "does it wrong", "box", "f", arguments, reference, mutant)


def run(case: Case, function: Callable[..., Any], form: str = "plain") -> bool:
    """Return whether the test of ``case`` passes where ``box.f`` is ``function``."""
    test = emit(case, form=form)
    assert test is not None
    box = ModuleType("box")
    box.f = function  # type: ignore[attr-defined]
    namespace: dict[str, Any] = {"box": box}
    text = module_text([test], "One test.").replace("import box\n", "")
    exec(compile(text, "emitted", "exec"), namespace)
    try:
        namespace[test.name]()
    except (Exception, pytest.fail.Exception):  # however it fails
        return False
    return True


def written_in_place(p: Any) -> Any:
    p[0] = 9.0
    return 1


def warning(p: float) -> float:
    import warnings

    warnings.warn("careful", RuntimeWarning, stacklevel=1)
    return p


def refusing(p: float) -> float:
    raise ValueError(p)


def draw(times: int) -> Callable[[Any], object]:
    return lambda rng: [rng.random() for _ in range(times)] and 7


P = {"p": "np.array([0.5, 0.25])"}
CASES: dict[str, tuple[Case, Callable[..., Any], Callable[..., Any]]] = {
    "value": (case("1", "2", p="0.5"), lambda p: 1, lambda p: 2),
    "flag": (case("True", "np.True_", p="0.5"), lambda p: True, lambda p: np.True_),
    "type": (case("0.5", "np.float64(0.5)", p="0.5"), lambda p: p, lambda p: np.float64(p)),
    "integer for a float": (case("1.0", "1", p="0.5"), lambda p: 1.0, lambda p: 1),
    "negative zero": (case("0.0", "-0.0", p="0.5"), lambda p: 0.0, lambda p: -0.0),
    "one bit": (case("0.1", "0.10000000000000002", p="0.5"), lambda p: 0.1, lambda p: 0.10000000000000002),
    "NaN": (case("nan", "0.5", p="0.5"), lambda p: float("nan"), lambda p: p),
    "a tuple with NaN": (case("(nan, 1)", "(nan, 2)", p="0.5"), lambda p: (np.nan, 1), lambda p: (np.nan, 2)),
    "array": (case("array([1.0, 0.0])", "array([0.0, 1.0])", **P), lambda p: np.array([1.0, 0.0]),
              lambda p: np.array([0.0, 1.0])),
    "array with NaN": (case("array([1.0])", "array([nan])", **P), lambda p: np.array([1.0]),
                       lambda p: np.array([np.nan])),
    "dtype": (case("array([0.5])", "array([0.5], dtype=float32)", **P), lambda p: np.array([0.5]),
              lambda p: np.array([0.5], dtype=np.float32)),
    "a list for an array": (case("array([0.5])", "[0.5]", **P), lambda p: np.array([0.5]), lambda p: [0.5]),
    "memory": (case("array([0.5, 0.25])", "array([0.5, 0.25]); shares p", **P), lambda p: p.copy(), lambda p: p),
    "argument": (case("1", "1; p after = array([9.0, 0.25])", **P), lambda p: 1, written_in_place),
    "a list's memory": (case("[1]", "[1]; shares p", p="[1]"), lambda p: [1], lambda p: p),
    "warning": (case("0.5", "0.5; warned RuntimeWarning", p="0.5"), lambda p: p, warning),
    "warning that belongs": (case("0.5; warned RuntimeWarning", "0.5", p="0.5"), warning, lambda p: p),
    "error": (case("raises ValueError", "0.5", p="0.5"), refusing, lambda p: p),
    "error where none belongs": (case("0.5", "raises ValueError", p="0.5"), lambda p: p, refusing),
    "uniforms": (case("7; drew 2", "7; drew 1", rng="Script([0.5, 0.25])"), draw(2), draw(1)),
    "a uniform too many": (case("7; drew 2", "raises AssertionError; drew 2", rng="Script([0.5, 0.25])"),
                           draw(2), draw(3)),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_the_test_passes_on_the_reference_and_fails_on_the_mutant(name: str) -> None:
    told, right, wrong = CASES[name]
    assert run(told, right)
    assert not run(told, wrong)


@pytest.mark.parametrize("name", CASES)
def test_the_strict_form_holds_as_well(name: str) -> None:
    told, right, wrong = CASES[name]
    assert run(told, right, "strict")
    assert not run(told, wrong, "strict")


def test_the_lean_form_looks_at_the_value_alone_where_that_differs() -> None:
    told = case("(1, 2); drew 2", "(1, 1); drew 1", rng="Script([0.5, 0.25])")
    lean = emit(told, form="lean")
    plain = emit(told)
    assert lean is not None
    assert plain is not None
    assert "drawn" in plain.text
    assert "drawn" not in lean.text
    assert FORMS == ("plain", "strict", "lean")


def test_what_cannot_be_written_gives_no_test() -> None:
    assert emit(case("<object object>", "1", p="0.5")) is None


def test_names_that_are_taken_get_a_number_and_clashing_arguments_another_name() -> None:
    told = case("1", "2", answer="[1]", box="[2]")
    first = emit(told)
    assert first is not None
    second = emit(told, [first.name])
    assert second is not None
    assert second.name == first.name + "_2"
    assert "answer_ = [1]" in first.text
    assert "box.f(answer=answer_, box=box_)" in first.text


def test_a_function_that_is_not_simply_called_follows_its_recipe() -> None:
    recipe = {"setup": ["made = {module}.Kind({seed})"], "call": "[made.next() for _ in range({count})]"}
    told = Case("m1", "", "a.box", "Kind.next", {"seed": "4", "count": "2"}, "[1, 2]", "[1, 3]", recipe=recipe)
    test = emit(told)
    assert test is not None
    assert "    made = box.Kind(4)\n    answer = [made.next() for _ in range(2)]\n" in test.text
    assert "from a import box" in module_text([test], "One.")


@pytest.mark.parametrize(
    ("value", "code"),
    [
        (np.array([0.5, np.nan]), "np.array([0.5, math.nan])"),
        (np.array([1, 2]), "np.array([1, 2])"),
        (np.array([0.5], dtype=np.float32), "np.array([0.5], dtype='float32')"),
        (np.array([]), "np.array([])"),
        (np.float64(0.5), "np.float64(0.5)"),
        (np.array([0.5 + 0j]), "np.array([complex(0.5, 0.0)])"),
        ((1,), "(1,)"),
        ([float("-inf"), None, "a"], "[-math.inf, None, 'a']"),
        (object(), None),
    ],
)
def test_an_argument_is_written_as_the_expression_that_makes_it(value: object, code: str | None) -> None:
    assert expression(value) == code
