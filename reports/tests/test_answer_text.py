"""Answers read back: what the lab writes comes apart into value, error and notes, and the numbers stay exact."""

import pytest

from acidtest.reports.answer_text import exact, read_answer, read_value
from acidtest.reports.differences import differences, exact_numbers, ulps


def test_an_array_comes_apart() -> None:
    value = read_value("array([0.5, nan, -inf, 1e-17], dtype=float32)")
    assert value.kind == "array"
    assert [part.text for part in value.parts[0].parts] == ["0.5", "nan", "-inf", "1e-17"]
    assert value.options == {"dtype": "float32"}
    assert value.has_nan


@pytest.mark.parametrize(
    ("text", "kind", "parts"),
    [
        ("(2, False)", "tuple", ["int", "bool"]),
        ("(1,)", "tuple", ["int"]),
        ("[]", "list", []),
        ("np.float64(0.5)", "np.float64", ["float"]),
        ("{'a': [1, 2.0]}", "dict", ["str", "list"]),
        ("'it; is, (one) text'", "str", []),
        ("None", "None", []),
        ("<object object>", "opaque", []),
        ("array([[0.5, 0.5]])", "array", ["list"]),
    ],
)
def test_a_value_has_its_kind_and_parts(text: str, kind: str, parts: list[str]) -> None:
    value = read_value(text)
    assert (value.kind, [part.kind for part in value.parts]) == (kind, parts)
    assert value.text == text


def test_notes_are_told_from_the_value() -> None:
    answer = read_answer("('a; b', 2); shares p; q after = array([0.5]); drew 2; warned RuntimeWarning", ("rng",))
    assert answer.value is not None
    assert answer.value.text == "('a; b', 2)"
    assert answer.shares == ("p",)
    assert answer.after["q"].text == "array([0.5])"
    assert answer.drew == {"rng": 2}
    assert answer.warned == ("RuntimeWarning",)
    refused = read_answer("raises ValueError; drew 0", ("rng",))
    assert (refused.value, refused.error, refused.drew) == (None, "ValueError", {"rng": 0})


def test_a_decimal_that_is_not_the_number_has_its_hexadecimal_beside_it() -> None:
    assert exact("0.375") == "0.375"
    assert exact("1e-17").endswith("(0x1.70ef54646d497p-57)")
    assert exact_numbers("f(p=[0.5, 0.1], x=1)") == "f(p=[0.5, 0.1 (0x1.999999999999ap-4)], x=1)"
    assert exact_numbers("array([nan, 3]); drew 2") == "array([nan, 3]); drew 2"


def test_units_in_the_last_place_are_counted_across_zero() -> None:
    assert ulps(1.0, 1.0000000000000002) == 1
    assert ulps(-5e-324, 5e-324) == 2
    assert ulps(0.0, -0.0) == 0
    assert ulps(float("nan"), 1.0) > 2**63


@pytest.mark.parametrize(
    ("reference", "mutant", "phrases"),
    [
        ("array([1.0, 0.0])", "array([1.0000000000000002, 0.0])", ("the value, by up to 1 units in the last place",)),
        ("array([0.5])", "array([0.5]); shares p", ("the result shares memory with p",)),
        ("array([0.5])", "array([0.5]); p after = array([0.0])", ("p is changed",)),
        ("(1, 2); drew 4", "(1, 1); drew 2", ("the value", "2 uniforms are drawn, not 4")),
        ("True", "np.True_", ("the type is np.bool, not bool",)),
        ("0.5", "np.float64(0.5)", ("the type is np.float64, not float",)),
        ("raises ValueError", "True", ("a value is returned, where an error belongs",)),
        ("True", "raises KeyError", ("KeyError is raised, where a value belongs",)),
        ("raises ValueError", "raises KeyError", ("KeyError is raised, not ValueError",)),
        ("1", "1; warned RuntimeWarning", ("it warns: RuntimeWarning",)),
    ],
)
def test_each_kind_of_difference_is_named(reference: str, mutant: str, phrases: tuple[str, ...]) -> None:
    assert differences(reference, mutant) == phrases
