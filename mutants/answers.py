"""Say what a call answers in one text, so that two answers differ exactly where their texts do."""

import re
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")
_PLAIN = frozenset({bool, int, float, type(None)})  # no call can change them, and nothing shares memory with them
_NO_SOURCES = _PLAIN | {np.ndarray, list, str}


def answer(
    function: Callable[..., object], args: dict[str, Any], contract_errors: tuple[type[BaseException], ...] = ()
) -> str:
    """Call ``function(**args)`` and describe all that a caller can see of it.

    That is: the value bit for bit with its type and dtype, or the error's class; then, joined by ``; ``, which
    argument the result shares memory with, each argument that changed, how many uniforms each source gave, and the
    classes of warnings. Message texts do not count.

    Args:
        function: what is called.
        args: live arguments by name. One with an integer attribute ``drawn`` is a source of uniforms.
        contract_errors: classes an error may be called by: the nearest of them in its MRO, else its own class.
    """
    sources = {name: value.drawn for name, value in args.items() if _is_source(value)}
    before = {name: _image(value) for name, value in args.items() if type(value) not in _PLAIN and name not in sources}
    result: object = None
    error: str | None = None
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            result = function(**args)
        except KeyboardInterrupt:
            raise
        except BaseException as raised:  # whatever comes out is the answer
            error = _error_name(raised, contract_errors)  # not `raised`: it would keep this frame and the arguments
    parts = [describe(result) if error is None else f"raises {error}"]
    if error is None and not _is_plain(result):
        parts += [f"shares {name}" for name, value in args.items() if _shares(result, value)]
    parts += [f"{name} after = {describe(args[name])}" for name, image in before.items() if _image(args[name]) != image]
    parts += [f"drew {args[name].drawn - drawn}" for name, drawn in sources.items()]
    parts += [f"warned {name}" for name in sorted({warning.category.__name__ for warning in caught})]
    return "; ".join(parts)


def bare_answer(
    function: Callable[..., object], args: dict[str, Any], contract_errors: tuple[type[BaseException], ...] = ()
) -> str:
    """Return what ``answer`` does where it is known that no argument is changed or shared, and nothing is warned of."""
    sources = {name: value.drawn for name, value in args.items() if _is_source(value)}
    try:
        text = describe(function(**args))
    except KeyboardInterrupt:
        raise
    except BaseException as raised:  # as above
        text = f"raises {_error_name(raised, contract_errors)}"
    return "; ".join([text, *(f"drew {args[name].drawn - drawn}" for name, drawn in sources.items())])


def describe(value: object) -> str:
    """Return one text for a value, equal only for values equal bit for bit, of the same types throughout.

    Floats are written by ``repr``, so they round-trip; objects without a ``repr`` of their own are written by class.
    """
    kind = type(value)
    if kind in _PLAIN:
        return repr(value)
    if isinstance(value, np.ndarray):
        return _describe_array(value)
    if kind is list:
        return f"[{_describe_all(value)}]"
    if isinstance(value, tuple):
        name = "" if kind is tuple else kind.__name__
        return f"{name}({_describe_all(value)}{',' if len(value) == 1 else ''})"
    if isinstance(value, dict):
        items = ", ".join(f"{describe(key)}: {describe(item)}" for key, item in value.items())
        return f"{'' if kind is dict else kind.__name__}{{{items}}}"
    if isinstance(value, set | frozenset):
        return f"{kind.__name__}({', '.join(sorted(map(describe, value)))})"
    if isinstance(value, int | float | str | bytes) and kind.__module__ not in ("builtins", "numpy"):
        return f"{kind.__name__}({value!r})"
    return _ADDRESS.sub("", repr(value))


def _describe_all(values: Any) -> str:
    return ", ".join(map(describe, values))


def _describe_array(array: np.ndarray[Any, Any]) -> str:
    extras = [] if array.dtype == np.float64 else [f"dtype={array.dtype}"]
    if array.size == 0 and array.ndim != 1:
        extras.append(f"shape={array.shape}")
    return f"{_array_name(array)}({', '.join([describe(array.tolist()), *extras])})"


def _array_name(array: np.ndarray[Any, Any]) -> str:
    return "array" if type(array) is np.ndarray else type(array).__name__


def _is_plain(value: object) -> bool:
    kind = type(value)
    if kind is tuple:
        return all(type(part) in _PLAIN for part in value)  # type: ignore[attr-defined]
    return kind in _PLAIN


def _is_source(value: object) -> bool:
    return type(value) not in _NO_SOURCES and type(getattr(value, "drawn", None)) is int


def _image(value: object) -> object:
    """Return what an argument looks like, to be compared after the call; cheap for the arrays of a domain."""
    if isinstance(value, np.ndarray) and not value.dtype.hasobject:
        return type(value), value.dtype, value.shape, value.tobytes()
    return describe(value)


def _shares(result: object, value: object) -> bool:
    """Return whether the result, or a part of it, is the argument's own memory."""
    if isinstance(result, tuple | list) and result is not value:
        return any(_shares(part, value) for part in result)
    if isinstance(result, np.ndarray) and isinstance(value, np.ndarray):
        return bool(np.shares_memory(result, value))
    return result is value and isinstance(value, list | dict | set | bytearray)


def _error_name(error: BaseException, contract_errors: tuple[type[BaseException], ...]) -> str:
    for kind in type(error).__mro__:
        if kind in contract_errors:
            return kind.__name__
    return type(error).__name__
