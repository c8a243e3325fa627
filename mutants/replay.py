"""The inputs that Hypothesis drew, kept: a child calls the test on them directly, and draws nothing.

Sound where the inputs do not depend on the variant. A test is replayed only if the baseline showed that it draws
nothing inside its body, rejects no input, takes no fixture and no instance, that its strategies never enter the
target nor a global generator, that its inputs can be copied, that none is given twice and none was there before, and
that calling it on the copies passes on the unchanged target. An input on which Hypothesis itself would have to speak
(``assume``, ``event``, ``skip``), or for which it makes more room on the stack, sends the test back to Hypothesis.
"""

import copy
import functools
import random
import sys
from collections.abc import Callable
from typing import Any, NoReturn

import hypothesis.errors
import pytest
from hypothesis import control, core
from hypothesis.internal import entropy

from acidtest.mutants.standing import standing

Arguments = tuple[tuple[Any, ...], dict[str, Any]]
_NO_FAILURE = (hypothesis.errors.UnsatisfiedAssumption, hypothesis.errors.StopTest)
_HYPOTHESIS_SPEAKS = (*_NO_FAILURE, hypothesis.errors.HypothesisException, pytest.skip.Exception, RecursionError)
_MOST = 5000


class Examples:
    """Watches every property's inner test: counts its examples, and keeps them while ``recording``.

    Attributes:
        running: the id of the test that runs now.
        tried: the running test's examples that passed so far.
        failed_at: which example failed first, counted from 1; None while none has.
        switch: told when drawing ends (``test|id``) and begins again (``draw|id``).
    """

    def __init__(self, switch: Callable[[str], None] | None) -> None:
        self.switch = switch
        self.recording = False
        self.running = ""
        self.tried = 0
        self.failed_at: int | None = None
        self._kept: dict[str, list[Arguments]] = {}
        self._refused: set[str] = set()
        self._watched: set[int] = set()
        self._seen: set[int] = set()
        self._standing: dict[int, set[int] | None] = {}
        self._alive: list[object] = []

    def watch(self, owner: Any) -> None:
        """Put ourselves between Hypothesis and a property's inner test, once."""
        if id(owner) in self._watched:
            return
        self._watched.add(id(owner))
        inner = owner.hypothesis.inner_test

        @functools.wraps(inner)
        def watched(*args: Any, **kwargs: Any) -> Any:
            return self._call(owner, inner, args, kwargs)

        owner.hypothesis.inner_test = watched

    def watches(self, item: pytest.Item) -> bool:
        """Return whether the item is a property that we stand in, so that we hear where drawing ends."""
        function: Any = getattr(item, "obj", None)
        return id(getattr(function, "__func__", function)) in self._watched

    def begin(self, test: str) -> None:
        """Say which test runs now."""
        self.running, self.tried, self.failed_at = test, 0, None

    def refuse(self, test: str) -> None:
        """Never replay this test."""
        self._refused.add(test)
        self._kept.pop(test, None)

    def kept(self, test: str) -> list[Arguments] | None:
        """Return the test's examples; None where it is not replayed."""
        return self._kept.get(test)

    def keep(self, test: str, examples: list[Arguments]) -> None:
        """Take over examples that another process recorded."""
        self._kept[test] = examples

    def replay(self, item: pytest.Function) -> bool:
        """Call the test on its kept examples; return False where Hypothesis has to run it after all.

        Raises:
            BaseException: what the test raises on an example, twice.
        """
        kept = self._kept.get(item.nodeid)
        if kept is None or self.recording:
            return False
        inner = getattr(item.obj, "hypothesis").inner_test  # noqa: B009 - set by Hypothesis, unknown to types
        for example in kept:
            try:
                _call_seeded(inner, example)
            except _HYPOTHESIS_SPEAKS:
                self.begin(self.running)
                return False
            except Exception:
                if _passes_now(inner, example):
                    self.begin(self.running)
                    return False
                raise
        return True

    def _call(self, owner: Any, inner: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if self.recording:
            self._keep(owner, args, kwargs)
        if self.switch is not None:
            self.switch(f"test|{self.running}")
        try:
            result = inner(*args, **kwargs)
        except _NO_FAILURE:
            self.refuse(self.running)
            raise
        except BaseException:
            if self.failed_at is None:
                self.failed_at = self.tried + 1
            raise
        finally:
            if self.switch is not None:
                self.switch(f"draw|{self.running}")
        self.tried += 1
        return result

    def _keep(self, owner: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        if self.running in self._refused:
            return
        if not _fresh_generators():
            self.refuse(self.running)
            return
        kept = self._kept.setdefault(self.running, [])
        memo: dict[int, Any] = {}
        try:
            kept.append(copy.deepcopy((args, kwargs), memo))
        except Exception:  # whatever cannot be copied cannot be replayed
            self.refuse(self.running)
            return
        copied = memo.keys() - {id(memo), id(args), id(kwargs)}
        if len(kept) > _MOST or copied & self._seen:  # a list given twice remembers what was done to it
            self.refuse(self.running)
        elif copied:
            if id(owner) not in self._standing:
                self._standing[id(owner)] = standing(owner, self)
            before = self._standing[id(owner)]
            if before is None or copied & before:
                self.refuse(self.running)
        self._seen |= copied
        self._alive.append(memo.get(id(memo)))


def takes_only_examples(item: pytest.Item) -> bool:
    """Return whether a property gets nothing from pytest: no fixture, parameter or instance, and must not fail."""
    return (
        isinstance(item, pytest.Function)
        and item.cls is None
        and not item.fixturenames
        and item.get_closest_marker("xfail") is None
    )


def _call_seeded(inner: Callable[..., Any], example: Arguments) -> None:
    """Call on a fresh copy, with the global generators as Hypothesis seeds them, as if within Hypothesis."""
    args, kwargs = copy.deepcopy(example)
    random.seed(0)
    if (numpy := sys.modules.get("numpy")) is not None:
        numpy.random.seed(0)
    with control._current_build_context.with_value(_Silence()):  # type: ignore[arg-type]
        inner(*args, **kwargs)


class _Silence:
    """Stands where Hypothesis keeps what it knows of the example that runs, and has nothing to tell."""

    def __getattr__(self, name: str) -> NoReturn:
        raise hypothesis.errors.InvalidArgument(f"there is no {name} while an example is replayed")


def _fresh_generators() -> bool:
    """Return whether the global generators are as Hypothesis seeds them, and there are no others that it would seed."""
    managed = [generator() for generator in entropy.RANDOMS_TO_MANAGE.valuerefs()]
    ours = (random, entropy.NP_RANDOM, core.threadlocal._hypothesis_global_random)
    if any(generator is not None and all(generator is not one for one in ours) for generator in managed):
        return False
    if random.getstate() != _first_state():
        return False
    numpy = sys.modules.get("numpy")
    if numpy is None:
        return True
    _, key, *rest = numpy.random.get_state()
    _, first, *others = _first_state_of_numpy()
    return rest == others and bool((key == first).all())


@functools.cache
def _first_state() -> tuple[Any, ...]:
    return random.Random(0).getstate()


@functools.cache
def _first_state_of_numpy() -> tuple[Any, ...]:
    state: tuple[Any, ...] = sys.modules["numpy"].random.RandomState(0).get_state()
    return state


def _passes_now(inner: Callable[..., Any], example: Arguments) -> bool:
    try:
        _call_seeded(inner, example)
    except Exception:
        return False
    return True
