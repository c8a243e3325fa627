"""The portable generator of uniforms, against its author's published output."""

import pytest

from acidtest.properties.critical import binomial_limits
from tinyllm.prob import uniforms

PUBLISHED = (0xA15C02B7, 0x7B47F409, 0xBA1D3330, 0x83D2F293, 0xBFA4784B, 0xCBED606E)
"""The first 32-bit outputs for seed 42 and stream 54, as the PCG library's demonstration program prints them."""


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
