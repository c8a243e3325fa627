"""Nothing of the chapter's is imported: the checks and the sampler are its own, one small function each."""

import math
import operator

import numpy as np

TOLERANCE = 1e-9


class ZeroResidualError(ArithmeticError):
    pass


def fail(what):
    raise ValueError(what)


def to_vector(values):
    try:
        if np.iscomplexobj(values):
            fail("complex")
        vector = np.array(values, dtype=float)
    except (TypeError, OverflowError):
        fail("not numbers")
    return vector


def is_mass(value):
    return math.isfinite(value) and value >= 0


def add_up(values):
    total = 0.0
    for value in values:
        total += value
    return total


def distribution(values):
    vector = to_vector(values)
    if vector.ndim != 1 or len(vector) == 0:
        fail("not a vector")
    masses = vector.tolist()
    if not all(map(is_mass, masses)):
        fail("not masses")
    if abs(add_up(masses) - 1.0) > TOLERANCE:
        fail("does not sum to 1")
    return masses


def two_distributions(p, q):
    p, q = distribution(p), distribution(q)
    if len(p) != len(q):
        fail("lengths differ")
    return p, q


def uniform(u):
    u = float(u)
    if not (u >= 0.0 and u < 1.0):
        fail("not a uniform")
    return u


def draw(masses, u):
    u = uniform(u)
    total = 0.0
    answer = None
    for i, mass in enumerate(masses):
        total += mass
        if mass > 0.0:
            answer = i
        if total > u:
            return i
    return answer


def positive_part(value):
    return value if value > 0.0 else 0.0


def excess_of(p, q):
    return [positive_part(a - b) for a, b in zip(p, q, strict=True)]


def divide_all(values, z):
    return [value / z for value in values]


def draft_id(x, n):
    try:
        x = operator.index(x)
    except TypeError:
        fail("not an id")
    if x < 0 or x > n - 1:
        fail("not an id of the vocabulary")
    return x


def rejection_accept(p_x, q_x, u):
    p_x, q_x = float(p_x), float(q_x)
    if not is_mass(p_x) or not is_mass(q_x) or q_x == 0.0:
        fail("not masses")
    return uniform(u) < p_x / q_x


def acceptance_probability(p, q):
    return add_up(map(min, *two_distributions(p, q)))


def residual_distribution(p, q):
    p, q = two_distributions(p, q)
    excess = excess_of(p, q)
    z = add_up(excess)
    return np.array(p if z == 0.0 else divide_all(excess, z))


def speculative_step(p, q, x, u_accept, u_resample):
    p, q = two_distributions(p, q)
    x = draft_id(x, len(p))
    if rejection_accept(p[x], q[x], u_accept):
        return x, True
    excess = excess_of(p, q)
    z = add_up(excess)
    if z == 0.0:
        raise ZeroResidualError("no residual")
    return draw(divide_all(excess, z), u_resample), False


def check_envelope(p, q, m):
    if not (math.isfinite(m) and m >= 1.0):
        fail("not an envelope")
    for a, b in zip(p, q, strict=True):
        if a == 0.0:
            continue
        if b == 0.0 or a / b > m:
            fail("an envelope too small")


def rejection_sample(p, q, m, rng, max_tries=10000):
    p, q = two_distributions(p, q)
    m = float(m)
    check_envelope(p, q, m)
    if max_tries < 1:
        fail("no tries")
    for number in range(max_tries):
        x = draw(q, rng.random())
        if rng.random() < p[x] / (m * q[x]):
            return x, number + 1
    raise RuntimeError("out of tries")
