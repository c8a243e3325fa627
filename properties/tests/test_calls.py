"""What the lab asks of the target: every function and every rule of the contract, from plain data."""

from collections import Counter

import numpy as np
import pytest

from acidtest.properties import calls
from acidtest.properties.call import Call, ids_of
from tinyllm.prob import rejection
from tinyllm.prob.uniforms import PCG32

DOMAIN = tuple(calls.domain())
BATTERY = tuple(calls.battery())


def outcome(call: Call) -> str:
    try:
        calls.subject(call.function)(**calls.build(call.function, call.args))
    except calls.contract_errors() as error:
        return type(error).__name__
    return "value"


@pytest.mark.parametrize("asked", [DOMAIN, BATTERY], ids=["domain", "battery"])
def test_every_function_is_asked_for_values_and_for_each_error_of_its_contract(asked: tuple[Call, ...]) -> None:
    few = [call for call in asked if ids_of(call.args) <= 2]
    seen = {(call.function, outcome(call)) for call in few}
    functions = {call.function for call in asked}
    generators = {("PCG32.random", "value"), ("PCG32.next_uint32", "value")} if asked is DOMAIN else set()
    expected = {(name, kind) for name in functions for kind in ("value", "ValueError") if "." not in name}
    assert functions == (set(calls.FUNCTIONS) if asked is DOMAIN else functions)
    errors = {("speculative_step", "ZeroResidualError"), ("rejection_sample", "RuntimeError")}
    assert seen == expected | errors | generators


def test_scripts_are_long_enough_for_the_reference() -> None:
    for call in DOMAIN:
        if call.function == "rejection_sample":
            outcome(call)  # an exhausted script is an AssertionError, which is no error of the contract


def test_battery_has_no_call_twice_and_is_small() -> None:
    texts = Counter((call.function, call.text) for call in BATTERY)
    assert [text for text, count in texts.items() if count > 1] == []
    assert len(BATTERY) < 2000


def test_build_makes_fresh_arrays_and_a_scripted_source() -> None:
    args = {"p": [0.5, 0.5], "q": [1.0, 0.0], "m": 2.0, "rng": [0.1, 0.2]}
    one, other = calls.build("rejection_sample", args), calls.build("rejection_sample", args)
    assert one["p"].dtype == np.float64
    assert not np.shares_memory(one["p"], other["p"])
    assert [one["rng"].random(), one["rng"].random(), one["rng"].drawn, other["rng"].drawn] == [0.1, 0.2, 2, 0]
    assert one["m"] == 2.0


@pytest.mark.parametrize(
    ("plain", "expected"),
    [
        ({"list": [1, 0]}, [1, 0]),
        ({"tuple": [0.5, 0.5]}, (0.5, 0.5)),
        ({"float32": [0.5]}, np.array([0.5], dtype=np.float32)),
        ({"float64": 0.25}, np.float64(0.25)),
    ],
)
def test_other_types_are_spelled_out(plain: dict[str, object], expected: object) -> None:
    live = calls.build("sample_categorical", {"p": plain})["p"]
    assert type(live) is type(expected)
    assert np.array_equal(live, expected)  # type: ignore[arg-type]
    assert getattr(live, "dtype", None) == getattr(expected, "dtype", None)


def test_generators_are_asked_for_their_first_outputs() -> None:
    expected = PCG32(42, 54)
    outputs = [expected.next_uint32() for _ in range(6)]
    assert calls.subject("PCG32.next_uint32")(seed=42, stream=54, count=6) == outputs
    assert outputs[0] == 0xA15C02B7


def test_unknown_function_is_told_with_the_known_ones() -> None:
    with pytest.raises(ValueError, match="no function 'sample' to call; there are as_distribution, "):
        calls.build("sample", {})


def test_contract_errors_are_those_of_the_target_in_use() -> None:
    assert calls.contract_errors() == (ValueError, RuntimeError, rejection.ZeroResidualError)


def test_contract_errors_of_a_file_without_its_own_class_are_the_other_two(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(rejection, "ZeroResidualError")
    assert calls.contract_errors() == (ValueError, RuntimeError)
