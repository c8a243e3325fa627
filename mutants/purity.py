"""Say of a function whether its answer depends on its arguments alone, so that a call of it may be repeated.

Judged by its compiled code, and by that of every function of the target that it calls. Whatever is not known to be
harmless counts as harmful: an attribute that is written, a global that is no constant, a library's function that is
not on the list below.
"""

import builtins
import inspect
import itertools
import math
import operator
import sys
import types
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np

from acidtest.mutants.instructions import tells_more, with_neighbours


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


def _public(module: types.ModuleType) -> frozenset[str]:
    return frozenset(name for name in vars(module) if not name.startswith("_"))


Name = tuple[str, str]
"""A namespace and a name in it, such as ``("math", "inf")``."""

_CONSTANTS = (bool, int, float, complex, str, bytes, type(None))
_BUILTINS = _words("""
    abs all any bool bytes complex dict divmod enumerate filter float frozenset int isinstance iter len list map
    max min next pow range repr reversed round set slice sorted str sum tuple zip
""")
_NUMPY = _words("""
    abs all any arange argmax argmin argsort array array_equal asarray bool_ ceil clip concatenate copy cumprod
    cumsum diff dot exp flip float32 float64 floor full inf int64 iscomplexobj isclose isfinite isinf isnan log
    max maximum min minimum nan ndarray ndim newaxis nonzero ones outer pi prod ravel reshape searchsorted shape
    sign size sort sqrt stack subtract sum where zeros zeros_like
""")
_LIBRARIES: dict[types.ModuleType, frozenset[str]] = {
    math: _public(math),
    operator: _public(operator) - {"attrgetter", "methodcaller", "call", "is_", "is_not"},
    itertools: frozenset({"accumulate", "chain", "islice", "pairwise", "repeat", "starmap", "takewhile", "dropwhile"}),
    np: _NUMPY,
}
_ATTRIBUTES = _words("""
    T append args argmax argmin as_integer_ratio astype clear conjugate count cumsum dtype endswith extend fill
    flatten from_iterable get hex imag index insert is_integer item items join keys lower mean ndim nonzero pop
    ravel real remove reshape reverse searchsorted shape size sort split startswith strip sum tolist upper values
""") | (_NUMPY - {"array", "asarray"})
"""What may be asked of arrays, lists, numbers and texts; none of it reaches beyond them."""
_BY_NAME = frozenset({"LOAD_ATTR", "LOAD_METHOD"})
_MADE_BY_CLASS = 1 << 9
"""The flag of a class that a ``class`` statement made."""
_EVERY_CLASS_HAS = _words("""
    __module__ __doc__ __dict__ __weakref__ __qualname__ __static_attributes__ __firstlineno__
""")


@dataclass(frozen=True, slots=True)
class Purity:
    """What a function's answer depends on besides its arguments.

    Attributes:
        names: the globals, builtins and library names that it and its callees look up; a builtin's name also as one
            of the module, where it is looked for first.
        callees: the target's functions that it calls, by module and name.
        functions: itself and all of those.
    """

    names: frozenset[Name] = frozenset()
    callees: frozenset[Name] = frozenset()
    functions: frozenset[types.FunctionType] = frozenset()

    def fixed(self) -> dict[int, str]:
        """Return the objects that are the same at every call, by ``id``: constants, and what the names stand for.

        Each has a name that says where it is from; a constant, and a default, that of its function.
        """
        found: dict[int, str] = {}
        for namespace, name in sorted(self.names):
            _note(vars(sys.modules[namespace]).get(name), f"{namespace}.{name}", found)
        for function in sorted(self.functions, key=operator.attrgetter("__module__", "__qualname__")):
            _note(function.__code__, function.__qualname__, found)
            _note(function.__defaults__, function.__qualname__, found)
        return found


@dataclass
class Judge:
    """Decides for the functions of some modules.

    Args:
        modules: the target's, by name.
    """

    modules: Mapping[str, types.ModuleType]
    _known: dict[tuple[str, types.CodeType], Purity | None] = field(default_factory=dict)

    def purity(self, function: types.FunctionType) -> Purity | None:
        """Return what the function depends on, or None where it may depend on anything.

        That is so, too, where functions call themselves or each other: the stack may come to an end.
        """
        names: set[Name] = set()
        calls: dict[types.FunctionType, set[types.FunctionType]] = {}
        pending = [function]
        while pending:
            current = pending.pop()
            if current in calls:
                continue
            own = self._own(current)
            if own is None:
                return None
            names |= own.names
            callees = {getattr(self.modules[module], name) for module, name in own.callees}
            if not all(isinstance(callee, types.FunctionType) for callee in callees):
                return None
            calls[current] = callees
            pending += callees
        if _goes_round(calls):
            return None
        others = frozenset((callee.__module__, callee.__name__) for callee in calls if callee is not function)
        return Purity(frozenset(names), others, frozenset(calls))

    def _own(self, function: types.FunctionType) -> Purity | None:
        if function.__closure__ or not all(map(_is_constant, function.__defaults__ or ())) or function.__kwdefaults__:
            return None
        if function.__code__.co_flags & (inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR):
            return None
        key = (function.__module__, function.__code__)
        if key not in self._known:
            self._known[key] = self._judged(function)
        return self._known[key]

    def _judged(self, function: types.FunctionType) -> Purity | None:
        module = function.__module__
        names: set[Name] = set()
        callees: set[Name] = set()
        libraries: set[types.ModuleType] = set()
        attributes: set[str] = set()
        for before, instruction, after in with_neighbours(function.__code__):
            if instruction is None or tells_more(before, instruction, after):
                return None
            if instruction.opname in _BY_NAME:
                attributes.add(str(instruction.argval))
            elif instruction.opname == "LOAD_GLOBAL":
                name = str(instruction.argval)
                if name in function.__globals__:
                    value = function.__globals__[name]
                    names.add((module, name))
                    if isinstance(value, types.ModuleType) and value in _LIBRARIES:
                        libraries.add(value)
                    elif isinstance(value, types.FunctionType):
                        if self._home(value) is None:
                            return None
                        callees.add((value.__module__, value.__name__))
                    elif not self._is_harmless(value):
                        return None
                elif name in _BUILTINS or is_plain_error(getattr(builtins, name, None)):
                    names |= {("builtins", name), (module, name)}
                else:
                    return None
        for name in attributes:
            owners = [library for library in libraries if name in vars(library)]
            if any(name not in _LIBRARIES[library] for library in owners):
                return None
            if not owners and name not in _ATTRIBUTES:
                return None
            names |= {(library.__name__, name) for library in owners}
        return Purity(frozenset(names), frozenset(callees))

    def _home(self, function: types.FunctionType) -> types.ModuleType | None:
        """Return the target's module in which the function stands under its own name."""
        home = self.modules.get(function.__module__)
        return home if home is not None and vars(home).get(function.__name__) is function else None

    def _is_harmless(self, value: object) -> bool:
        return _is_constant(value) or is_plain_error(value)


def _note(value: object, name: str, found: dict[int, str]) -> None:
    """Add an object and, of a tuple or of code, all that is in it."""
    found.setdefault(id(value), name)
    for part in value if type(value) is tuple else value.co_consts if isinstance(value, types.CodeType) else ():
        _note(part, name, found)


def _goes_round(calls: Mapping[types.FunctionType, set[types.FunctionType]]) -> bool:
    """Return whether one of the functions may be called while it runs."""
    left = dict(calls)
    while done := [caller for caller, callees in left.items() if left.keys().isdisjoint(callees)]:
        for caller in done:
            del left[caller]
    return bool(left)


def _is_constant(value: object) -> bool:
    if isinstance(value, tuple):
        return type(value) is tuple and all(map(_is_constant, value))
    return type(value) in _CONSTANTS or type(value) is np.float64


def is_plain_error(value: object) -> bool:
    """Return whether the value is a class of exceptions that does nothing of its own when one is made or dropped."""
    if not (isinstance(value, type) and issubclass(value, BaseException)):
        return False
    return all(
        type(kind) is type
        and all(
            name in _EVERY_CLASS_HAS or (not name.startswith("__") and _is_constant(entry))
            for name, entry in vars(kind).items()
        )
        for kind in own_classes(value)
    )


def own_classes(value: object) -> Iterator[type]:
    """Yield the class, and those that it comes from, that are not built in; nothing for what is no class of errors."""
    if isinstance(value, type) and issubclass(value, BaseException):
        yield from (kind for kind in value.__mro__ if kind.__flags__ & _MADE_BY_CLASS)
