"""Where uniforms come from: the one method a sampler may ask for, and a generator that every language can port."""

import operator
from typing import Protocol

_MASK_32 = 0xFFFFFFFF
_MASK_64 = 0xFFFFFFFFFFFFFFFF
_MULTIPLIER = 6364136223846793005


class UniformSource(Protocol):
    """Anything with ``random()``; ``random.Random`` and ``numpy.random.Generator`` fit as they are."""

    def random(self) -> float:
        """Return one float64 uniform on [0, 1)."""
        ...


class PCG32:
    """O'Neill's PCG-XSH-RR 64/32: 64 bits of state, 32 bits an output.

    Args:
        seed: initial state, any integer, taken modulo 2**64.
        stream: which of the 2**63 sequences, taken modulo 2**63.

    Source: O'Neill 2014, HMC-CS-2014-0905, and ``pcg32_srandom_r`` of her C library.
    """

    def __init__(self, seed: int, stream: int) -> None:
        seed, stream = operator.index(seed), operator.index(stream)
        self._increment = ((stream << 1) | 1) & _MASK_64
        self._state = 0
        self._advance()
        self._state = (self._state + seed) & _MASK_64
        self._advance()

    def _advance(self) -> None:
        self._state = (self._state * _MULTIPLIER + self._increment) & _MASK_64

    def next_uint32(self) -> int:
        """Return the next output, an integer in [0, 2**32)."""
        state = self._state
        self._advance()
        xorshifted = (((state >> 18) ^ state) >> 27) & _MASK_32
        rotation = state >> 59
        return ((xorshifted >> rotation) | (xorshifted << (-rotation & 31))) & _MASK_32

    def random(self) -> float:
        """Return a multiple of 2**-53 in [0, 1), from two outputs: the high 27 bits, then the high 26."""
        high = self.next_uint32() >> 5
        low = self.next_uint32() >> 6
        return (high * 2**26 + low) / 2**53
