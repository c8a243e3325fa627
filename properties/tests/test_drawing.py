"""Drawn calls are valid, follow their family, and are the same for the same seed."""

import json
from itertools import pairwise

import pytest

from acidtest.properties import calls
from acidtest.properties.call import Call


def answered(call: Call) -> str:
    try:
        calls.subject(call.function)(**calls.build(call.function, call.args))
    except calls.contract_errors() as error:
        return type(error).__name__
    return "value"


@pytest.mark.parametrize("function", calls.FUNCTIONS)
@pytest.mark.parametrize("family", ["eighths", "near equal", "disjoint"])
def test_drawn_calls_break_no_rule_of_the_arguments(function: str, family: str) -> None:
    drawn = list(calls.sample(function, family, 40, 1))
    assert len(drawn) == 40
    assert all(call.function == function for call in drawn)
    assert {answered(call) for call in drawn} <= {"value", "ZeroResidualError", "RuntimeError"}


def test_same_seed_draws_the_same_calls_and_another_seed_others() -> None:
    one, again, other = (
        [call.text for call in calls.sample("speculative_step", "wide", 30, seed)] for seed in (3, 3, 4)
    )
    assert one == again
    assert one != other


def test_drawn_calls_are_plain_data() -> None:
    for call in calls.sample("rejection_sample", "partial zeros", 20, 0):
        assert json.loads(call.text) == dict(call.args)


def test_eighths_are_eighths() -> None:
    for call in calls.sample("acceptance_probability", "eighths", 20, 0):
        assert all(mass * 8 % 1 == 0 for mass in (*call.args["p"], *call.args["q"]))


def test_uniforms_of_drawn_steps_meet_their_breakpoint() -> None:
    drawn = list(calls.sample("speculative_step", "eighths", 120, 0))
    at = sum(c.args["u_accept"] == c.args["p"][c.args["x"]] / c.args["q"][c.args["x"]] for c in drawn)
    assert at >= 3


def test_unknown_family_is_told_with_the_known_ones() -> None:
    with pytest.raises(ValueError, match="no family 'odd'; there are eighths, "):
        list(calls.sample("rejection_accept", "odd", 3, 0))


def test_as_many_calls_come_as_were_asked_for() -> None:
    lengths = [len(list(calls.sample("residual_distribution", "equal", count, 0))) for count in (1, 10, 50)]
    assert lengths == [1, 10, 50]
    assert all(a < b for a, b in pairwise(lengths))
