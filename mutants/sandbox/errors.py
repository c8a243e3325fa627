"""Exceptions over the wire: by the names in their class's MRO, made anew on the other side."""

import builtins
import json
from collections.abc import Mapping
from typing import Any

from acidtest.mutants.sandbox.faults import ProtocolFault
from acidtest.mutants.sandbox.writing import NAME, named

BUILTIN, OWN, FOREIGN = "b", "s", "c"
_TEXT = 2000
_DEPTH = 16
_PARTICULAR = ("UnicodeDecodeError", "UnicodeEncodeError", "UnicodeTranslateError", "ExceptionGroup")
_REAL: dict[str, type[Exception]] = {
    kind.__name__: kind
    for kind in vars(builtins).values()
    if isinstance(kind, type) and issubclass(kind, Exception) and kind.__name__ not in _PARTICULAR
}
"""The classes that are themselves on both sides. One that wants more than a text is known by its base."""


def described(error: BaseException, own: Mapping[str, type]) -> tuple[list[tuple[str, str]], str]:
    """Return where each class of an exception's MRO comes from with its name, and the exception's text.

    Args:
        own: the classes that the module under test promises, by name.
    """
    return kinds_of(type(error), own), _text(error)


def kinds_of(kind: type, own: Mapping[str, type]) -> list[tuple[str, str]]:
    """Return where each class of an MRO comes from, with its name; ``object`` left out."""
    kinds = []
    for one in kind.__mro__[:-1][:_DEPTH]:
        name = next((name for name, promised in own.items() if promised is one), None)
        if name is not None:
            kinds.append((OWN, name))
        elif _REAL.get(one.__name__) is one:
            kinds.append((BUILTIN, one.__name__))
        else:
            kinds.append((FOREIGN, named(one)))
    return kinds


def kinds_text(kinds: list[tuple[str, str]]) -> str:
    """Return an MRO's names as JSON; none of them needs an escape."""
    return json.dumps(kinds)


def _text(error: BaseException) -> str:
    try:
        return str(error)[:_TEXT]
    except Exception:  # its own __str__ fails: the class must do
        return ""


class Classes:
    """The classes of one conversation's exceptions and warnings.

    Attributes:
        own: the classes that the module under test promises, as this side has them, by name.
    """

    def __init__(self) -> None:
        self.own: dict[str, type] = {}
        self._made: dict[tuple[str, tuple[type, ...]], type] = {}

    def kind(self, kinds: Any) -> type[Exception] | None:
        """Return the class for an MRO's names; None where it is no ``Exception``.

        A class of the other side's own has its name, and those real classes as bases that its MRO had.

        Raises:
            ProtocolFault: it is no list of names.
        """
        if type(kinds) is not list or not 0 < len(kinds) <= _DEPTH:
            raise ProtocolFault("protocol fault: an exception without a class")
        bases: list[type] = []
        for item in kinds:
            if type(item) is not list or len(item) != 2 or any(type(part) is not str for part in item):
                raise ProtocolFault("protocol fault: an exception's class without a name")
            origin, name = item
            if not NAME.fullmatch(name):
                raise ProtocolFault(f"protocol fault: a class {name!r:.20}")
            known = {OWN: self.own, BUILTIN: _REAL}.get(origin, {}).get(name)
            if known is not None and not any(issubclass(base, known) for base in bases):
                bases.append(known)
                if item is kinds[0]:
                    return known
        return self._make(kinds[0][1], tuple(bases)) if bases else None

    def promise(self, name: str, kinds: Any) -> type | None:
        """Return the class that stands for one that the module under test promises, and know it by that name."""
        kind = self.kind(kinds)
        if kind is not None:
            self.own[name] = kind
        return kind

    def _make(self, name: str, bases: tuple[type, ...]) -> type[Exception]:
        if len(self._made) > 256:
            return Exception
        if (name, bases) not in self._made:
            try:
                self._made[name, bases] = type(name, bases, {})
            except TypeError:  # bases that cannot be one object: the nearest must do
                self._made[name, bases] = type(name, bases[:1], {})
        return self._made[name, bases]
