"""The calls that each test makes of the target, kept: where a variant answers all alike, the test need not run.

Sound where a function's answer depends on its arguments alone (``purity``), before and after the change: a test sees
the target through such answers only, so up to the first that differs it goes as it went on the unchanged target. The
record is taken in the baseline's children (``callbook``). A call that came to no changed statement there, by its
marks, need not even be repeated. A test is *opaque* to a function, and is run, where an argument is no plain data,
where a name that the function looks up has another value than at first, where threads start or somebody reads or
imports the target anew, or where there are so many different calls that repeating them saves nothing.
"""

import inspect
import math
import signal
import sys
import time
import types
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from typing import NoReturn

from acidtest.mutants import install
from acidtest.mutants.callbook import Record, Recorder, leading
from acidtest.mutants.images import digest, made, unpacked
from acidtest.mutants.probes import Probes
from acidtest.mutants.purity import Judge, Name, Purity
from acidtest.mutants.replies import Caught, TooLongError, listening, reply
from acidtest.mutants.surroundings import unchanged

_PATIENCE = 1.0
_DEARER = 5
_MEASURED = 3
"""A call that seems dearer is made so many times: what else goes on in the process falls on one of them."""


Answers = dict[Name, list[tuple[bytes | None, float, int]]]
"""What came of each kept call, by function: the digest of its image, seconds of processor time, and marks."""


class Repeats:
    """All that is known of the tests' calls; made in the worker before it forks.

    Args:
        modules: the target's modules, by name.
        probes: what marks the statements that a call comes to; without it, every call of a change is repeated.
    """

    def __init__(self, modules: Sequence[str], probes: Probes | None = None) -> None:
        self._probes = probes
        self._changed = 0
        self._judge = Judge({name: sys.modules[name] for name in modules if name in sys.modules})
        self.functions: dict[Name, types.FunctionType] = {}
        self._purities: dict[Name, Purity] = {}
        for module, namespace in self._judge.modules.items():
            for name in install.plain_functions(module):
                function = vars(namespace).get(name)
                if not isinstance(function, types.FunctionType) or not _is_simple(function):
                    continue
                if purity := self._judge.purity(function):
                    self.functions[module, name] = function
                    self._purities[module, name] = purity
        self._unchanged = {name: unchanged(purity.names) for name, purity in self._purities.items()}
        self._leading = {name: leading(function) for name, function in self.functions.items()}
        self._known: dict[Name, dict[bytes, int]] = {name: {} for name in self.functions}
        self._calls: dict[str, dict[Name, set[int]]] = {}
        self._totals: dict[str, int] = {}
        self._opaque: dict[str, set[Name]] = {}
        self._images: dict[Name, list[bytes]] = {name: [] for name in self.functions}
        self._answers: Answers = {name: [] for name in self.functions}
        self._fixed: dict[Name, dict[int, str]] = {}
        self._alike: dict[tuple[Name, int], bool] = {}
        self._dearer: dict[tuple[Name, int], float] = {}
        self._over = False

    # --- in the baseline's children ----------------------------------------------------------------------------

    @contextmanager
    def recording(self) -> Iterator["Recorder"]:
        """Let every function lead through a recorder."""
        recorder = Recorder(self._unchanged, self._known)
        codes = {name: function.__code__ for name, function in self.functions.items()}
        for name, function in self.functions.items():
            function.__code__ = recorder.leading(name, function, self._leading[name])
        try:
            yield recorder
        finally:
            for name, function in self.functions.items():
                function.__code__ = codes[name]

    def answered(self) -> Answers:
        """Return what the unchanged functions answer to each call that was kept and not answered yet."""
        if self._probes is not None:
            self._probes.start()
            self._probes.taken()
        self._fixed = {name: purity.fixed() for name, purity in self._purities.items()}
        with listening() as caught:
            return {
                name: [self._marked(name, image, caught) for image in images[len(self._answers[name]) :]]
                for name, images in self._images.items()
            }

    # --- in the worker -----------------------------------------------------------------------------------------

    def keep(self, test: str, record: Record | None) -> None:
        """Add calls that a test was seen to make; None where it cannot be said which."""
        opaque = self._opaque.setdefault(test, set())
        calls = self._calls.setdefault(test, {})
        if record is None:
            opaque |= set(self.functions)
            return
        self._totals[test] = max(self._totals.get(test, 0), sum(seen.total for seen in record.values()))
        for name, seen in record.items():
            if seen.opaque:
                opaque.add(name)
                continue
            known, images, asked = self._known[name], self._images[name], calls.setdefault(name, set())
            for mark, image in seen.calls.items():
                if mark not in known:
                    known[mark] = len(images)
                    images.append(image)
                asked.add(known[mark])

    def keep_answers(self, answers: Answers) -> None:
        """Take over what ``answered`` returned in a child."""
        for name, some in answers.items():
            self._answers[name] += some

    def wait_for_answers(self) -> bool:
        """Return whether calls were kept that are not answered yet."""
        return any(len(images) > len(self._answers[name]) for name, images in self._images.items())

    def total(self, test: str) -> int:
        """Return how many calls of the target a test was seen to make; 0 where nothing is known."""
        return self._totals.get(test, 0)

    # --- in a variant's child ----------------------------------------------------------------------------------

    def apply(self, module: str, functions: Sequence[str], lines: Collection[int] | None = None) -> bool:
        """Return whether a variant that changed ``functions``, installed by now, can be judged by its calls at all.

        Args:
            lines: a call that comes to none of them goes as before; None where nothing can be said.
        """
        if self._probes is not None and lines is not None:
            self._changed = self._probes.bits(module, lines)
        for name in functions:
            before = self._purities.get((module, name))
            after = self._judge.purity(self.functions[module, name]) if before is not None else None
            if before is None or after is None or not after.names <= before.names:
                return False
            self._fixed[module, name] = after.fixed()
        return bool(functions)

    def alike(self, test: str, module: str, functions: Sequence[str]) -> bool:
        """Return whether the variant answers each call that the test makes of the changed functions as before.

        Not where no such call is known: the test was asked about because it reaches the change, by whatever road. And
        not where all of its calls might take so much longer that the test's own time limit has to say.
        """
        names = [(module, name) for name in functions]
        if test not in self._calls or self._over or not self._opaque[test].isdisjoint(names):
            return False
        calls = [(name, index) for name in names for index in sorted(self._calls[test].get(name, ()))]
        with listening() as caught:
            if not calls or not all(self._same(name, index, caught) for name, index in calls):
                return False
        return self._totals[test] * max(self._dearer[call] for call in calls) < _PATIENCE

    @contextmanager
    def in_time(self) -> Iterator[None]:
        """Give up repeating calls, those to come too, where one test's take too long: a variant may loop."""

        def over(*_: object) -> NoReturn:
            raise TooLongError

        handler = signal.signal(signal.SIGALRM, over)
        timer = signal.setitimer(signal.ITIMER_REAL, _PATIENCE)
        try:
            yield
        except TooLongError:
            self._over = True
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, handler if handler is not None else signal.SIG_DFL)
            signal.setitimer(signal.ITIMER_REAL, *timer)

    def _same(self, name: Name, index: int, caught: Caught) -> bool:
        key = (name, index)
        known = self._alike.get(key)
        if known is not None:
            return known
        before, usual, marks = self._answers[name][index]
        now, seconds = before, 0.0
        if before is not None and not (self._changed and not marks & self._changed):
            seconds = math.inf
            for _ in range(_MEASURED):
                now, taken = self._asked(name, self._images[name][index], caught)
                seconds = min(seconds, taken)
                if now != before or seconds <= _DEARER * usual:
                    break
        self._alike[key] = before is not None and now == before
        self._dearer[key] = seconds if seconds > _DEARER * usual else 0.0
        return self._alike[key]

    def _marked(self, name: Name, image: bytes, caught: Caught) -> tuple[bytes | None, float, int]:
        """Return what comes of a call, in how many seconds of processor time, and its marks."""
        answer, seconds = self._asked(name, image, caught)
        return answer, seconds, 0 if self._probes is None else self._probes.taken()

    def _asked(self, name: Name, image: bytes, caught: Caught) -> tuple[bytes | None, float]:
        args = made(unpacked(image))
        begun = time.process_time()
        found = reply(self.functions[name], args, self._fixed[name], caught)
        seconds = time.process_time() - begun
        return None if found is None else digest(found), seconds


def _is_simple(function: types.FunctionType) -> bool:
    """Return whether all parameters are plain ones, so that a call is a tuple of arguments."""
    kinds = {parameter.kind for parameter in inspect.signature(function).parameters.values()}
    return kinds <= {inspect.Parameter.POSITIONAL_OR_KEYWORD}
