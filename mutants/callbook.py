"""The calls of one test, taken down in the baseline's children while each function leads through here."""

import pickle
import threading
import types
import warnings
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

from acidtest.mutants.images import Image, NoImageError, digest, of_arguments, quickly
from acidtest.mutants.purity import Name

_MOST = 300


@dataclass
class Seen:
    """What one test asks of one function.

    Attributes:
        calls: each different call's arguments: the pickled image, by its digest; empty where it is known by now.
        total: how many calls there were, but for those within a call that had been made before.
        opaque: whether the test has to be run whatever the calls answer.
    """

    calls: dict[bytes, bytes] = field(default_factory=dict)
    total: int = 0
    opaque: bool = False


Record = dict[Name, Seen]
"""One test's calls, by function."""


class Recorder:
    """Takes down the calls of one test after the other.

    Args:
        unchanged: for each function, what says that all it depends on besides its arguments is as it was at first.
        kept: the digests of the calls that are known, by function; they are not told of again.
    """

    def __init__(self, unchanged: Mapping[Name, Callable[[], bool]], kept: Mapping[Name, Collection[bytes]]) -> None:
        self._unchanged = unchanged
        self._kept = kept
        self._record: Record = {}
        self._known: dict[Name, dict[Image, int | None]] = {}
        self._entered = 0
        self._quiet = 0
        self._disturbed = False

    def begin(self) -> None:
        """A test begins."""
        self._record = {name: Seen() for name in self._unchanged}
        self._known = {name: {} for name in self._unchanged}
        self._disturbed = False

    def record(self) -> Record | None:
        """Return the calls since the test began, of functions that were called; None where some may be missing."""
        if self._disturbed:
            return None
        for name, seen in self._record.items():
            for image in () if seen.opaque else self._known[name]:
                mark = digest(image)
                seen.calls[mark] = b"" if mark in self._kept[name] else pickle.dumps(image)
        return {name: seen for name, seen in self._record.items() if seen.total}

    def entry(self, name: Name, function: types.FunctionType) -> Callable[..., object]:
        """Return what a function's calls lead through."""
        plain = types.FunctionType(
            function.__code__, function.__globals__, function.__name__, function.__defaults__, None
        )
        unchanged = self._unchanged[name]
        here = threading.get_ident

        def entry(*args: Any) -> object:  # called for every call of the target: few steps, few calls
            self._entered = begun = self._entered + 1
            seen = self._record.get(name)
            if seen is None or seen.opaque or (self._quiet and self._quiet == here()):
                return plain(*args)
            seen.total += 1
            known = self._known[name]
            image: Image | None = None
            try:
                if unchanged():
                    image = quickly(args) or of_arguments(args)
                    if image not in known:
                        if len(known) >= _MOST:
                            raise NoImageError
                        known[image] = None
            except NoImageError:
                image = None
            if image is None:
                seen.opaque = True
                return plain(*args)
            within = known[image]
            if self._quiet or within is None:
                result = plain(*args)
                known[image] = self._entered - begun  # it came to its end, and called whatever it calls
                return result
            self._quiet = here()  # the calls within are those of the first time
            try:
                return plain(*args)
            finally:
                self._quiet = 0
                # but where somebody calls meanwhile whom the call does not know: a signal's handler, a destructor
                self._disturbed = self._disturbed or self._entered - begun != within

        return entry


def led_through(function: types.FunctionType, entry: Callable[..., object]) -> types.CodeType:
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
