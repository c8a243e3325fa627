"""Von Neumann's sampler at its edges: ties of the proposal, draws that look superfluous, envelopes of any size."""

import math
from typing import Any

import numpy as np
import pytest

from acidtest.properties.cases import LAST_UNIFORM, TINY, refuses, weighted_pairs
from acidtest.properties.laws import cdf_edges, inverse_cdf
from acidtest.properties.sources import ScriptedSource
from tinyllm.prob import rejection


@pytest.mark.boundary
@pytest.mark.extended
def test_rejection_sample_proposes_by_the_inverse_cdf() -> None:
    """At every running sum of q, one float below it and at both ends, the proposal is the contract's id.

    The proposals include gaps at both ends and inside, and ten times 0.1, whose sum ends below the largest uniform.

    Matters: at a tie, or past the end, a sampler of its own proposes an id that q lacks, and divides by zero.
    """
    tenths = [0.1] * 10
    pairs = [(q, q) for q in ([0.0, 0.5, 0.0, 0.5, 0.0], [*tenths, 0.0], [0.0, *tenths, 0.0, 0.0])]
    for p, q in (*pairs, *weighted_pairs(12, 9)):
        m = max(a / b for a, b in zip(p, q, strict=True) if b > 0.0)
        for u in cdf_edges(q):
            answer = rejection.rejection_sample(np.array(p), np.array(q), m, ScriptedSource([u, 0.0]), 1)
            assert answer == (inverse_cdf(q, u), 1)


@pytest.mark.boundary
@pytest.mark.extended
def test_rejection_sample_draws_two_uniforms_whatever_the_try() -> None:
    """A proposal that cannot be kept, one that cannot be refused, and p given twice cost two uniforms like all others.

    Matters: leaving out a draw whose outcome is known shifts the shared stream of every later one.
    """
    half = np.array([0.5, 0.5])
    for p, q, m, script, answer in (
        ([0.0, 1.0], half, 2.0, [0.1, 0.0, 0.9, 0.9], (1, 2)),
        ([0.0, 0.0, 1.0], [0.25, 0.25, 0.5], 2.0, [0.1, 0.1, 0.3, 0.0, 0.9, 0.5], (2, 3)),
        ([0.25, 0.75], half, 1.5, [0.9, LAST_UNIFORM], (1, 1)),
        (half, half, 1.0, [0.9, LAST_UNIFORM], (1, 1)),
        (half, half, 2.0, [0.9, 0.5, 0.1, 0.4], (0, 2)),
        ([1.0], [1.0], 1.0, [0.5, 0.5], (0, 1)),
    ):
        rng = ScriptedSource([*script, 0.0, 0.0])
        assert rejection.rejection_sample(p, q, m, rng) == answer
        assert rng.drawn == len(script)


@pytest.mark.boundary
@pytest.mark.extended
def test_rejection_sample_gives_up_after_ten_thousand_tries() -> None:
    """Without max_tries the sampler makes 10000 tries, no more and no fewer, and raises ``RuntimeError``.

    Matters: a smaller default fails under loose envelopes that are right, a larger one hangs under wrong ones.
    """
    rng = ScriptedSource([0.0, 0.5] * 10001)
    with pytest.raises(RuntimeError):
        rejection.rejection_sample([0.0, 1.0], [0.5, 0.5], 2.0, rng)
    assert rng.drawn == 20000


@pytest.mark.boundary
@pytest.mark.extended
def test_rejection_sample_envelope_is_at_least_one() -> None:
    """An m below 1 is refused even where it covers every ratio, which sums a billionth apart allow.

    Matters: m is the mean number of tries, and there is no mean below one try.
    """
    p, q = np.full(2, 0.5 - 2e-10), np.full(2, 0.5 + 2e-10)
    for m in (math.nextafter(1.0, 0.0), 1.0 - 2e-10, 1.0 - 7e-10):
        assert max(p / q) < m
        refuses(rejection.rejection_sample, p, q, m, ScriptedSource([0.1, 0.0]))
    assert rejection.rejection_sample(p, q, 1.0, ScriptedSource([0.1, 0.0])) == (0, 1)


@pytest.mark.boundary
@pytest.mark.extended
def test_rejection_sample_covers_masses_of_any_size() -> None:
    """The envelope is compared for masses down to 5e-324, infinite ratios included, without a warning.

    Matters: a mass that is called negligible here is lost in every sample.
    """
    for tiny in (1e-13, 1e-16, 1e-200, TINY):
        refuses(rejection.rejection_sample, [1.0, tiny], [1.0, 0.0], 2.0, ScriptedSource([0.1, 0.0]))
        refuses(rejection.rejection_sample, [1.0, 3 * tiny], [1.0, tiny], 2.0, ScriptedSource([0.1, 0.0]))
        refuses(rejection.rejection_sample, [0.5, 0.5], [1.0, tiny], 2.0, ScriptedSource([0.1, 0.0]))
        assert rejection.rejection_sample([1.0, 2 * tiny], [1.0, tiny], 2.0, ScriptedSource([0.1, 0.0])) == (0, 1)
        assert rejection.rejection_sample([1.0, tiny], [1.0, tiny], 1.0, ScriptedSource([0.1, 0.9])) == (0, 1)


@pytest.mark.boundary
@pytest.mark.extended
def test_rejection_sample_has_no_largest_envelope() -> None:
    """An envelope of 1e300, and 2**70 tries, are wasteful and allowed; a threshold that underflows to 0 keeps nothing.

    Matters: the exact envelope of a rare proposal is that large, and refusing it has no reason in the contract.
    """
    for m in (1e7, 1e16, 1e300):
        assert rejection.rejection_sample([0.5, 0.5], [0.5, 0.5], m, ScriptedSource([0.9, 0.0])) == (1, 1)
    with pytest.raises(RuntimeError):
        rejection.rejection_sample([1.0, TINY], [0.5, 0.5], 1e300, ScriptedSource([0.9, 0.0]), 1)
    p, q, m = [0.5, 0.5], [1.0 - 2.0**-40, 2.0**-40], 2.0**39
    assert rejection.rejection_sample(p, q, m, ScriptedSource([LAST_UNIFORM, LAST_UNIFORM]), 2**70) == (1, 1)


@pytest.mark.unit
@pytest.mark.extended
def test_rejection_sample_takes_numbers_of_any_type() -> None:
    """m may be an int or a float32, max_tries a numpy integer; the threshold is a float64 quotient all the same.

    Matters: a float32 m drags p_x / (m * q_x) down to float32, and the port keeps other proposals.
    """
    m: Any = np.float32(1.7)
    one: Any = np.int64(1)
    two: Any = np.int64(2)
    threshold = 0.25 / (float(m) * 0.5)
    assert float(np.float32(threshold)) != threshold
    p, q, below = [0.25, 0.75], [0.5, 0.5], math.nextafter(threshold, 0.0)
    assert rejection.rejection_sample(p, q, m, ScriptedSource([0.1, below]), one) == (0, 1)
    assert rejection.rejection_sample(p, q, m, ScriptedSource([0.1, threshold, 0.9, 0.0]), two) == (1, 2)
    max_tries: Any = np.uint8(3)
    answer = rejection.rejection_sample(p, q, 2, ScriptedSource([0.1, 0.2]), max_tries)
    assert [answer, *map(type, answer)] == [(0, 1), int, int]
