"""The calls of one test, taken down in the baseline's children while each function leads through here."""

import types
import warnings
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

from acidtest.mutants.images import Image, NoImageError, Quick, of_arguments, packed, quick_for, quickly
from acidtest.mutants.purity import Name

_MOST = 300
"""So many different calls of one function are kept of any test."""
_MOST_AMONG_MANY = 10_000
_SHARE = 6
"""Beyond the first, they are kept where the test makes so many times as many calls: then it is dearer than they are."""
_NEW = -1
_PLACES = {"entry": 0.5, "plain": 0.25, "page": 0.125, "recorder": 0.0625}
"""What stands in compiled code for what will be there."""


@dataclass
class Seen:
    """What one test asks of one function.

    Attributes:
        calls: each different call's arguments: the packed image, by its digest; empty where it is known by now.
        total: how many calls there were, but for those within a call that had been made before.
        opaque: whether the test has to be run whatever the calls answer.
    """

    calls: dict[bytes, bytes] = field(default_factory=dict)
    total: int = 0
    opaque: bool = False


Record = dict[Name, Seen]
"""One test's calls, by function."""


@dataclass(slots=True, eq=False)
class _Page:
    """One function's calls in the test that runs.

    Attributes:
        seen: what there is to tell of them.
        known: each different call's image, and how many calls of the target lay within it, None until it has ended.
        listens: whether there is a test, and it is not opaque.
        quick: gives images of such arguments as were seen last.
    """

    seen: Seen = field(default_factory=Seen)
    known: dict[Image, int | None] = field(default_factory=dict)
    listens: bool = False
    quick: Quick = quickly


class Recorder:
    """Takes down the calls of one test after the other.

    Args:
        unchanged: for each function, what says that all it depends on besides its arguments is as it was at first.
        kept: the digests of the calls that are known, by function; they are not told of again.

    Attributes:
        entered: how many calls of the target there were.
        listens: whether it is not within a call that had been made before.
    """

    __slots__ = ("_disturbed", "_kept", "_pages", "_unchanged", "entered", "listens")

    def __init__(self, unchanged: Mapping[Name, Callable[[], bool]], kept: Mapping[Name, Collection[bytes]]) -> None:
        self._unchanged = unchanged
        self._kept = kept
        self._pages = {name: _Page() for name in unchanged}
        self.entered = 0
        self.listens = True
        self._disturbed = False

    def begin(self) -> None:
        """A test begins."""
        for page in self._pages.values():
            page.seen, page.known, page.listens = Seen(), {}, True
        self.listens, self._disturbed = True, False

    def record(self) -> Record | None:
        """Return the calls since the test began, of functions that were called; None where some may be missing."""
        if self._disturbed or not self.listens:  # not even now: a thread is within such a call
            return None
        record: Record = {}
        for name, page in self._pages.items():
            if not page.seen.total:
                continue
            record[name] = page.seen
            for image in () if page.seen.opaque else page.known:
                mark, data = packed(image)
                page.seen.calls[mark] = b"" if mark in self._kept[name] else data
        return record

    def _is_worth(self, different: int) -> bool:
        """Return whether repeating more calls than so many takes clearly less than the test that makes them."""
        total = sum(page.seen.total for page in self._pages.values())
        return different < _MOST_AMONG_MANY and different * _SHARE < total

    def leading(self, name: Name, function: types.FunctionType, leads: types.CodeType) -> types.CodeType:
        """Return the code by which a function's calls lead through here, or past here where nobody listens."""
        plain = types.FunctionType(
            function.__code__, function.__globals__, function.__name__, function.__defaults__, None
        )
        page, unchanged = self._pages[name], self._unchanged[name]

        def entry(*args: Any) -> object:  # called for most calls of the target: few steps, few calls
            begun = self.entered
            page.seen.total += 1
            known = page.known
            within: int | None = _NEW
            image: Image | None = None
            try:
                if unchanged():
                    image = page.quick(args)
                    if image is None:
                        page.quick = quick_for(args)
                        image = page.quick(args) or of_arguments(args)
                    within = known.get(image, _NEW)
                    if within == _NEW:
                        if len(known) >= _MOST and not self._is_worth(len(known)):
                            raise NoImageError
                        within = known[image] = None
            except NoImageError:
                image = None
            if image is None:
                page.seen.opaque, page.listens = True, False
                return plain(*args)
            if within is None:
                result = plain(*args)
                known[image] = self.entered - begun  # it came to its end, and called whatever it calls
                return result
            self.listens = False  # the calls within are those of the first time
            try:
                return plain(*args)
            finally:
                self.listens = True
                # but where somebody calls meanwhile whom the call does not know: a thread, a signal's handler
                self._disturbed = self._disturbed or self.entered - begun != within

        parts = {_PLACES["entry"]: entry, _PLACES["plain"]: plain, _PLACES["page"]: page, _PLACES["recorder"]: self}
        return leads.replace(
            co_consts=tuple(parts.get(item, item) if type(item) is float else item for item in leads.co_consts)
        )


def leading(function: types.FunctionType) -> types.CodeType:
    """Return code with the function's own name, place and parameters, for a recorder to say where it leads."""
    code = function.__code__
    parameters = ", ".join(code.co_varnames[: code.co_argcount])
    text = (
        f"def {function.__name__}({parameters}): ({{recorder}}).entered += 1; return ({{entry}})({parameters})"
        f" if ({{page}}).listens and ({{recorder}}).listens else ({{plain}})({parameters})"
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SyntaxWarning)
        whole = compile(text.format_map(_PLACES), code.co_filename, "exec", dont_inherit=True)
    (inner,) = (item for item in whole.co_consts if isinstance(item, types.CodeType))
    return inner.replace(co_firstlineno=code.co_firstlineno, co_flags=code.co_flags, co_qualname=code.co_qualname)
