"""Tell that something besides its arguments, which a function's answer depends on, is no longer as it was at first."""

import itertools
import operator
import sys
import tracemalloc
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from acidtest.mutants.purity import Name, own_classes


def unchanged(names: Iterable[Name]) -> Callable[[], bool]:
    """Return what says whether all of this still is what it is now.

    That is the very object that each name stands for; that a name of a builtin is no name of the module; what classes
    of errors have of their own; how numbers and arrays are written as text; and that nobody counts what memory is
    taken.

    Args:
        names: the names that a function looks up, with their namespaces.
    """
    known: dict[str, object] = {"everywhere": _everywhere, "at_first": _everywhere()}

    def name_of(value: object) -> str:
        known[f"known{len(known)}"] = value
        return f"known{len(known) - 1}"

    tests = []
    for namespace, some in itertools.groupby(sorted(names), operator.itemgetter(0)):
        there = vars(sys.modules[namespace])
        here = name_of(there)
        for _, name in some:
            if name not in there:
                tests.append(f"{name!r} not in {here}")
                continue
            tests.append(f"{here}[{name!r}] is {name_of(there[name])}")
            tests += [f"{name_of(vars(kind))} == {name_of(dict(vars(kind)))}" for kind in own_classes(there[name])]
    # asked at every call of the target: one expression is three times as fast as loops over the same
    lines = [
        f"def make({', '.join(known)}):",
        "  def as_at_first():",
        "    try:",
        f"      return {' and '.join([*tests, 'everywhere() == at_first'])}",
        "    except KeyError:",
        "      return False",
        "  return as_at_first",
    ]
    made: dict[str, Any] = {}
    exec("\n".join(lines), made)
    as_at_first: Callable[[], bool] = made["make"](**known)
    return as_at_first


def _printing() -> Callable[[], object]:
    """Return what gives numpy's print options, without a copy where this numpy lets us."""
    options = getattr(sys.modules.get("numpy._core.printoptions"), "format_options", None)
    return getattr(options, "get", None) or np.get_printoptions


_print_options = _printing()


def _everywhere() -> tuple[object, ...]:
    return sys.get_int_max_str_digits(), tracemalloc.is_tracing(), _print_options()
