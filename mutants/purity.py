"""Say of a function whether its answer depends on its arguments alone, so that a call of it may be repeated.

Judged by its compiled code, and by that of every function of the target that it calls. Whatever is not known to be
harmless counts as harmful: an attribute that is written, a global that is no constant, a library's function that is
not on the list below.
"""

import builtins
import dis
import inspect
import itertools
import math
import operator
import types
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


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
    math: frozenset(vars(math)),
    operator: frozenset(vars(operator)) - {"attrgetter", "methodcaller"},
    itertools: frozenset({"accumulate", "chain", "islice", "pairwise", "repeat", "starmap", "takewhile", "dropwhile"}),
    np: _NUMPY,
}
_ATTRIBUTES = frozenset(
    [
        "T",
        "append",
        "args",
        "argmax",
        "argmin",
        "as_integer_ratio",
        "astype",
        "clear",
        "conjugate",
        "count",
        "cumsum",
        "dtype",
        "endswith",
        "extend",
        "fill",
        "flatten",
        "format",
        "from_iterable",
        "get",
        "hex",
        "imag",
        "index",
        "insert",
        "is_integer",
        "item",
        "items",
        "join",
        "keys",
        "lower",
        "mean",
        "ndim",
        "nonzero",
        "pop",
        "ravel",
        "real",
        "remove",
        "reshape",
        "reverse",
        "searchsorted",
        "shape",
        "size",
        "sort",
        "split",
        "startswith",
        "strip",
        "sum",
        "tolist",
        "upper",
        "values",
    ]
) | (_NUMPY - {"array", "asarray"})
"""What may be asked of arrays, lists, numbers and texts; none of it reaches beyond them."""
_HARMFUL = frozenset(
    [
        "STORE_GLOBAL",
        "DELETE_GLOBAL",
        "STORE_ATTR",
        "DELETE_ATTR",
        "STORE_NAME",
        "DELETE_NAME",
        "LOAD_NAME",
        "IMPORT_NAME",
        "IMPORT_FROM",
        "IMPORT_STAR",
        "LOAD_BUILD_CLASS",
        "LOAD_CLASSDEREF",
        "LOAD_SUPER_ATTR",
        "YIELD_VALUE",
        "GET_AWAITABLE",
        "SETUP_ANNOTATIONS",
    ]
)
_BY_NAME = frozenset({"LOAD_ATTR", "LOAD_METHOD"})
_INNER = frozenset({"<genexpr>"})


@dataclass(frozen=True, slots=True)
class Purity:
    """What a function's answer depends on besides its arguments.

    Attributes:
        names: the globals, builtins and library names that it and its callees look up.
        callees: the target's functions that it calls, by module and name, itself included.
    """

    names: frozenset[Name] = frozenset()
    callees: frozenset[Name] = frozenset()


@dataclass
class Judge:
    """Decides for the functions of some modules.

    Args:
        modules: the target's, by name.
    """

    modules: Mapping[str, types.ModuleType]
    _known: dict[types.CodeType, Purity | None] = field(default_factory=dict)

    def purity(self, function: types.FunctionType) -> Purity | None:
        """Return what the function depends on, or None where it may depend on anything."""
        names: set[Name] = set()
        callees: set[Name] = set()
        pending, seen = [function], set()
        while pending:
            current = pending.pop()
            if current.__code__ in seen:
                continue
            seen.add(current.__code__)
            own = self._own(current)
            if own is None:
                return None
            names |= own.names
            callees |= own.callees
            for module, name in own.callees:
                callee = getattr(self.modules[module], name)
                if not isinstance(callee, types.FunctionType):
                    return None
                pending.append(callee)
        return Purity(frozenset(names), frozenset(callees))

    def _own(self, function: types.FunctionType) -> Purity | None:
        if function.__closure__ or not all(map(_is_constant, function.__defaults__ or ())) or function.__kwdefaults__:
            return None
        if function.__code__.co_flags & (inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR):
            return None
        if function.__code__ not in self._known:
            self._known[function.__code__] = self._judged(function)
        return self._known[function.__code__]

    def _judged(self, function: types.FunctionType) -> Purity | None:
        module = function.__module__
        names: set[Name] = set()
        callees: set[Name] = set()
        libraries: set[types.ModuleType] = set()
        attributes: set[str] = set()
        for instruction in _instructions(function.__code__):
            if instruction is None or instruction.opname in _HARMFUL:
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
                elif name in _BUILTINS or _is_plain_error(getattr(builtins, name, None)):
                    names.add(("builtins", name))
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
        return _is_constant(value) or _is_plain_error(value)


def _instructions(code: types.CodeType) -> Iterator[dis.Instruction | None]:
    """Yield what the code and the scopes within it do; None for a scope that is no comprehension of its own."""
    for instruction in dis.get_instructions(code):
        if instruction.opname == "YIELD_VALUE" and code.co_name in _INNER:
            continue
        yield instruction
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            if constant.co_name not in ("<genexpr>", "<listcomp>", "<setcomp>", "<dictcomp>", "<lambda>"):
                yield None
            yield from _instructions(constant)


def _is_constant(value: object) -> bool:
    if isinstance(value, tuple):
        return type(value) is tuple and all(map(_is_constant, value))
    return type(value) in _CONSTANTS or type(value) is np.float64


def _is_plain_error(value: object) -> bool:
    """Return whether the value is a class of exceptions that does nothing of its own when one is made."""
    if not (isinstance(value, type) and issubclass(value, BaseException)):
        return False
    return all(
        kind.__module__ == "builtins" or not ({"__init__", "__new__", "__str__", "__init_subclass__"} & set(vars(kind)))
        for kind in value.__mro__
    )
