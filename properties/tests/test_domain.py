"""D is bounded, always the same, in ascending size, and holds what its description says."""

import itertools
import json
import math
import subprocess
import sys
from collections import Counter

import pytest

from acidtest.properties import calls
from acidtest.properties.call import BELOW_ONE, Call, around, envelope, ids_of, residual, running_sums
from acidtest.properties.vectors import SAMPLED, all_eighths, on_grid

DOMAIN = tuple(calls.domain())
TEXTS = {(call.function, call.text) for call in DOMAIN}


def asked(function: str, **args: object) -> bool:
    return (function, json.dumps(args)) in TEXTS


def test_domain_is_the_same_in_another_process() -> None:
    code = "from acidtest.properties import calls; print(calls.domain_hash())"
    there = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert there.stdout.strip() == calls.domain_hash()


def test_domain_is_in_ascending_size_and_has_no_call_twice() -> None:
    sizes = [call.size for call in DOMAIN]
    assert all(one < other for one, other in itertools.pairwise(sizes))


def test_domain_is_bounded() -> None:
    assert 40_000 < len(DOMAIN) < 50_000
    assert max(ids_of(call.args) for call in DOMAIN) == 1200
    assert sum(ids_of(call.args) > 24 for call in DOMAIN) < 100


def test_all_pairs_of_eighths_with_up_to_three_ids_are_there() -> None:
    pairs = all_eighths()
    assert len(set(pairs)) == 1 + 81 + 2025
    for p, q in pairs:
        assert asked("residual_distribution", p=list(p), q=list(q))
        assert asked("acceptance_probability", p=list(p), q=list(q))


@pytest.mark.parametrize("ids", [1, 2, 3, 4])
def test_grid_is_every_way_to_share_eight_eighths(ids: int) -> None:
    vectors = on_grid(ids, 8)
    assert len(set(vectors)) == len(vectors) == math.comb(7 + ids, ids - 1)
    assert all(sum(vector) == 1.0 and len(vector) == ids for vector in vectors)


def test_sample_of_longer_eighths_is_as_large_as_stated_and_touches_every_id() -> None:
    pairs = {(tuple(c.args["p"]), tuple(c.args["q"])) for c in DOMAIN if c.function == "residual_distribution"
             and isinstance(c.args["p"], list) and ids_of(c.args) in SAMPLED
             and all(mass * 8 % 1 == 0 for mass in (*c.args["p"], *c.args["q"]))}  # fmt: skip
    counts = Counter(len(p) for p, _ in pairs)
    assert all(counts[ids] >= count for ids, count in SAMPLED.items())
    for ids in SAMPLED:
        for place in range(ids):
            assert {bool(p[place]) for p, _ in pairs if len(p) == ids} == {True, False}


def test_uniforms_lie_on_every_breakpoint_of_a_step_with_both_neighbours() -> None:
    for p, q in all_eighths()[::37]:
        for x, mass in enumerate(q):
            if mass == 0.0:
                continue
            step = {"p": list(p), "q": list(q), "x": x}
            for u in around(p[x] / mass):
                assert asked("speculative_step", **step, u_accept=u, u_resample=0.5)
            if p[x] < mass:
                inner = [u for running in running_sums(residual(p, q)) for u in around(running) if 0 < running < 1]
                for u in inner:
                    assert asked("speculative_step", **step, u_accept=BELOW_ONE, u_resample=u)


def test_uniforms_lie_on_every_running_sum_with_both_neighbours() -> None:
    for p in on_grid(3, 8):
        for running in running_sums(p):
            for u in around(running):
                assert asked("sample_categorical", p=list(p), u=u)


def test_scripts_use_exact_envelopes() -> None:
    runs = [call for call in DOMAIN if call.function == "rejection_sample" and isinstance(call.args["p"], list)]
    exact = sum(
        len(call.args["p"]) == len(call.args["q"]) and envelope(call.args["p"], call.args["q"]) == call.args["m"]
        for call in runs
        if call.args["p"] and all(isinstance(mass, float) for mass in (*call.args["p"], *call.args["q"]))
    )
    assert exact > 1000


def test_near_equal_and_long_non_dyadic_vectors_are_there() -> None:
    assert asked("residual_distribution", p=[0.5000001, 0.4999999], q=[0.5, 0.5])
    long = [c for c in DOMAIN if c.function == "residual_distribution" and ids_of(c.args) >= 8]
    assert sum(any(mass * 2**20 % 1 for mass in call.args["p"]) for call in long) >= 10


def test_both_hand_examples_are_asked_about() -> None:
    for p, q in (calls.HAND, calls.SECOND_HAND):
        assert asked("residual_distribution", p=list(p), q=list(q))


def test_size_counts_ids_first_and_then_what_the_numbers_take_to_write() -> None:
    one = Call("residual_distribution", {"p": [1.0], "q": [1.0]})
    short = Call("residual_distribution", {"p": [0.5, 0.5], "q": [0.5, 0.5]})
    eighths = Call("residual_distribution", {"p": [0.125, 0.875], "q": [0.5, 0.5]})
    tiny = Call("residual_distribution", {"p": [1.0, 1e-17], "q": [1.0, 0.0]})
    assert one.size < short.size < eighths.size < tiny.size
