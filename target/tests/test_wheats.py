"""Each wheat answers every call as the reference does, in all that the contract fixes.

Compared are the value bit for bit, its type, the contract's error class, warnings, the arguments after the call, which
argument the result shares memory with, and how many uniforms were drawn. Messages are open, and are not compared.
"""

import itertools
import math
import random
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from tinyllm.prob import rejection
from tinyllm.prob.uniforms import PCG32

TARGET = Path(__file__).parents[1]
WHEATS = sorted((TARGET / "wheats").glob("*.py"))
BELOW_ONE = 1.0 - 2**-53
TINY = 5e-324
NOT_UNIFORMS = (math.nan, math.inf, -math.inf, 1.0, -TINY)
P, Q = [0.5, 0.25, 0.25, 0.0], [0.25, 0.5, 0.0, 0.25]
VECTORS: dict[str, Callable[[list[float]], Any]] = {
    "list": list,
    "tuple": tuple,
    "array": lambda values: np.array(values, dtype=np.float64),
    "read-only": lambda values: np.frombuffer(np.array(values, dtype=np.float64).tobytes()),
    "every second": lambda values: np.repeat(np.array(values, dtype=np.float64), 2)[::2],
    "backwards": lambda values: np.array(values[::-1], dtype=np.float64)[::-1],
    "big-endian": lambda values: np.array(values, dtype=">f8"),
    "objects": lambda values: np.array(values, dtype=object),
}
Answer = tuple[tuple[Any, ...], list[str], list[str], list[Any]]


class Source:
    """A script of uniforms, or PCG32 for a seed, that counts what is drawn."""

    def __init__(self, uniforms: list[float] | int) -> None:
        source = PCG32(uniforms, 54).random if isinstance(uniforms, int) else iter(uniforms).__next__
        self._next = source
        self.drawn = 0

    def random(self) -> float:
        self.drawn += 1
        return self._next()


@dataclass(frozen=True)
class Call:
    """A function and its arguments; lists ``p`` and ``q`` are built afresh each time, in the named form."""

    function: str
    arguments: dict[str, Any]
    form: str = "array"

    def build(self) -> dict[str, Any]:
        built = dict(self.arguments)
        for name in {"p", "q"} & built.keys():
            if isinstance(built[name], list):
                built[name] = VECTORS[self.form](built[name])
        if "rng" in built:
            built["rng"] = Source(built["rng"])
        return built


def answer(module: ModuleType, call: Call) -> Answer:
    """Make the call, and return all that the contract fixes about what came of it."""
    arguments = call.build()
    outcome: tuple[Any, ...]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            value = getattr(module, call.function)(**arguments)
        except Exception as error:  # any class: one that the contract does not know is a difference to report
            value, outcome = None, ("raises", *_contract_classes(module, error))
        else:
            outcome = ("returns", _image(value))
    shared = [name for name, argument in arguments.items() if _share_memory(value, argument)]
    after = [_image(arguments[name]) for name in sorted(arguments)]
    return outcome, [warning.category.__name__ for warning in caught], shared, after


def _contract_classes(module: ModuleType, error: Exception) -> list[str]:
    """Return the classes by which a caller may catch the error, or its own where the contract knows none."""
    known = (module.ZeroResidualError, ArithmeticError, ValueError, RuntimeError)
    return [kind.__name__ for kind in type(error).__mro__ if kind in known] or [type(error).__name__]


def _image(value: object) -> object:
    if isinstance(value, np.ndarray):
        return type(value), value.dtype.str, value.shape, value.flags.writeable, repr(value.tolist())
    if isinstance(value, Source):
        return value.drawn
    if isinstance(value, tuple):
        return tuple(map(_image, value))
    return type(value), repr(value)


def _share_memory(value: object, argument: object) -> bool:
    arrays = isinstance(value, np.ndarray) and isinstance(argument, np.ndarray)
    return arrays and np.shares_memory(value, argument)


def pairs(rng: random.Random) -> Iterator[tuple[list[float], list[float]]]:
    """Yield pairs of distributions: eighths, wide, near-equal, equal, disjoint and partly zero, 1 to 40 ids."""
    for n in [1, 2, 3, 3, 4, 5, 7, 8, 9, 16, 40]:
        weights = [rng.randint(1, 99) for _ in range(n)]
        wide = [2.0 ** -rng.randint(0, 60) * (rng.random() + 0.5) for _ in range(n)]
        holes = [rng.choice([0.0, rng.random()]) for _ in range(n - 1)] + [0.5]
        rng.shuffle(holes)
        nudged = [weight * (1.0 + rng.randint(-3, 3) * 2.0**-50) for weight in weights]
        cut = [rng.randint(0, 8) for _ in range(n - 1)]
        bounds = [0, *sorted(cut), 8]
        eighths = [float(high - low) for low, high in itertools.pairwise(bounds)]
        shapes = [_normalized(shape) for shape in (weights, wide, holes, nudged, eighths)]
        yield from itertools.product(shapes, repeat=2)
        left = [rng.random() for _ in range(n)]
        yield _normalized([*left, *[0.0] * n]), _normalized([*[0.0] * n, *left])


def _normalized(weights: list[Any]) -> list[float]:
    total = math.fsum(weights)
    return [weight / total for weight in weights]


def calls_on(p: list[float], q: list[float], rng: random.Random) -> Iterator[Call]:
    """Yield calls of all five functions on a pair, with uniforms at and beside every kind of breakpoint."""
    form = rng.choice(list(VECTORS))
    yield Call("acceptance_probability", {"p": p, "q": q}, form)
    yield Call("residual_distribution", {"p": p, "q": q}, form)
    proposed = [x for x, mass in enumerate(q) if mass > 0.0]
    residual_sums = list(itertools.accumulate(rejection.residual_distribution(p, q).tolist()))
    for x in rng.sample(proposed, min(3, len(proposed))):
        ratio = p[x] / q[x]
        for u in {0.0, rng.random(), BELOW_ONE, *_around(ratio)}:
            yield Call("rejection_accept", {"p_x": p[x], "q_x": q[x], "u": u})
            redraw = rng.choice([0.0, BELOW_ONE, rng.random(), *_around(rng.choice(residual_sums))])
            if u < ratio:
                redraw = rng.choice([redraw, *NOT_UNIFORMS])
            yield Call("speculative_step", {"p": p, "q": q, "x": x, "u_accept": u, "u_resample": redraw}, form)
    if all(q_i for p_i, q_i in zip(p, q, strict=True) if p_i):
        exact = max(1.0, *(p_i / q_i for p_i, q_i in zip(p, q, strict=True) if q_i))
        for m in (exact, exact * 1.5, math.nextafter(exact, 0.0)):
            rounds = {"p": p, "q": q, "m": m, "rng": rng.randrange(2**32)}
            yield Call("rejection_sample", rounds | {"max_tries": rng.choice([1, 2, 50])}, form)


def _around(u: float) -> list[float]:
    return [v for v in (math.nextafter(u, -1.0), u, math.nextafter(u, 2.0)) if 0.0 <= v < 1.0]


def edge_calls() -> Iterator[Call]:
    """Yield calls at the edges of the contract; where one is refused, it breaks one rule."""
    for name, good in {"p_x": 0.25, "q_x": 0.5, "u": 0.5}.items():
        for value in (math.nan, math.inf, -math.inf, -0.25, -TINY, 0.0, -0.0, 1.0, 7, 1e308, TINY, np.float64(good)):
            yield Call("rejection_accept", {"p_x": 0.25, "q_x": 0.5, "u": 0.5} | {name: value})
    yield Call("rejection_accept", {"p_x": 1e308, "q_x": TINY, "u": BELOW_ONE})
    half = [0.5, 0.5]
    no_distributions: list[Any] = [
        [], [0.5], [0.5, 0.6], [1.5, -0.5], [math.nan, 1.0], [math.inf, 0.0], [1e308, 1e308], [1.0 + 2e-9, 0.0],
        np.array([half]), np.array(0.5), 0.5, None, ["a", "b"], [None, 1.0], [0.5, 0.5j], [half, [1.0]], [0.2] * 5,
        np.array(half, dtype=complex), np.array([[0.5], [0.5]]), {"a": 0.5}, iter(half), [-math.inf, math.inf],
        [10**400, 0.5],
    ]  # fmt: skip  # one a line would hide how much is covered
    rest: dict[str, dict[str, Any]] = {
        "acceptance_probability": {},
        "residual_distribution": {},
        "speculative_step": {"x": 1, "u_accept": 0.25, "u_resample": 0.5},
        "rejection_sample": {"m": 2.0, "rng": 3},
    }
    for function, more in rest.items():
        for bad in no_distributions:
            yield Call(function, {"p": bad, "q": half} | more, "list")
            yield Call(function, {"p": half, "q": bad} | more, "list")
        for p, q in [
            (half, [0.25, 0.25, 0.5]), ([1.0], half), ([-0.0, 1.0], [1.0, -0.0]), ([0.0, 1.0], [-0.0, 1.0]),
            ([-0.0, 1.0], [0.0, 1.0]), ([-0.0, 1.0], [-0.0, 1.0]), ([-0.0, 0.75, 0.25], [0.0, 0.5, 0.5]),
            ([1.0], [1.0]), ([1.0 + 9e-10], [1.0 - 9e-10]),
            ([1.0, 1e-17], [1.0, 2e-17]), ([1.0, TINY], [1.0, 0.0]), ([1.0, 3 * TINY, 0.0], [1.0, TINY, TINY]),
            (np.array(half, dtype=np.float32), half), ([1, 0], [True, False]), (["0.5", "0.5"], half),
        ]:  # fmt: skip  # pairs read best side by side
            yield Call(function, {"p": p, "q": q} | more, "list")
            yield Call(function, {"p": q, "q": p} | more, "list")
    step = {"p": P, "q": Q, "x": 1, "u_accept": 0.75, "u_resample": 0.75}
    for x in (-1, -4, 4, 2**70, -(2**70), 2, 0, True, False, np.int64(1), np.uint8(3), np.array(1)):
        yield Call("speculative_step", step | {"x": x})
    for no_integer in (1.0, np.float64(1.0), "1", None, math.nan, [1]):
        yield Call("speculative_step", step | {"x": no_integer})
    for u in NOT_UNIFORMS:
        yield Call("speculative_step", step | {"u_accept": u})
        yield Call("speculative_step", step | {"u_resample": u})
        yield Call("speculative_step", step | {"u_accept": 0.25, "u_resample": u})
    tenths = [0.1] * 10
    yield Call(
        "speculative_step",
        {"p": [*tenths, 0.0], "q": [0.0] * 10 + [1.0], "x": 10, "u_accept": 0.0, "u_resample": BELOW_ONE},
    )
    for u in (0.25, 0.5, 0.75):
        tiny = {"p": [1.0, 1e-17], "q": [1.0, 2e-17], "x": 1, "u_accept": u, "u_resample": 0.5}
        yield Call("speculative_step", tiny)
    sample = {"p": [0.25, 0.75], "q": half, "m": 1.5, "rng": [0.1, 0.9, 0.9, 0.1]}
    yield Call("rejection_sample", sample)
    for m in (math.nan, math.inf, -math.inf, 0.0, 0.5, math.nextafter(1.5, 0.0), 2, np.float32(1.7), 1e308):
        yield Call("rejection_sample", sample | {"m": m, "rng": 5, "max_tries": 9})
    for max_tries in (0, -1, 1, 2, np.int64(2), True, 2**70):
        yield Call("rejection_sample", sample | {"max_tries": max_tries})
    yield Call("rejection_sample", {"p": half, "q": half, "m": 1.0, "rng": [0.0, BELOW_ONE], "max_tries": 1})
    yield Call("rejection_sample", {"p": [*tenths, 0.0], "q": [*tenths, 0.0], "m": 1.0, "rng": [BELOW_ONE, 0.0]})
    yield Call("rejection_sample", {"p": half, "q": [1.0, 0.0], "m": 2.0, "rng": [0.1, 0.1]})


@pytest.fixture(scope="module")
def known() -> list[tuple[Call, Answer]]:
    """Every call with the reference's answer to it."""
    rng = random.Random(20260)
    drawn = [call for p, q in pairs(rng) for call in calls_on(p, q, rng)]
    return [(call, answer(rejection, call)) for call in [*edge_calls(), *drawn]]


def load(name: str, path: Path) -> ModuleType:
    """Import a file under a name that nothing else has."""
    spec = spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("path", WHEATS, ids=lambda path: path.stem)
def test_a_wheat_answers_as_the_reference_does(path: Path, known: list[tuple[Call, Answer]]) -> None:
    wheat = load(f"wheat_{path.stem}", path)
    for call, expected in known:
        assert answer(wheat, call) == expected, f"{path.stem}: {call}"


def test_the_calls_reach_every_kind_of_answer(known: list[tuple[Call, Answer]]) -> None:
    errors = {(call.function, str(outcome[1:])) for call, (outcome, *_) in known if outcome[0] == "raises"}
    assert errors == {
        ("rejection_accept", "('ValueError',)"),
        ("acceptance_probability", "('ValueError',)"),
        ("residual_distribution", "('ValueError',)"),
        ("speculative_step", "('ValueError',)"),
        ("speculative_step", "('ZeroResidualError', 'ArithmeticError')"),
        ("rejection_sample", "('ValueError',)"),
        ("rejection_sample", "('RuntimeError',)"),
    }
    steps = [outcome[1] for call, (outcome, *_) in known if call.function == "speculative_step"]
    assert {step[1][1] for step in steps if isinstance(step, tuple) and len(step) == 2} == {"True", "False"}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("return u < p_x / q_x", "return u <= p_x / q_x"),
        ("return u < p_x / q_x", "return u * q_x < p_x"),
        ("return target.copy()", "return target"),
        ("return draft, True", "return x, True"),
        ("if z == 0.0:\n        return", "if target.tolist() == proposal.tolist():\n        return"),
        ("max(0.0, p_i - q_i) for", "max(p_i - q_i, 0.0) for"),
        ("    z = 0.0\n    for mass in excess:\n        z += mass\n", "    z = float(np.sum(excess))\n"),
        ("    z = 0.0\n    for mass in excess:\n        z += mass\n", "    z = math.fsum(excess)\n"),
        ("p_i / q_i > m)", "p_i > m * q_i)"),
        ("if rng.random() < float(target[x])", "if max(rng.random(), rng.random()) < float(target[x])"),
        ("class ZeroResidualError(ArithmeticError)", "class ZeroResidualError(ValueError)"),
        ("if not 0 <= draft < target.size", "if not draft < target.size"),
        ("dtype=np.float64)", "dtype=np.float32)"),
    ],
)
def test_the_comparison_notices_a_fault(
    before: str, after: str, known: list[tuple[Call, Answer]], tmp_path: Path
) -> None:
    source = Path(str(rejection.__file__)).read_text(encoding="utf-8")
    assert source.count(before) == 1, before
    path = tmp_path / "faulty.py"
    path.write_text(source.replace(before, after), encoding="utf-8")
    faulty = load("faulty", path)
    assert any(answer(faulty, call) != expected for call, expected in known)
