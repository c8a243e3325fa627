"""Explaining a stranger's answers, on a battery made by hand: what is named, and what is not."""

from collections.abc import Mapping

import pytest

from acidtest.reports.diagnosis import Diagnosis, Verdict, explain, promising
from acidtest.reports.evidence import REST, SHARE, SUPPORT, Battery
from acidtest.reports.likeness import alike, loose
from acidtest.reports.separation import Close, disagreeing, too_close
from acidtest.reports.symptoms import symptom_of

SIZE = 40
FUNCTIONS = ("f",) * SIZE + ("g",) * SIZE
REFERENCE = tuple(f"{call}.5" for call in range(2 * SIZE))


def battery(homes: dict[str, str] | None = None, **mutants: dict[int, str]) -> Battery:
    """Return a battery of two functions with 40 calls each, whose entries have their home in ``f`` unless told."""
    return Battery(FUNCTIONS, REFERENCE, mutants, dict.fromkeys(mutants, "f") | (homes or {}))


def answers(*changes: Mapping[int, str | None]) -> list[str | None]:
    """Return the reference's answers with changes, later ones on top of earlier ones."""
    given: list[str | None] = list(REFERENCE)
    for change in changes:
        for call, answer in change.items():
            given[call] = answer
    return given


def wrong(calls: range, word: str = "wrong") -> dict[int, str]:
    """Return an answer of its own for each of these calls."""
    return {call: f"'{word} {call}'" for call in calls}


def flags(calls: range, flag: str = "True") -> dict[int, str]:
    """Return one and the same answer for each of these calls."""
    return dict.fromkeys(calls, flag)


def named(diagnosis: Diagnosis) -> set[str]:
    return set(diagnosis.named)


def test_right_answers_are_said_to_be_right() -> None:
    diagnosis = explain(answers(), battery(a=wrong(range(20))))
    assert (diagnosis.verdict, diagnosis.named, diagnosis.confidence) == (Verdict.RIGHT, (), 1.0)


def test_an_entry_is_recognized_by_its_answers() -> None:
    known = battery(a=wrong(range(20)), b=wrong(range(10, 30), "other"))
    diagnosis = explain(answers(wrong(range(20))), known)
    assert (diagnosis.verdict, diagnosis.named, diagnosis.unexplained) == (Verdict.EXACT, ("a",), ())
    assert diagnosis.matches[0].functions == ("f",)


def test_a_second_hand_may_not_carry_the_mistake_into_the_functions_above() -> None:
    known = battery(a=wrong(range(20)) | wrong(range(40, 60)))
    diagnosis = explain(answers(wrong(range(20))), known)
    assert (diagnosis.verdict, diagnosis.named, diagnosis.matches[0].functions) == (Verdict.EXPLAINED, ("a",), ("f",))


def test_a_second_hand_may_make_the_mistake_in_another_function_alone() -> None:
    known = battery(a=wrong(range(20)) | wrong(range(40, 60)))
    diagnosis = explain(answers(wrong(range(40, 60))), known)
    assert (diagnosis.named, diagnosis.matches[0].functions) == (("a",), ("g",))


def test_errors_in_another_function_alone_name_nothing() -> None:
    known = battery(a=wrong(range(20)) | flags(range(40, 60), "raises ValueError"))
    diagnosis = explain(answers(flags(range(40, 60), "raises ValueError")), known)
    assert (diagnosis.verdict, diagnosis.named) == (Verdict.UNEXPLAINED, ())
    assert diagnosis.symptoms == (("g", "raises ValueError where an answer is due", 20),)


def test_an_entry_half_of_whose_home_is_otherwise_is_not_named_by_another_function() -> None:
    known = battery(a=wrong(range(20)) | wrong(range(40, 60)))
    half = explain(answers(wrong(range(10)), wrong(range(10, 20), "other"), wrong(range(40, 60))), known)
    assert half.named == ()


@pytest.mark.parametrize(("agreeing", "expected"), [(SUPPORT - 1, set()), (SUPPORT, {"a"})])
def test_a_few_common_answers_name_nothing(agreeing: int, expected: set[str]) -> None:
    common = wrong(range(agreeing))
    assert named(explain(answers(common), battery(a=common))) == expected


@pytest.mark.parametrize(("agreeing", "expected"), [(18, {"a"}), (17, set())])
def test_where_answers_are_few_the_stranger_must_agree_on_nine_in_ten(agreeing: int, expected: set[str]) -> None:
    assert SHARE * 20 == 18
    assert named(explain(answers(flags(range(agreeing))), battery(a=flags(range(20))))) == expected


@pytest.mark.parametrize(("agreeing", "expected"), [(15, {"a"}), (14, set())])
def test_where_answers_are_many_three_in_four_are_enough(agreeing: int, expected: set[str]) -> None:
    assert named(explain(answers(wrong(range(agreeing))), battery(a=wrong(range(20))))) == expected


@pytest.mark.parametrize(("more", "expected"), [(2, {"a"}), (3, set())])
def test_an_entry_that_explains_a_part_of_a_ruin_is_not_its_name(more: int, expected: set[str]) -> None:
    assert 2 <= REST * 22 < 3
    ruin = answers(flags(range(20)), flags(range(20, 20 + more), "False"))
    assert named(explain(ruin, battery(a=flags(range(20))))) == expected


def test_what_no_entry_explains_stays_unexplained_and_is_said_to() -> None:
    known = battery(a=wrong(range(20)), b=wrong(range(10, 30), "other"))
    diagnosis = explain(answers(wrong(range(25), "third")), known)
    assert (diagnosis.verdict, diagnosis.named, len(diagnosis.unexplained)) == (Verdict.UNEXPLAINED, (), 25)
    assert diagnosis.confidence == 0.0


def test_an_entry_and_a_mistake_of_its_own_kind_elsewhere_are_told_apart() -> None:
    diagnosis = explain(answers(wrong(range(20)), wrong(range(40, 50))), battery(a=wrong(range(20))))
    assert (diagnosis.verdict, diagnosis.named, len(diagnosis.unexplained)) == (Verdict.PARTLY, ("a",), 10)
    assert diagnosis.confidence == 20 / 30


def test_two_mistakes_in_two_functions_are_both_named() -> None:
    known = battery({"b": "g"}, a=wrong(range(20)), b=wrong(range(40, 60)), c=wrong(range(10, 50), "other"))
    diagnosis = explain(answers(wrong(range(20)), wrong(range(40, 60))), known)
    assert (diagnosis.verdict, named(diagnosis)) == (Verdict.EXPLAINED, {"a", "b"})


def test_where_both_mistakes_change_an_answer_a_third_way_is_compound() -> None:
    known = battery({"b": "g"}, a=wrong(range(20)) | wrong(range(40, 50)), b=wrong(range(40, 70), "other"))
    given = answers(wrong(range(20)), wrong(range(50, 70), "other"), wrong(range(40, 50), "third"))
    diagnosis = explain(given, known)
    assert (diagnosis.verdict, named(diagnosis), diagnosis.compound) == (Verdict.EXPLAINED, {"a", "b"}, 10)


def test_two_mistakes_of_one_function_are_named_once_it_is_known_what_they_do_together() -> None:
    known = battery(a=wrong(range(20)), b=wrong(range(20), "other"))
    together = wrong(range(20), "third")
    assert explain(answers(together), known).named == ()
    diagnosis = explain(answers(together), known, {("a", "b"): together})
    assert (diagnosis.verdict, named(diagnosis)) == (Verdict.EXACT, {"a", "b"})


def test_a_single_mistake_is_preferred_to_two_that_explain_the_same() -> None:
    known = battery(a=wrong(range(20)), b=wrong(range(20), "other"))
    diagnosis = explain(answers(wrong(range(20))), known, {("a", "b"): wrong(range(20))})
    assert diagnosis.named == ("a",)


def test_of_several_pairs_that_fit_exactly_the_common_mistake_is_named() -> None:
    known = battery(a=wrong(range(19)), b=wrong(range(3)), c=wrong(range(4)), d=wrong(range(5)))
    both = wrong(range(20), "third")
    assert explain(answers(both), known, {("a", "b"): both, ("a", "c"): both}).named == ("a",)
    assert explain(answers(both), known, {("a", "b"): both, ("c", "d"): both}).named == ()
    assert explain(answers(), known, {("a", "b"): {}}).verdict is Verdict.RIGHT


def test_likely_pairs_come_first() -> None:
    known = battery(
        {"b": "g", "d": "g"}, a=wrong(range(20)), b=wrong(range(40, 60)), c=wrong(range(5)), d=wrong(range(40, 45))
    )
    pairs = promising(answers(wrong(range(20)), wrong(range(40, 60))), known, 3)
    assert pairs[0] == ("a", "b")
    assert len(pairs) == 3


def test_missing_answers_are_neither_wrong_nor_evidence() -> None:
    common = wrong(range(20))
    silent: dict[int, str | None] = dict.fromkeys(range(10, 20))
    diagnosis = explain(answers(common, silent), battery(a=common))
    assert (diagnosis.named, diagnosis.answered, len(diagnosis.wrong)) == (("a",), 70, 10)


def test_functions_that_are_not_written_yet_are_listed_and_hide_nothing() -> None:
    common = wrong(range(20))
    unwritten = flags(range(40, 80), "raises NotImplementedError")
    diagnosis = explain(answers(common, unwritten), battery(a=common))
    assert (diagnosis.verdict, diagnosis.named, diagnosis.unfinished) == (Verdict.EXACT, ("a",), ("g",))
    assert explain(answers(unwritten), battery(a=common)).verdict is Verdict.UNFINISHED
    for empty in ("None", "is missing", "raises RuntimeError"):
        assert explain(answers(flags(range(40, 80), empty)), battery(a=common)).unfinished == ("g",)


def test_calls_that_need_what_is_not_written_count_neither_way() -> None:
    common, unwritten = wrong(range(20)), flags(range(40, 80), "raises NotImplementedError; drew 0")
    diagnosis = explain(answers(common, unwritten, flags(range(30, 35), "raises RuntimeError")), battery(a=common))
    assert (diagnosis.verdict, diagnosis.named, diagnosis.unexplained) == (Verdict.EXACT, ("a",), ())
    assert explain(answers(flags(range(30, 35), "raises RuntimeError")), battery(a=common)).unexplained != ()


def test_one_none_among_answers_is_a_wrong_answer() -> None:
    diagnosis = explain(answers({50: "None"}), battery(a=wrong(range(20))))
    assert (diagnosis.unfinished, diagnosis.wrong) == ((), (50,))


def test_a_function_that_always_raises_is_said_to_be_broken() -> None:
    diagnosis = explain(answers(flags(range(40, 80), "raises NameError")), battery(a=wrong(range(20))))
    assert (diagnosis.broken, diagnosis.named) == ((("g", "NameError"),), ())


def test_another_form_is_reported_and_does_not_hide_the_mistake() -> None:
    common = wrong(range(20))
    scalars = {call: f"np.float64({REFERENCE[call]})" for call in range(20, 80)}
    diagnosis = explain(answers(common, scalars), battery(a=common))
    assert (diagnosis.verdict, diagnosis.named) == (Verdict.EXACT, ("a",))
    words = {(fault.function, fault.words, fault.count) for fault in diagnosis.forms}
    assert words == {(name, "numpy's type where a plain one is due", count) for name, count in (("f", 20), ("g", 40))}


def test_a_battery_answered_in_part_is_refused() -> None:
    with pytest.raises(ValueError, match="3 answers to 80 calls"):
        explain(["1"] * 3, battery(a=wrong(range(20))))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("np.True_", "True"),
        ("array([0.5, 0.5])", "[0.5, 0.5]"),
        ("array([0.5, 0.5], dtype=float32)", "array([0.5, 0.5])"),
        ("(np.int64(2), np.False_)", "(2, False)"),
        ("[2, False]", "(2, False)"),
        ("array([-0.0, 1.0])", "array([0.0, 1.0])"),
        ("2", "2.0"),
        ("(1, 2); drew 4; warned RuntimeWarning", "(1, 2); drew 4"),
    ],
)
def test_form_does_not_count(one: str, other: str) -> None:
    assert loose(one) == loose(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("True", "False"),
        ("array([0.5, 0.5])", "array([0.5, 0.5]); shares p"),
        ("array([0.5, 0.5])", "array([0.5, 0.5]); p after = array([0.0, 1.0])"),
        ("(1, 2); drew 4", "(1, 2); drew 3"),
        ("0.5", "0.5000000000000001"),
        ("raises ValueError", "raises RuntimeError"),
        ("-1", "1"),
        ("10.0", "1.0"),
    ],
)
def test_all_else_does(one: str, other: str) -> None:
    assert loose(one) != loose(other)


def test_the_last_bits_are_the_same_mistake_only_where_it_is_not_one_of_the_last_bits() -> None:
    assert alike("[0.6000000000000001, 0.4]", "[0.6, 0.4]", "[0.5, 0.5]")
    assert not alike("[0.5000000000000002, 0.5]", "[0.5000000000000001, 0.5]", "[0.5, 0.5]")
    assert not alike("[0.5000000000000002, 0.5]", "[0.6, 0.4]", "[0.5, 0.5]")


def test_python_s_complaint_about_zero_over_zero_is_numpy_s_nan() -> None:
    assert alike("raises ZeroDivisionError", "array([nan, nan]); warned RuntimeWarning", "array([0.5, 0.5])")
    assert not alike("raises ValueError", "array([nan, nan])", "array([0.5, 0.5])")


def test_what_stands_in_a_spoiled_argument_does_not_matter() -> None:
    spoiled = "array([0.5, 0.5]); p after = array([{}])"
    assert alike(spoiled.format("0.25"), spoiled.format("0.5"), "array([0.5, 0.5])")


@pytest.mark.parametrize(
    ("answer", "reference", "words"),
    [
        ("True", "raises ValueError", "answers what has to be refused"),
        ("raises KeyError", "0.5", "raises KeyError where an answer is due"),
        ("raises KeyError", "raises ValueError", "raises another error"),
        ("array([nan])", "array([1.0])", "answers NaN"),
        ("0.5000000000000001", "0.5", "differs in the last bits"),
        ("0.6", "0.5", "another value"),
        ("0.5; drew 3", "0.5; drew 2", "draws another number of uniforms"),
        ("[0.5]; shares p", "[0.5]", "shares memory with an argument"),
        ("[0.5]; p after = [0.0]", "[0.5]", "writes into an argument"),
    ],
)
def test_a_symptom_says_what_a_wrong_answer_looks_like(answer: str, reference: str, words: str) -> None:
    assert symptom_of(answer, reference) == words


def test_sides_that_too_few_calls_tell_apart_are_found() -> None:
    sides = {"the reference": ["1", "2", "3"], "a": ["1", "0", "0"], "b": ["np.int64(1)", "0", "3"]}
    assert list(too_close(sides, promised=2)) == [Close("the reference", "b", 1), Close("a", "b", 1)]
    assert list(disagreeing(["1", "2"], {"w": ["1", "2"], "v": ["1", "3"]})) == [("v", 1)]
