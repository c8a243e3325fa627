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


@dataclass(slots=True)
class _Page:
    """One function's calls in the test that runs.

    Attributes:
        seen: what there is to tell of them; None before the first test.
        known: each different call's image, and how many calls of the target lay within it, None until it has ended.
    """

    seen: Seen | None = None
    known: dict[Image, int | None] = field(default_factory=dict)


class Recorder:
    """Takes down the calls of one test after the other.

    Args:
        unchanged: for each function, what says that all it depends on besides its arguments is as it was at first.
        kept: the digests of the calls that are known, by function; they are not told of again.
    """

    def __init__(self, unchanged: Mapping[Name, Callable[[], bool]], kept: Mapping[Name, Collection[bytes]]) -> None:
        self._unchanged = unchanged
        self._kept = kept
        self._pages = {name: _Page() for name in unchanged}
        self._entered = 0
        self._quiet = 0
        self._disturbed = False

    def begin(self) -> None:
        """A test begins."""
        for page in self._pages.values():
            page.seen, page.known = Seen(), {}
        self._disturbed = False

    def record(self) -> Record | None:
        """Return the calls since the test began, of functions that were called; None where some may be missing."""
        if self._disturbed:
            return None
        record: Record = {}
        for name, page in self._pages.items():
            if page.seen is None or not page.seen.total:
                continue
            record[name] = page.seen
            for image in () if page.seen.opaque else page.known:
                mark = digest(image)
                page.seen.calls[mark] = b"" if mark in self._kept[name] else pickle.dumps(image)
        return record

    def entry(self, name: Name, function: types.FunctionType) -> Callable[..., object]:
        """Return what a function's calls lead through."""
        plain = types.FunctionType(
            function.__code__, function.__globals__, function.__name__, function.__defaults__, None
        )
        page, unchanged, here = self._pages[name], self._unchanged[name], threading.get_ident

        def entry(*args: Any) -> object:  # called for every call of the target: few steps, few calls
            self._entered = begun = self._entered + 1
            seen = page.seen
            if seen is None or seen.opaque or (self._quiet and self._quiet == here()):
                return plain(*args)
            seen.total += 1
            known = page.known
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


def leading(function: types.FunctionType) -> types.CodeType:
    """Return code with the function's own name, place and parameters, for ``led_through`` to say where it leads."""
    code = function.__code__
    parameters = ", ".join(code.co_varnames[: code.co_argcount])
    text = f"def {function.__name__}({parameters}): return (0.5)({parameters})"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SyntaxWarning)
        whole = compile(text, code.co_filename, "exec", dont_inherit=True)
    (inner,) = (item for item in whole.co_consts if isinstance(item, types.CodeType))
    return inner.replace(co_firstlineno=code.co_firstlineno, co_flags=code.co_flags, co_qualname=code.co_qualname)


def led_through(leads: types.CodeType, entry: Callable[..., object]) -> types.CodeType:
    """Return the code that hands all its parameters to ``entry``."""
    return leads.replace(co_consts=tuple(entry if item == 0.5 else item for item in leads.co_consts))
