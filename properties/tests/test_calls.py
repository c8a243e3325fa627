"""D is bounded, always the same, made of plain data, and asks about every function and every rule of the contract."""

import json
import subprocess
import sys
from collections import Counter

import numpy as np
import pytest

from acidtest.properties import calls
from tinyllm.prob import categorical, rejection

DOMAIN = tuple(calls.domain())


def outcome(call: calls.Call) -> str:
    module = {"tinyllm.prob.rejection": rejection, "tinyllm.prob.categorical": categorical}[
        calls.FUNCTIONS[call.function]
    ]
    try:
        getattr(module, call.function)(**calls.build(call.function, call.args))
    except calls.contract_errors() as error:
        return type(error).__name__
    return "value"


def test_domain_is_the_same_in_another_process() -> None:
    code = "from acidtest.properties import calls; print(calls.domain_hash())"
    there = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert there.stdout.strip() == calls.domain_hash()


def test_domain_has_no_call_twice() -> None:
    texts = Counter(json.dumps([call.function, dict(call.args)]) for call in DOMAIN)
    assert [text for text, count in texts.items() if count > 1] == []


def test_domain_is_bounded() -> None:
    assert len(DOMAIN) < 3000
    assert max(len(call.args["p"]) for call in DOMAIN if "p" in call.args) <= 24


def test_every_function_is_asked_for_values_and_for_each_error_of_its_contract() -> None:
    seen = {(call.function, outcome(call)) for call in DOMAIN}
    expected = {(function, kind) for function in calls.FUNCTIONS for kind in ("value", "ValueError")}
    assert seen == expected | {("speculative_step", "ZeroResidualError"), ("rejection_sample", "RuntimeError")}


def test_scripts_are_long_enough_for_the_reference() -> None:
    for call in DOMAIN:
        if call.function == "rejection_sample":
            outcome(call)  # an exhausted script is an AssertionError, which is no error of the contract


def test_both_hand_examples_are_asked_about() -> None:
    asked = [(call.args["p"], call.args["q"]) for call in DOMAIN if call.function == "residual_distribution"]
    for p, q in (calls.HAND, calls.SECOND_HAND):
        assert (list(p), list(q)) in asked


def test_long_vectors_without_dyadic_masses_are_asked_about() -> None:
    vectors = [call.args["p"] for call in DOMAIN if call.function == "residual_distribution"]
    assert sum(len(p) >= 8 and any(mass * 2**20 % 1 for mass in p) for p in vectors) >= 5


def test_build_makes_fresh_arrays_and_a_scripted_source() -> None:
    args = {"p": [0.5, 0.5], "q": [1.0, 0.0], "m": 2.0, "rng": [0.1, 0.2]}
    one, other = calls.build("rejection_sample", args), calls.build("rejection_sample", args)
    assert one["p"].dtype == np.float64
    assert not np.shares_memory(one["p"], other["p"])
    assert [one["rng"].random(), one["rng"].random(), one["rng"].drawn, other["rng"].drawn] == [0.1, 0.2, 2, 0]
    assert one["m"] == 2.0


def test_unknown_function_is_told_with_the_known_ones() -> None:
    with pytest.raises(ValueError, match="no function 'sample' to call; there are sample_categorical, "):
        calls.build("sample", {})


def test_contract_errors_are_those_of_the_target_in_use() -> None:
    assert calls.contract_errors() == (ValueError, RuntimeError, rejection.ZeroResidualError)
