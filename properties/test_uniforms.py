"""The portable generator of uniforms, against its author's published output."""

from typing import Any

import numpy as np
import pytest

from acidtest.properties.critical import binomial_limits
from tinyllm.prob import uniforms

PUBLISHED = (0xA15C02B7, 0x7B47F409, 0xBA1D3330, 0x83D2F293, 0xBFA4784B, 0xCBED606E)
"""The first 32-bit outputs for seed 42 and stream 54, as the PCG library's demonstration program prints them."""

SEEDED = {
    (0, 0): (0xE4C14788, 0x379C6516, 0x5C4AB3BB, 0x601D23E0),
    (42, 2**32): (0x4C1EEF1A, 0xAECD2ABB, 0x0C0FA484, 0x56E73E52),
    (42, 2**62): (0x21B756EE, 0xF750C11E, 0x9548A9BD, 0x428D35DF),
    (2**32, 54): (0xF49F500E, 0xD28A1676, 0x2F799E9F, 0xC16CEBF6),
    (2**63, 54): (0x8B93C7C2, 0x6A27B98D, 0xCB1E753D, 0x1116F876),
    (0xDEADBEEFCAFEBABE, 0x123456789ABCDEF): (0x1A70EF54, 0x59A840FE, 0xB799C69E, 0xC645D5C4),
    (2**64 - 1, 2**63 - 1): (0x2675C047, 0x7779A837, 0xA145AA13, 0x5F6BE726),
}
"""First outputs by seed and stream, where every bit of both has to count; computed by a second implementation of the
published algorithm, which reproduces the published outputs."""

FOLDED = 13580080955637081823
"""The first 1000 outputs for seed 42, stream 54, folded by h = 31 h + output modulo 2**64; computed in the same way."""


@pytest.mark.unit
@pytest.mark.extended
def test_pcg32_gives_the_published_output() -> None:
    """Seed 42, stream 54: each uniform is the high 27 bits of one published output, then the high 26 of the next.

    Matters: the stream is the contract between engines in different languages.
    """
    rng = uniforms.PCG32(42, 54)
    for high, low in zip(PUBLISHED[::2], PUBLISHED[1::2], strict=True):
        u = rng.random()
        assert type(u) is float
        assert u == ((high >> 5) * 2**26 + (low >> 6)) / 2**53


@pytest.mark.boundary
@pytest.mark.extended
def test_pcg32_uniforms_are_multiples_below_one() -> None:
    """Each of 500 uniforms is k * 2**-53 with k an integer in [0, 2**53), and about half of them are below 1/2.

    The count below 1/2 is binomial, and its exact quantiles are the limits: a fair stream fails for one seed in a
    million; the seed is fixed.

    Matters: the discrete law is stated for exactly these values.
    """
    rng = uniforms.PCG32(2023, 211)
    drawn = [rng.random() for _ in range(500)]
    assert all(0.0 <= u < 1.0 and (u * 2**53).is_integer() for u in drawn)
    assert len(set(drawn)) == 500
    false_alarms = 1e-6
    low, high = binomial_limits(false_alarms, 500, 0.5)
    assert low <= sum(u < 0.5 for u in drawn) <= high


@pytest.mark.unit
@pytest.mark.extended
def test_pcg32_is_determined_by_seed_and_stream() -> None:
    """The same seed and stream repeat, another seed or another stream does not, and generators do not disturb others.

    Matters: each request has its own stream, and a replay must reproduce it beside all the others.
    """

    def first(seed: int, stream: int) -> list[float]:
        rng = uniforms.PCG32(seed, stream)
        uniforms.PCG32(seed + 1, stream).random()
        return [rng.random() for _ in range(4)]

    assert first(42, 54) == first(42, 54)
    assert first(42, 54) != first(43, 54)
    assert first(42, 54) != first(42, 55)
    assert first(0, 0) != first(0, 1)


@pytest.mark.boundary
@pytest.mark.extended
def test_pcg32_takes_seed_and_stream_modulo_their_size() -> None:
    """A seed counts modulo 2**64 and a stream modulo 2**63, negative ones included.

    Matters: other languages hold them in 64 bits, and wrap where Python would grow.
    """
    expected = uniforms.PCG32(42, 54).random()
    for seed, stream in ((42 + 2**64, 54), (42, 54 + 2**63), (42 - 2**64, 54 - 2**63)):
        assert uniforms.PCG32(seed, stream).random() == expected


@pytest.mark.unit
@pytest.mark.extended
def test_pcg32_uses_every_bit_of_seed_and_stream() -> None:
    """For zeros, for high bits alone and for all bits set the outputs are those of the published algorithm.

    Matters: seeds are often hashes of 64 bits, and streams request ids; a mask of 32 bits makes them collide.
    """
    for (seed, stream), outputs in SEEDED.items():
        for shift in (0, 1, -1):
            rng = uniforms.PCG32(seed=seed + shift * 2**64, stream=stream - shift * 2**63)
            assert [rng.next_uint32() for _ in outputs] == list(outputs)
        rng = uniforms.PCG32(seed, stream)
        for high, low in zip(outputs[::2], outputs[1::2], strict=True):
            assert rng.random() == ((high >> 5) * 2**26 + (low >> 6)) / 2**53


@pytest.mark.unit
@pytest.mark.extended
def test_pcg32_rotates_by_every_amount() -> None:
    """A thousand outputs, among them all 32 rotations, fold to the same number as those of the published algorithm.

    Matters: a rotation by 0 is a shift by 32 in other languages, and goes wrong in one output of 32.
    """
    rng = uniforms.PCG32(42, 54)
    folded = 0
    for _ in range(1000):
        output = rng.next_uint32()
        assert type(output) is int
        folded = (31 * folded + output) % 2**64
    assert folded == FOLDED


@pytest.mark.unit
@pytest.mark.extended
def test_pcg32_takes_integers_of_any_type() -> None:
    """numpy's integers, and any object with ``__index__``, are seeds and streams like the int they stand for.

    Matters: a seed read from an array is an ``np.int64``, and its arithmetic overflows where Python's grows.
    """

    class Id:
        def __index__(self) -> int:
            return 54

    seed: Any
    stream: Any
    for seed in (np.int64(42), np.uint8(42), np.uint64(42)):
        for stream in (np.int64(54), np.uint8(54), Id()):
            rng = uniforms.PCG32(seed, stream)
            outputs = [rng.next_uint32() for _ in PUBLISHED]
            assert tuple(outputs) == PUBLISHED
            assert {type(output) for output in outputs} == {int}
