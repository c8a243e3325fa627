"""The calls that each test makes of the target, kept: where a variant answers all alike, the test need not run.

Sound where a function's answer depends on its arguments alone (``purity``), before and after the change: a test sees
the target through such answers only, so up to the first that differs it goes as it went on the unchanged target. The
record is taken in the baseline's children, while each function leads through a counter of ours. A test is *opaque* to
a function, and is run, where an argument is no plain data, where a name that the function looks up has another value
than at first, where threads start or somebody reads or imports the target anew, or where there are so many different
calls that repeating them saves nothing.
"""

import copy
import inspect
import operator
import signal
import sys
import types
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, NoReturn

from acidtest.mutants import install
from acidtest.mutants.images import Image, NoImageError, of_answer, of_arguments, quickly
from acidtest.mutants.purity import Judge, Name, Purity

REPEATED = "same answers"
_MOST = 300
_PATIENCE = 1.0
Arguments = tuple[Any, ...]
_Lookup = tuple[Callable[[Any], object], dict[str, Any], object]


@dataclass
class Seen:
    """What one test asks of one function.

    Attributes:
        calls: each different call's arguments, by their image; copies.
        total: how many calls there were.
        opaque: whether the test has to be run whatever the calls answer.
    """

    calls: dict[Image, Arguments] = field(default_factory=dict)
    total: int = 0
    opaque: bool = False


Record = dict[Name, Seen]
"""One test's calls, by function."""


class _TooLongError(BaseException):
    """The time for repeating is over; no ``except Exception`` of a variant may take it."""


class Repeats:
    """All that is known of the tests' calls; made in the worker before it forks.

    Args:
        modules: the target's modules, by name.
    """

    def __init__(self, modules: Sequence[str]) -> None:
        self._judge = Judge({name: sys.modules[name] for name in modules if name in sys.modules})
        self.functions: dict[Name, types.FunctionType] = {}
        self._purities: dict[Name, Purity] = {}
        for module, namespace in self._judge.modules.items():
            for name in install.plain_functions(module):
                function = vars(namespace).get(name)
                if isinstance(function, types.FunctionType) and _is_simple(function):
                    self.functions[module, name] = function
                    if purity := self._judge.purity(function):
                        self._purities[module, name] = purity
        self.functions = {name: function for name, function in self.functions.items() if name in self._purities}
        self._calls: dict[Name, dict[Image, int]] = {name: {} for name in self.functions}
        self._arguments: dict[Name, list[Arguments]] = {name: [] for name in self.functions}
        self._tests: dict[str, dict[Name, set[int]]] = {}
        self._opaque: dict[str, set[Name]] = {}
        self._answers: dict[Name, list[Image | None]] = {}
        self._alike: dict[tuple[Name, int], bool] = {}
        self._over = False

    # --- in the baseline's children ----------------------------------------------------------------------------

    @contextmanager
    def recording(self) -> Iterator["Recorder"]:
        """Let every function lead through a recorder."""
        recorder = Recorder(self.functions, {name: self._names(name) for name in self.functions})
        codes = {name: function.__code__ for name, function in self.functions.items()}
        for name, function in self.functions.items():
            function.__code__ = _led_through(function, recorder.entry(name, function))
        try:
            yield recorder
        finally:
            for name, function in self.functions.items():
                function.__code__ = codes[name]

    def answered(self) -> dict[Name, list[Image | None]]:
        """Return what the unchanged functions answer to each kept call."""
        return {
            name: [of_answer(function, copy.deepcopy(args)) for args in self._arguments[name]]
            for name, function in self.functions.items()
        }

    # --- in the worker -----------------------------------------------------------------------------------------

    def keep(self, test: str, record: Record | None) -> None:
        """Add calls that a test was seen to make; None where it cannot be said which."""
        opaque = self._opaque.setdefault(test, set())
        calls = self._tests.setdefault(test, {})
        if record is None:
            opaque |= set(self.functions)
            return
        for name, seen in record.items():
            if seen.opaque:
                opaque.add(name)
                continue
            known = self._calls[name]
            for image, args in seen.calls.items():
                if image not in known:
                    known[image] = len(known)
                    self._arguments[name].append(args)
                calls.setdefault(name, set()).add(known[image])

    def keep_answers(self, answers: dict[Name, list[Image | None]]) -> None:
        """Take over what ``answered`` returned in a child."""
        self._answers = answers

    # --- in a variant's child ----------------------------------------------------------------------------------

    def apply(self, module: str, functions: Sequence[str]) -> bool:
        """Return whether a variant that changed ``functions``, installed by now, can be judged by its calls at all."""
        for name in functions:
            before = self._purities.get((module, name))
            after = self._judge.purity(self.functions[module, name]) if before is not None else None
            if before is None or after is None or not after.names <= before.names:
                return False
        return bool(functions)

    def alike(self, test: str, module: str, functions: Sequence[str]) -> bool:
        """Return whether the variant answers each call that the test makes of the changed functions as before.

        Not where no such call is known: the test was asked about because it reaches the change, by whatever road.
        """
        names = [(module, name) for name in functions]
        if test not in self._tests or self._over or not self._opaque[test].isdisjoint(names):
            return False
        calls = [(name, index) for name in names for index in sorted(self._tests[test].get(name, ()))]
        return bool(calls) and all(self._same(name, index) for name, index in calls)

    @contextmanager
    def in_time(self) -> Iterator[None]:
        """Give up repeating calls, those to come too, where one test's take too long: a variant may loop."""

        def over(*_: object) -> NoReturn:
            raise _TooLongError

        signal.signal(signal.SIGALRM, over)
        signal.setitimer(signal.ITIMER_REAL, _PATIENCE)
        try:
            yield
        except _TooLongError:
            self._over = True
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, signal.SIG_DFL)

    def _same(self, name: Name, index: int) -> bool:
        key = (name, index)
        if key not in self._alike:
            before = self._answers[name][index]
            args = copy.deepcopy(self._arguments[name][index])
            self._alike[key] = before is not None and of_answer(self.functions[name], args) == before
        return self._alike[key]

    def _names(self, function: Name) -> Mapping[str, Sequence[str]]:
        """Return the names that a function depends on, by namespace."""
        found: dict[str, list[str]] = {}
        for namespace, name in sorted(self._purities[function].names):
            found.setdefault(namespace, []).append(name)
        return found


class Recorder:
    """Takes down the calls of one test after the other."""

    def __init__(
        self, functions: Mapping[Name, types.FunctionType], names: Mapping[Name, Mapping[str, Sequence[str]]]
    ) -> None:
        self._functions = functions
        self._watched = {function: _lookups(some) for function, some in names.items()}
        self._record: Record = {}
        self._quiet = False

    def begin(self) -> None:
        """A test begins."""
        self._record = {name: Seen() for name in self._functions}

    def record(self) -> Record:
        """Return the calls since the test began, of functions that were called."""
        return {name: seen for name, seen in self._record.items() if seen.total}

    def entry(self, name: Name, function: types.FunctionType) -> Callable[..., object]:
        """Return what a function's calls lead through."""
        plain = types.FunctionType(
            function.__code__, function.__globals__, function.__name__, function.__defaults__, None
        )
        lookups = self._watched[name]

        def entry(*args: Any) -> object:  # called for every call of the target: few steps, few calls
            seen = self._record.get(name)
            if self._quiet or seen is None or seen.opaque:
                return plain(*args)
            seen.total += 1
            image = quickly(args)
            try:
                for look, namespace, first in lookups:
                    if look(namespace) != first:  # identical objects are equal before any comparison is asked
                        raise NoImageError
                image = image or of_arguments(args)
            except (NoImageError, KeyError):
                image = None
            if image in seen.calls:
                self._quiet = True  # the calls within are those of the first time
                try:
                    return plain(*args)
                finally:
                    self._quiet = False
            if image is None or len(seen.calls) >= _MOST:
                seen.opaque, seen.calls = True, {}
            else:
                seen.calls[image] = copy.deepcopy(args)
            return plain(*args)

        return entry


def _lookups(names: Mapping[str, Sequence[str]]) -> list[_Lookup]:
    """Return what tells that a name which a function looks up stands for something else than now."""
    getters = [(operator.itemgetter(*some), vars(sys.modules[namespace])) for namespace, some in names.items()]
    return [(look, namespace, look(namespace)) for look, namespace in getters]


def _is_simple(function: types.FunctionType) -> bool:
    """Return whether all parameters are plain ones, so that a call is a tuple of arguments."""
    kinds = {parameter.kind for parameter in inspect.signature(function).parameters.values()}
    return kinds <= {inspect.Parameter.POSITIONAL_OR_KEYWORD}


def _led_through(function: types.FunctionType, entry: Callable[..., object]) -> types.CodeType:
    """Return code with the function's own name, place and parameters that hands them all to ``entry``."""
    code = function.__code__
    parameters = ", ".join(code.co_varnames[: code.co_argcount])
    text = f"def {function.__name__}({parameters}): return (0.5)({parameters})"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SyntaxWarning)
        whole = compile(text, code.co_filename, "exec", dont_inherit=True)
    (inner,) = (item for item in whole.co_consts if isinstance(item, types.CodeType))
    constants = tuple(entry if item == 0.5 else item for item in inner.co_consts)
    return inner.replace(
        co_consts=constants,
        co_firstlineno=code.co_firstlineno,
        co_flags=code.co_flags,
        co_qualname=code.co_qualname,
    )
