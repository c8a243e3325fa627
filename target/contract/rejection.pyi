"""Contract: keep a draft or replace it, so that the output follows the target whatever proposed the draft.

For every function here:

- Numbers are IEEE float64, and every sum runs left to right: ascending ids, one rounding an addition. The built-in
  ``sum`` (compensated since Python 3.12), ``math.fsum`` and ``numpy.sum`` (pairwise) round differently.
- ``p`` is the target and ``q`` the proposal, both distributions in the sense of ``categorical.pyi``. Anything else,
  and two different lengths, is a ``ValueError``.
- Arguments are read, never written to, and no result shares memory with one.
- Results are plain: ``bool``, ``int`` and ``float`` of Python, or an array of float64. Nothing warns.
- Only the class of an error is binding, not its message. A call that breaks two rules may raise either error.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tinyllm.prob.uniforms import UniformSource

class ZeroResidualError(ArithmeticError):
    """A draft was rejected, and float64 leaves no residual mass to draw its replacement from."""

def rejection_accept(p_x: float, q_x: float, u: float) -> bool:
    """``u < p_x / q_x``: strict, and a division. ``u * q_x < p_x`` rounds differently where u is the ratio itself.

    ValueError: ``q_x <= 0``; ``p_x < 0``; ``u`` outside [0, 1); any of the three NaN or infinite.
    """

def acceptance_probability(p: ArrayLike, q: ArrayLike) -> float:
    """The left-to-right sum of ``min(p_i, q_i)``, as it comes out: above 1 by a rounding it stays above 1.

    ValueError: not distributions; different lengths.
    """

def residual_distribution(p: ArrayLike, q: ArrayLike) -> NDArray[np.float64]:
    """``max(0, p_i - q_i) / Z`` for every id, ``Z`` being the left-to-right sum of the numerators.

    Where ``Z == 0.0`` there is nothing to normalize and the answer is a fresh copy of ``p``. That is the case for
    ``p == q``, and also where ``q`` exceeds ``p`` by less than its sum can show: [1, 1e-17] and [1, 2e-17].

    ValueError: not distributions; different lengths.
    """

def speculative_step(p: ArrayLike, q: ArrayLike, x: int, u_accept: float, u_resample: float) -> tuple[int, bool]:
    """``(x, True)`` where ``rejection_accept(p[x], q[x], u_accept)``; else an id from the residual, and False.

    The replacement is ``sample_categorical(residual, u_resample)``. A kept draft leaves ``u_resample`` unread: NaN in
    it is no error then. ``x`` is whatever ``operator.index`` takes, and comes back as a plain ``int``.

    ValueError: not distributions; different lengths; ``x`` no integer or outside [0, n), so -1 too; ``q[x] == 0``;
    ``u_accept`` outside [0, 1); ``u_resample`` outside [0, 1) once the draft is rejected.
    ZeroResidualError: the draft is rejected and ``Z == 0.0``. There is no silent fallback and no floor under ``Z``.
    """

def rejection_sample(
    p: ArrayLike, q: ArrayLike, m: float, rng: UniformSource, max_tries: int = 10000
) -> tuple[int, int]:
    """An id that follows ``p``, and how many tries it took, the first being 1.

    A try draws two uniforms, no more and no fewer. The first proposes ``x = sample_categorical(q, first)``, the second
    keeps it where ``second < p_x / (m * q_x)``.

    ValueError: not distributions; different lengths; ``m`` NaN, infinite or below 1; ``max_tries`` below 1; an
    envelope that is too small, which is some ``p_i > 0`` with ``q_i == 0`` or with ``p_i / q_i > m``. The envelope is
    compared as a ratio: ``p_i > m * q_i`` would refuse the exact envelope ``max(p_i / q_i)`` where the product rounds.
    RuntimeError: ``max_tries`` tries, and none kept.
    """
