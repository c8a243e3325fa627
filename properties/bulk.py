"""Many calls of one function whose arguments are all known before the first is made."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar

T = TypeVar("T")


def in_bulk(function: Callable[..., T], calls: Iterable[Sequence[Any]]) -> list[T]:
    """Return what ``function`` answers to each of ``calls``, in their order.

    That is ``[function(*args) for args in calls]``: the calls are made one after another, and none after one that
    raises. A function that has its own way to do just that, an attribute ``in_bulk``, is left to do so: where calls
    cost a journey each, many of them go on one.

    Args:
        calls: the arguments of each call, by place.

    Raises:
        Exception: whatever the first call raises that does.
    """
    many: Callable[[Iterable[Sequence[Any]]], list[T]] | None = getattr(function, "in_bulk", None)
    return [function(*args) for args in calls] if many is None else many(calls)


def ahead(function: Callable[..., T], calls: Iterable[Sequence[Any]]) -> list[T] | None:
    """Return what ``function`` answers to each of ``calls``, each made on copies of the arrays in it, if that is quick.

    None where the function has no way of its own to do so, an attribute ``ahead``, or where anything but answers would
    come of a call: the caller then makes each call when its turn comes, as it had to do in any case.
    """
    many: Callable[[Iterable[Sequence[Any]]], list[T] | None] | None = getattr(function, "ahead", None)
    return None if many is None else many(calls)
