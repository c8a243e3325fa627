"""The generator is O'Neill's, bit for bit, and hands out float64 uniforms that every language can repeat."""

import random
from fractions import Fraction

import numpy as np
import pytest

from tinyllm.prob.uniforms import PCG32, UniformSource

PUBLISHED = (0xA15C02B7, 0x7B47F409, 0xBA1D3330, 0x83D2F293, 0xBFA4784B, 0xCBED606E)


def test_pcg32_gives_the_published_output() -> None:
    source = PCG32(42, 54)
    assert tuple(source.next_uint32() for _ in PUBLISHED) == PUBLISHED


def test_a_uniform_joins_27_and_26_high_bits_of_two_outputs() -> None:
    source = PCG32(42, 54)
    for first, second in zip(PUBLISHED[::2], PUBLISHED[1::2], strict=True):
        bits = f"{first:032b}"[:27] + f"{second:032b}"[:26]
        assert Fraction(source.random()) == Fraction(int(bits, 2), 2**53)


def test_uniforms_are_multiples_of_two_to_the_minus_53_below_one() -> None:
    source = PCG32(7, 1)
    scaled = [source.random() * 2**53 for _ in range(5000)]
    assert all(0 <= value < 2**53 and value == int(value) for value in scaled)
    assert any(int(value) % 2 for value in scaled), "the lowest bit is never set"


def test_all_output_bits_set_stay_below_one(monkeypatch: pytest.MonkeyPatch) -> None:
    source = PCG32(0, 0)
    monkeypatch.setattr(source, "next_uint32", lambda: 2**32 - 1)
    assert source.random() == 1.0 - 2**-53
    monkeypatch.setattr(source, "next_uint32", lambda: 0)
    assert source.random() == 0.0


@pytest.mark.parametrize(("seed", "stream"), [(42 + 2**64, 54), (42 - 2**64, 54), (42, 54 + 2**63), (42, 54 - 2**63)])
def test_seed_and_stream_count_modulo_their_widths(seed: int, stream: int) -> None:
    source = PCG32(seed, stream)
    assert tuple(source.next_uint32() for _ in PUBLISHED) == PUBLISHED


@pytest.mark.parametrize(("seed", "stream"), [(43, 54), (42, 55)])
def test_another_seed_or_stream_is_another_sequence(seed: int, stream: int) -> None:
    source = PCG32(seed, stream)
    assert all(source.next_uint32() != output for output in PUBLISHED)


@pytest.mark.parametrize("source", [random.Random(1), np.random.default_rng(1), PCG32(1, 1)])
def test_common_generators_are_uniform_sources(source: UniformSource) -> None:
    value = source.random()
    assert type(value) is float
    assert 0.0 <= value < 1.0
