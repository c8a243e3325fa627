"""Which test came nearest, on calls made by hand."""

from acidtest.mutants.model import Witness
from acidtest.reports.diary import Noted
from acidtest.reports.nearest import Asked, Miss, differing, distance, nearest

WITNESS = Witness("f", {"p": [0.5, 0.5], "u": 0.25}, "1", "2")


def asked(test: str, p: list[float], u: float, mutant: str = "1") -> Asked:
    return Asked(Noted(test, "f", {"p": p, "u": u}), "1", mutant)


def test_a_test_that_makes_a_differing_call_and_passes_comes_first() -> None:
    calls = [asked("a", [0.5, 0.5], 0.26), asked("b", [1.0, 0.0], 0.75, mutant="2")]
    near = nearest(WITNESS, calls, {"a"})
    assert (near.miss, near.test, near.mutant) == (Miss.DID_NOT_LOOK, "b", "2")


def test_else_the_closest_call_among_those_that_execute_the_change() -> None:
    calls = [asked("a", [0.5, 0.5], 0.75), asked("b", [0.5, 0.5], 0.5), asked("c", [0.5, 0.5], 0.26)]
    near = nearest(WITNESS, calls, {"a", "b"})
    assert (near.miss, near.test, near.differs, near.compared) == (Miss.OTHER_CALLS, "b", ("u",), (3, 3))


def test_a_test_that_never_gets_there_is_named_as_such() -> None:
    assert nearest(WITNESS, [asked("a", [1.0], 0.5)], ()).miss is Miss.NOT_REACHED
    assert nearest(WITNESS, [], {"a"}).miss is Miss.NO_CALL
    assert nearest(WITNESS, [], ()).miss is Miss.NONE


def test_answers_that_were_not_given_are_no_difference() -> None:
    call = Asked(Noted("a", "f", {"p": [1.0], "u": 0.5}), "1", "")
    assert nearest(WITNESS, [call], {"a"}).miss is Miss.OTHER_CALLS


def test_distance_counts_arguments_before_it_measures_them() -> None:
    witness = WITNESS.args
    assert distance({"p": [0.5, 0.5], "u": 0.75}, witness) == (1, 0.5)
    assert distance({"p": [0.5, 0.5, 0.0], "u": 0.25}, witness) == (1, 1.0)
    assert distance({"p": [0.5, 0.5], "u": float("nan")}, witness) == (1, 1.0)
    assert distance({"p": {"float32": [0.5, 0.5]}, "u": 0.25}, witness) == (1, 1.0)
    assert differing({"p": [0.5, 0.5]}, witness) == ("u",)
    assert distance(witness, dict(witness)) == (0, 0)
