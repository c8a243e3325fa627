"""Frozen data as plain JSON and back, so that a finished run can be read again years later.

It follows the types that the dataclasses declare. A field that the stored text lacks takes its default.
"""

import functools
import types
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, is_dataclass, replace
from enum import Enum
from fractions import Fraction
from pathlib import Path
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

from acidtest.mutants.model import KillMatrix, Outcome, Run, Trial

T = TypeVar("T")
_PLAIN = frozenset({str, int, float, bool, types.NoneType})


def encode(value: object) -> Any:
    """Return ``value`` as JSON data: a dataclass becomes an object, a set a sorted list."""
    if type(value) in _PLAIN:
        return value
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: encode(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, Mapping):
        return {str(key): encode(item) for key, item in value.items()}
    if isinstance(value, frozenset | set):
        return sorted(encode(item) for item in value)
    if isinstance(value, tuple | list):
        return [encode(item) for item in value]
    return str(value) if isinstance(value, Path | Fraction) else value


def decode(kind: type[T], data: Any, *others: type[Any]) -> T:
    """Return the dataclass ``kind`` that ``encode`` wrote as ``data``.

    Args:
        others: types that its fields name, and that its module does not import.

    Raises:
        TypeError: ``data`` lacks a field that has no default, or a field's type is none that is handled here.
    """
    hints = _hints(kind, *others)
    return kind(**{name: _decode(hints[name], item) for name, item in data.items() if name in hints})


def trial_row(trial: Trial) -> tuple[str, str, str, str, str, float, int | None]:
    """Return the trial as one row of plain values, in the order of its fields."""
    outcome = trial.outcome.value
    return trial.variant, trial.test, outcome, trial.reason, trial.detail, trial.seconds, trial.examples


def trial_of(row: Sequence[Any]) -> Trial:
    """Return the trial that ``trial_row`` wrote."""
    variant, test, outcome, reason, detail, seconds, examples = row
    return Trial(variant, test, Outcome(outcome), reason, detail, seconds, examples)


def filled(run: Run, trials: Sequence[Trial]) -> Run:
    """Return ``run`` with its matrix filled from ``trials``, variant by variant in the order of its tests."""
    cells = {(trial.variant, trial.test): trial for trial in trials}
    wanted = ((variant, test.id) for variant in run.matrix.variants for test in run.matrix.tests)
    found = tuple(cells[cell] for cell in wanted if cell in cells)
    return replace(run, matrix=KillMatrix(run.matrix.tests, run.matrix.variants, found))


def _read_hints(kind: type[Any], *others: type[Any]) -> dict[str, Any]:
    return get_type_hints(kind, localns={other.__name__: other for other in others})


_hints: Callable[..., dict[str, Any]] = functools.cache(_read_hints)


@functools.cache
def _is_plain(kind: Any) -> bool:
    """Return whether data of a kind is read back as it is: there may be thousands of them."""
    parts = get_args(kind) if get_origin(kind) in (Union, types.UnionType) else (kind,)
    return all(part is Any or part in _PLAIN for part in parts)


def _decode(kind: Any, data: Any) -> Any:
    if _is_plain(kind):
        return data
    origin, arguments = get_origin(kind), get_args(kind)
    if origin in (Union, types.UnionType):
        if data is None:
            return None
        kind = next(argument for argument in arguments if argument is not types.NoneType)
        return _decode(kind, data)
    if origin is tuple and arguments[1:] == (...,) and _is_plain(arguments[0]):
        return tuple(data)
    if origin is tuple and arguments[1:] == (...,):
        return tuple(_decode(arguments[0], item) for item in data)
    if origin is tuple:
        return tuple(_decode(argument, item) for argument, item in zip(arguments, data, strict=True))
    if origin is frozenset:
        return frozenset(_decode(arguments[0], item) for item in data)
    if origin is Mapping:
        return {_decode(arguments[0], key): _decode(arguments[1], item) for key, item in data.items()}
    if is_dataclass(kind) and isinstance(kind, type):
        return decode(kind, data)
    if isinstance(kind, type) and issubclass(kind, Enum | Path | Fraction):
        return kind(data)
    raise TypeError(f"cannot read back a field of type {kind}")
