"""Tell that something besides its arguments, which a function's answer depends on, is no longer as it was at first."""

import operator
import sys
import tracemalloc
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np

from acidtest.mutants.purity import Name, own_classes

_Look = Callable[[Mapping[str, Any]], tuple[object, ...]]


def unchanged(names: Iterable[Name]) -> Callable[[], bool]:
    """Return what says whether all of this still is what it is now.

    That is the very object that each name stands for; that a name of a builtin is no name of the module; what classes
    of errors have of their own; how numbers and arrays are written as text; and that nobody counts what memory is
    taken.

    Args:
        names: the names that a function looks up, with their namespaces.
    """
    present: dict[str, list[str]] = {}
    absent: dict[str, set[str]] = {}
    for namespace, name in sorted(names):
        if name in vars(sys.modules[namespace]):
            present.setdefault(namespace, []).append(name)
        else:
            absent.setdefault(namespace, set()).add(name)
    found = [(_look(some), vars(sys.modules[namespace])) for namespace, some in present.items()]
    looks = [(look, namespace, look(namespace)) for look, namespace in found]
    free = [(vars(sys.modules[namespace]).keys().isdisjoint, frozenset(some)) for namespace, some in absent.items()]
    classes = [
        (vars(kind), dict(vars(kind))) for _, _, values in looks for value in values for kind in own_classes(value)
    ]
    everywhere = _everywhere()
    is_not = operator.is_not

    def as_at_first() -> bool:  # asked at every call of the target
        try:
            for look, namespace, first in looks:
                if any(map(is_not, look(namespace), first)):
                    return False
        except KeyError:
            return False
        for is_free, some in free:
            if not is_free(some):
                return False
        for now, before in classes:
            if now != before:
                return False
        return _everywhere() == everywhere

    return as_at_first


def _look(names: list[str]) -> _Look:
    """Return what takes the names out of a namespace, as a tuple even where there is one."""
    return operator.itemgetter(*(names * 2 if len(names) == 1 else names))


def _printing() -> Callable[[], object]:
    """Return what gives numpy's print options, without a copy where this numpy lets us."""
    options = getattr(sys.modules.get("numpy._core.printoptions"), "format_options", None)
    return getattr(options, "get", None) or np.get_printoptions


_print_options = _printing()


def _everywhere() -> tuple[object, ...]:
    return sys.get_int_max_str_digits(), tracemalloc.is_tracing(), _print_options()
