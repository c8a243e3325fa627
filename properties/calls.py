"""What the lab may ask of the target: its functions, live arguments from plain data, and the bounded domain D."""

import importlib
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from acidtest.properties import battery as _battery
from acidtest.properties import diagnostics as _diagnostics
from acidtest.properties import domain as _domain
from acidtest.properties.call import BELOW_ONE, Call, alive
from acidtest.properties.pasting import given, recipe
from acidtest.properties.rules import rule
from acidtest.properties.sources import ScriptedSource
from acidtest.properties.vectors import HAND, SECOND_HAND

__all__ = [
    "BELOW_ONE",
    "FUNCTIONS",
    "HAND",
    "SECOND_HAND",
    "Call",
    "battery",
    "build",
    "candidates",
    "contract_errors",
    "diagnostics",
    "domain",
    "domain_hash",
    "families",
    "given",
    "law_functions",
    "law_pictures",
    "recipe",
    "rule",
    "sample",
    "severity",
    "strategy",
    "subject",
]

_UNIFORMS = "tinyllm.prob.uniforms"
_CATEGORICAL = "tinyllm.prob.categorical"
_REJECTION = "tinyllm.prob.rejection"

FUNCTIONS: dict[str, str] = {
    "as_distribution": _CATEGORICAL,
    "sample_categorical": _CATEGORICAL,
    "rejection_accept": _REJECTION,
    "acceptance_probability": _REJECTION,
    "residual_distribution": _REJECTION,
    "speculative_step": _REJECTION,
    "rejection_sample": _REJECTION,
    "PCG32.next_uint32": _UNIFORMS,
    "PCG32.random": _UNIFORMS,
}


def contract_errors() -> tuple[type[BaseException], ...]:
    """Return the classes by which the contract calls an error, from the target that is installed now.

    A file that is not finished yet may lack the class of its own.
    """
    own = getattr(importlib.import_module(_REJECTION), "ZeroResidualError", None)
    return (ValueError, RuntimeError) if own is None else (ValueError, RuntimeError, own)


def subject(function: str) -> Callable[..., object]:
    """Return what a call of ``function`` calls, from the target that is installed now.

    A method of a generator is asked for its first ``count`` outputs after construction from ``seed`` and ``stream``.
    """
    module = importlib.import_module(FUNCTIONS[function])
    if "." not in function:
        return getattr(module, function)  # type: ignore[no-any-return]
    kind, _, method = function.partition(".")

    def outputs(seed: int, stream: int, count: int) -> list[object]:
        generator = getattr(module, kind)(seed, stream)
        return [getattr(generator, method)() for _ in range(count)]

    return outputs


def build(function: str, args: Mapping[str, Any]) -> dict[str, Any]:
    """Return live arguments for a call: ``p`` and ``q`` as fresh float64 arrays, ``rng`` as a scripted source.

    Other types are spelled out, as ``Call`` says. Nothing is checked, so that what is no distribution can be asked
    about too.
    """
    if function not in FUNCTIONS:
        raise ValueError(f"no function {function!r} to call; there are {', '.join(FUNCTIONS)}")
    return {name: ScriptedSource(value) if name == "rng" else alive(name, value) for name, value in args.items()}


def domain() -> Iterator[Call]:
    """Yield the bounded domain D, smallest call first."""
    yield from _domain.domain()


def domain_hash() -> str:
    """Return a short name of D that changes whenever one of its calls does."""
    return _domain.domain_hash()


def battery() -> Iterator[Call]:
    """Yield a small selection of calls that tells the entries of the catalog apart."""
    yield from _battery.battery()


def diagnostics() -> Iterator[Call]:
    """Yield the calls by which a mistake is recognized in a stranger's answers."""
    yield from _diagnostics.diagnostics()


def candidates() -> Iterator[Call]:
    """Yield the calls that those are chosen from."""
    yield from _diagnostics.candidates()


def strategy(function: str) -> Any:
    """Return a Hypothesis strategy of calls of ``function`` over wide float64."""
    from acidtest.properties import drawing  # imports Hypothesis, which the bounded domain does without

    return drawing.strategy(function)


def families() -> tuple[str, ...]:
    """Return the names of the families of pairs that calls can be drawn from."""
    from acidtest.properties.strategies import FAMILIES

    return tuple(FAMILIES)


def sample(function: str, family: str, count: int, seed: int) -> Iterator[Call]:
    """Yield ``count`` calls of ``function`` whose pair (or vector) is of ``family``; the same for the same seed."""
    from acidtest.properties import drawing

    yield from drawing.sample(function, family, count, seed)


def severity(reference: Any, mutant: Any, differences: Any, seconds: float) -> Any:
    """Return how bad a mutant is that answers differently: see ``properties.severity``."""
    from acidtest.properties.severity import severity as measured  # imports the laws, which only this needs

    return measured(reference, mutant, differences, seconds)


def law_functions() -> tuple[str, ...]:
    """Return the functions whose output law can be shown, the one to show first."""
    from acidtest.properties.law_pictures import FUNCTIONS as SHOWN  # imports the laws, as below

    return SHOWN


def law_pictures(reference: Any, mutant: Any, function: str, differences: Any, seconds: float) -> Any:
    """Return output laws to look at: see ``properties.law_pictures``."""
    from acidtest.properties.law_pictures import pictures

    return pictures(reference, mutant, function, differences, seconds)
