"""Your file: five functions that turn draws from one distribution into draws from another, exactly.

The setting: a cheap proposal ``q`` guesses an id, and the target ``p`` decides whether the guess stays. Done right,
what comes out follows ``p`` to the last bit of probability, however bad ``q`` is. Done almost right, it follows
something else, and nothing crashes.

Write the functions in the order they stand here; each later one uses an earlier one. The words used throughout:

- target ``p``, proposal ``q``: float64 vectors of one length that sum to 1.
- draft ``x``: an id drawn from ``q``.
- ratio: ``p[x] / q[x]``. Below 1 the proposal offers ``x`` too often, above 1 too rarely.
- residual: what is missing from ``p`` once the kept drafts are counted, normalized.
- envelope ``m``: a number that no ratio exceeds.

Three habits save you most of the trouble. Add up left to right in a loop over ascending ids: ``sum`` and ``np.sum``
round differently, and a port of your code must reach the same decisions. Never write to an argument, and never hand
one back as a result. Refuse bad input with a ``ValueError`` that names the value.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tinyllm.prob.categorical import as_distribution, sample_categorical  # noqa: F401 - yours to call: check, draw
from tinyllm.prob.uniforms import UniformSource


class ZeroResidualError(ArithmeticError):
    """A draft was rejected although float64 leaves no residual mass. Raise it; do not invent a token instead."""


def rejection_accept(p_x: float, q_x: float, u: float) -> bool:
    """Decide whether to keep a draft of target mass ``p_x`` and proposal mass ``q_x``, given a uniform ``u``.

    Keep it with probability min(1, p_x / q_x): that is ``u`` strictly below the ratio. Think of ``u = 0`` and a draft
    with ``p_x = 0`` before you write ``<=``, and of rounding before you multiply the division away. A ratio above 1
    needs no special case.

    >>> rejection_accept(0.25, 0.5, 0.25), rejection_accept(0.25, 0.5, 0.75), rejection_accept(0.25, 0.5, 0.5)
    (True, False, False)

    Args:
        p_x: finite, >= 0.
        q_x: finite, > 0: a draft without proposal mass cannot have been drawn.
        u: in [0, 1).

    Returns:
        A plain ``bool``.

    Raises:
        ValueError: an argument is out of its range, NaN or infinite.
    """
    raise NotImplementedError


def acceptance_probability(p: ArrayLike, q: ArrayLike) -> float:
    """Return the share of drafts that are kept, over everything ``q`` can propose.

    A draft ``i`` is proposed with mass ``q_i`` and kept with probability min(1, p_i / q_i). Multiply the two, simplify,
    and add up over the ids, left to right. Do not clamp the result.

    >>> acceptance_probability([0.5, 0.25, 0.25, 0.0], [0.25, 0.5, 0.0, 0.25])
    0.5

    Args:
        p: float64[n], the target.
        q: float64[n], the proposal.

    Raises:
        ValueError: not distributions, or of different lengths.
    """
    raise NotImplementedError


def residual_distribution(p: ArrayLike, q: ArrayLike) -> NDArray[np.float64]:
    """Return the distribution that a rejected draft is replaced from.

    Keeping drafts already supplies min(p_i, q_i) of each id. What is missing is never negative; divide it by its own
    left-to-right sum Z. Where Z is 0 nothing is missing: return a copy of ``p``, as a new array. Decide that by Z and
    not by comparing ``p`` with ``q``; in float64 the two questions can have different answers.

    >>> residual_distribution([0.5, 0.25, 0.25, 0.0], [0.25, 0.5, 0.0, 0.25]).tolist()
    [0.5, 0.0, 0.5, 0.0]
    >>> residual_distribution([0.25, 0.75], [0.25, 0.75]).tolist()
    [0.25, 0.75]

    Args:
        p: float64[n], the target.
        q: float64[n], the proposal.

    Returns:
        float64[n] that shares no memory with an argument.

    Raises:
        ValueError: not distributions, or of different lengths.
    """
    raise NotImplementedError


def speculative_step(p: ArrayLike, q: ArrayLike, x: int, u_accept: float, u_resample: float) -> tuple[int, bool]:
    """Keep the draft ``x``, or draw its replacement from the residual.

    One uniform decides, a second one draws. The second is looked at only after a rejection: a kept draft with NaN for
    ``u_resample`` is fine. Python reads ``p[-1]`` without complaint, so check ``x`` yourself.

    >>> p, q = [0.5, 0.25, 0.25, 0.0], [0.25, 0.5, 0.0, 0.25]
    >>> speculative_step(p, q, 1, 0.25, 0.75)
    (1, True)
    >>> speculative_step(p, q, 1, 0.75, 0.75)
    (2, False)

    Args:
        p: float64[n], the target.
        q: float64[n], the proposal.
        x: the draft, in [0, n), with ``q[x] > 0``; anything ``operator.index`` accepts.
        u_accept: in [0, 1).
        u_resample: in [0, 1), independent of ``u_accept``.

    Returns:
        The id as a plain ``int``, and whether it is the draft as a plain ``bool``.

    Raises:
        ValueError: not distributions, different lengths, a draft that ``q`` cannot propose, a uniform out of range.
        ZeroResidualError: the draft is rejected and the residual has no mass.
    """
    raise NotImplementedError


def rejection_sample(
    p: ArrayLike, q: ArrayLike, m: float, rng: UniformSource, max_tries: int = 10000
) -> tuple[int, int]:
    """Draw an id that follows ``p`` by proposing from ``q`` until a proposal is kept.

    Every try draws two uniforms from ``rng``: the first proposes ``x`` from ``q``, the second keeps it where it is
    strictly below ``p_x / (m * q_x)``. A rejected try leaves nothing behind; the next one proposes anew. Before the
    first try, make sure that ``m`` covers every id: too small an envelope does not fail, it biases.

    >>> class Script:
    ...     def __init__(self, *uniforms):
    ...         self.random = iter(uniforms).__next__
    >>> rejection_sample([0.25, 0.75], [0.5, 0.5], 1.5, Script(0.1, 0.9, 0.9, 0.1))
    (1, 2)

    Args:
        p: float64[n], the target.
        q: float64[n], the proposal.
        m: the envelope, finite, >= 1, and ``p_i / q_i <= m`` wherever ``p_i > 0``.
        rng: where uniforms come from.
        max_tries: >= 1.

    Returns:
        The id, and the number of tries counted from 1; both plain ``int``.

    Raises:
        ValueError: not distributions, different lengths, ``m`` or ``max_tries`` out of range, ``m`` too small.
        RuntimeError: ``max_tries`` proposals were all rejected.
    """
    raise NotImplementedError
