"""Contract: where uniforms come from.

Every number is an IEEE float64. A sampler asks for uniforms through one method and nothing else, so that a test can
script them and a port in another language can repeat them.
"""

from typing import Protocol

class UniformSource(Protocol):
    """Whatever has ``random()``: ``random.Random``, ``numpy.random.Generator``, ``PCG32``, a test's own script."""

    def random(self) -> float:
        """One float64, uniform on [0, 1); 0.0 can occur, 1.0 cannot."""
        ...

class PCG32:
    """PCG-XSH-RR 64/32 as O'Neill published it; ``seed`` counts modulo 2**64 and ``stream`` modulo 2**63.

    With seed 42 and stream 54 the first six outputs are
    a15c02b7, 7b47f409, ba1d3330, 83d2f293, bfa4784b, cbed606e.
    """

    def __init__(self, seed: int, stream: int) -> None: ...
    def next_uint32(self) -> int:
        """The next output: an integer in [0, 2**32)."""

    def random(self) -> float:
        """A multiple of 2**-53 in [0, 1): the high 27 bits of one output, then the high 26 bits of the next."""
