"""As one would write it in C: indices, while, flags."""

import math
import operator

import numpy as np

from tinyllm.prob.categorical import as_distribution


class ZeroResidualError(ArithmeticError):
    pass


def check(p, q):
    p = as_distribution("p", p)
    q = as_distribution("q", q)
    n = p.shape[0]
    if q.shape[0] != n:
        raise ValueError("n")
    return p, q, n


def rejection_accept(p_x, q_x, u):
    p_x = float(p_x)
    q_x = float(q_x)
    u = float(u)
    ok = 1
    if not (p_x >= 0.0):
        ok = 0
    if not (q_x > 0.0):
        ok = 0
    if p_x == math.inf or q_x == math.inf:
        ok = 0
    if not (u >= 0.0 and u < 1.0):
        ok = 0
    if ok == 0:
        raise ValueError("argument")
    return u < p_x / q_x


def acceptance_probability(p, q):
    p, q, n = check(p, q)
    alpha = 0.0
    i = 0
    while i < n:
        a = float(p[i])
        b = float(q[i])
        alpha += a if a < b else b
        i += 1
    return alpha


def residual_distribution(p, q):
    p, q, n = check(p, q)
    out = np.empty(n, dtype=np.float64)
    z = 0.0
    i = 0
    while i < n:
        d = float(p[i]) - float(q[i])
        if d > 0.0:
            out[i] = d
        else:
            out[i] = 0.0
        z += float(out[i])
        i += 1
    i = 0
    while i < n:
        if z == 0.0:
            out[i] = p[i]
        else:
            out[i] = float(out[i]) / z
        i += 1
    return out


def draw(masses, n, u):
    u = float(u)
    if not (u >= 0.0 and u < 1.0):
        raise ValueError("u")
    c = 0.0
    found = -1
    last = -1
    i = 0
    while i < n and found < 0:
        c += float(masses[i])
        if c > u:
            found = i
        if masses[i] > 0.0:
            last = i
        i += 1
    if found < 0:
        found = last
    return found


def speculative_step(p, q, x, u_accept, u_resample):
    p, q, n = check(p, q)
    if not hasattr(type(x), "__index__"):
        raise ValueError("x")
    x = operator.index(x)
    if x < 0:
        raise ValueError("x")
    if x >= n:
        raise ValueError("x")
    if rejection_accept(p[x], q[x], u_accept):
        return x, True
    z = 0.0
    i = 0
    while i < n:
        if p[i] > q[i]:
            z += float(p[i]) - float(q[i])
        i += 1
    if z == 0.0:
        raise ZeroResidualError("z")
    return draw(residual_distribution(p, q), n, u_resample), False


def rejection_sample(p, q, m, rng, max_tries=10000):
    p, q, n = check(p, q)
    m = float(m)
    if not (m >= 1.0) or m == math.inf:
        raise ValueError("m")
    if max_tries < 1:
        raise ValueError("max_tries")
    i = 0
    while i < n:
        a = float(p[i])
        b = float(q[i])
        if a > 0.0 and b == 0.0:
            raise ValueError("m")
        if a > 0.0 and a / b > m:
            raise ValueError("m")
        i += 1
    tries = 1
    while tries <= max_tries:
        u = rng.random()
        v = rng.random()
        x = draw(q, n, u)
        if v < float(p[x]) / (m * float(q[x])):
            return x, tries
        tries += 1
    raise RuntimeError("max_tries")
