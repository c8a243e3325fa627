"""Questions to a worker that are no run: which tests there are, what a call answers, the example behind a failure."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Protocol

from acidtest.mutants.bench import Bench
from acidtest.mutants.limits import LabError, Limits
from acidtest.mutants.model import Test, Variant
from acidtest.mutants.workload import Workload

Calls = Sequence[Mapping[str, Any]] | str


class Ask(Protocol):
    """Returns a variant's (None: the reference's) answers to calls, as ``answers`` takes them, or why it gave none."""

    def __call__(self, variant: Variant | None, calls: Calls) -> list[str] | LabError: ...


def collect(workload: Workload) -> tuple[Test, ...]:
    """Return the workload's tests, collected in a worker.

    Raises:
        BaselineFailedError: they cannot be collected. NoTestsError: there are none.
    """
    bench = Bench(workload, 0, Limits(), fork=True)
    try:
        return bench.collect()
    finally:
        bench.close(0.5)


def answers(
    workload: Workload,
    variants: Sequence[Variant | None],
    calls: Sequence[Calls],
    fork: bool = True,
    limits: Limits | None = None,
) -> Iterator[list[str] | LabError]:
    """Yield, for each variant (None: the reference), its answers to its calls, or why it gave none.

    Args:
        calls: for each variant a list of ``{"module", "function", "args"}``, or ``"domain"`` for digests over all of D.
    """
    with asker(workload, fork, limits) as ask:
        for variant, asked in zip(variants, calls, strict=True):
            yield ask(variant, asked)


@contextmanager
def asker(workload: Workload, fork: bool = True, limits: Limits | None = None) -> Iterator[Ask]:
    """Lend something to ask one question after another, all of one worker."""
    bench = Bench(workload, 0, limits or Limits(), fork)

    def ask(variant: Variant | None, calls: Calls) -> list[str] | LabError:
        try:
            return bench.answers(variant, calls)
        except LabError as error:
            return error

    try:
        yield ask
    finally:
        bench.close(0.5)


def domain_hash(workload: Workload, fork: bool = True) -> str:
    """Return the hash of the workload's bounded domain D; empty where it has none.

    Raises:
        LabError: D cannot be enumerated.
    """
    if workload.calls is None:
        return ""
    bench = Bench(workload, 0, Limits(), fork)
    try:
        return bench.answers(None, "domain hash")[0]
    finally:
        bench.close(0.5)


def explain(workload: Workload, variant: Variant, test: str, seed: int, fork: bool = True) -> Mapping[str, Any]:
    """Return one trial with its failing example made small: ``outcome``, ``reason``, ``detail``, ``example``."""
    bench = Bench(workload, seed, Limits(), fork)
    try:
        return bench.explain(variant, test)
    finally:
        bench.close(0.5)


def examples(
    workload: Workload, cells: Sequence[tuple[Variant, str]], seed: int, fork: bool = True
) -> Iterator[str | LabError]:
    """Yield, for each variant and test, the failing example made small, one worker for all; empty where none is found.

    A test that draws nothing has no example: it is its own.
    """
    bench = Bench(workload, seed, Limits(), fork)
    try:
        for variant, test in cells:
            try:
                yield str(bench.explain(variant, test).get("example") or "")
            except LabError as error:
                yield error
    finally:
        bench.close(0.5)
