"""With the symbols of the page: α, π, κ, Σ, and words that are not English (größer, später, début)."""

import math
import operator

import numpy as np

from tinyllm.prob.categorical import as_distribution as verteilung
from tinyllm.prob.categorical import sample_categorical as ziehe


class ZeroResidualError(ArithmeticError):
    """Σ max(0, π − κ) = 0."""


def Σ(werte):  # noqa: N802
    σ = 0.0
    for wert in werte:
        σ += wert
    return σ


def paare(p, q):
    π, κ = verteilung("p", p).tolist(), verteilung("q", q).tolist()
    if len(π) != len(κ):
        raise ValueError(f"|π| = {len(π)} ≠ {len(κ)} = |κ|")
    return list(zip(π, κ, strict=True))


def überschuss(πκ):
    return [π - κ if π > κ else 0.0 for π, κ in πκ]


def rejection_accept(p_x, q_x, u):
    π, κ, υ = float(p_x), float(q_x), float(u)
    if not (0.0 <= π < math.inf) or not (0.0 < κ < math.inf) or not (0.0 <= υ < 1.0):
        raise ValueError(f"π = {π}, κ = {κ}, υ = {υ}")
    return υ < π / κ


def acceptance_probability(p, q):
    α = Σ(min(πκ) for πκ in paare(p, q))
    return α


def residual_distribution(p, q):
    πκ = paare(p, q)
    ζ = Σ(überschuss(πκ))
    return np.array([δ / ζ for δ in überschuss(πκ)] if ζ else [π for π, _ in πκ])


def speculative_step(p, q, x, u_accept, u_resample):
    πκ = paare(p, q)
    try:
        ξ = operator.index(x)
    except TypeError as fehler:
        raise ValueError(f"ξ = {x!r} ∉ ℕ") from fehler
    if ξ < 0 or ξ >= len(πκ):
        raise ValueError(f"ξ = {ξ} ∉ [0, {len(πκ)})")
    if rejection_accept(*πκ[ξ], u_accept):
        return ξ, True
    ζ = Σ(überschuss(πκ))
    if not ζ:
        raise ZeroResidualError("ζ = 0")
    return ziehe([δ / ζ for δ in überschuss(πκ)], u_resample), False


def rejection_sample(p, q, m, rng, max_tries=10000):
    πκ, μ = paare(p, q), float(m)
    if not 1.0 <= μ < math.inf or max_tries < 1:
        raise ValueError(f"μ = {μ}")
    if any(π > 0.0 and (κ == 0.0 or π / κ > μ) for π, κ in πκ):
        raise ValueError(f"μ = {μ} ist kleiner als max π/κ")
    for versuch in range(1, max_tries + 1):
        ξ = ziehe([κ for _, κ in πκ], rng.random())
        π, κ = πκ[ξ]
        if rng.random() < π / (μ * κ):
            return ξ, versuch
    raise RuntimeError("début raté")
