"""Which calls each test makes: the suite is run on a copy of the module that writes its calls down.

The copy is a variant like any other. It notes each call's arguments as plain data, at most ``CALLS`` different ones for
each test and function; a call with an argument that is no plain data, such as a float32 array, is left out.
"""

import json
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from acidtest.mutants.bench import Bench
from acidtest.mutants.model import Variant
from acidtest.mutants.workload import Workload

CALLS = 400
_PEN = """

def _acidtest_diary(path, limit, functions):
    import functools, inspect, json, os

    handle = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    seen = {}

    class Listening:
        def __init__(self, inner):
            self.__dict__.update(_inner=inner, _given=[])

        def random(self):
            value = self._inner.random()
            self._given.append(value)
            return value

        def __getattr__(self, name):
            return getattr(self._inner, name)

    def plain(value):
        if value is None or isinstance(value, (bool, int, str, float)) and type(value).__module__ == "builtins":
            return value
        if isinstance(value, Listening):
            return list(value._given)
        if hasattr(value, "dtype") and hasattr(value, "tolist"):
            if str(value.dtype) not in ("float64", "int64", "bool"):
                raise TypeError(str(value.dtype))
            return plain(value.tolist())
        if isinstance(value, (list, tuple)):
            parts = [plain(part) for part in value]
            shapes = {len(part) if isinstance(part, list) else str(type(part)) for part in parts}
            if len(shapes) > 1 or shapes & {"<class 'str'>", "<class 'NoneType'>"}:
                raise TypeError("no numbers")
            return parts
        raise TypeError(type(value).__name__)

    def watched(name, inner):
        signature = inspect.signature(inner)

        @functools.wraps(inner)
        def wrapper(*args, **kwargs):
            test = os.environ.get("PYTEST_CURRENT_TEST", "").rpartition(" ")[0]
            notes = seen.setdefault((test, name), set())
            if not test or len(notes) >= limit:
                return inner(*args, **kwargs)
            try:
                bound = signature.bind(*args, **kwargs)
            except TypeError:
                return inner(*args, **kwargs)
            handed = bound.arguments
            for key, value in handed.items():
                if callable(getattr(value, "random", None)):
                    handed[key] = Listening(value)
            try:
                before = {key: value if isinstance(value, Listening) else plain(value) for key, value in handed.items()}
            except TypeError:
                before = None
            try:
                return inner(*bound.args, **bound.kwargs)
            finally:
                if before is not None:
                    before = {key: plain(value) if isinstance(value, Listening) else value
                              for key, value in before.items()}
                    line = json.dumps([test, name, before])
                    if line not in notes:
                        notes.add(line)
                        os.write(handle, line.encode() + b"\\n")

        return wrapper

    for name in functions:
        if name in globals():
            globals()[name] = watched(name, globals()[name])


_acidtest_diary({path!r}, {limit!r}, {functions!r})
"""


@dataclass(frozen=True, slots=True)
class Noted:
    """One call that a test made, arguments by name as plain data."""

    test: str
    function: str
    args: Mapping[str, Any]


def diary(
    workload: Workload, bench: Bench, functions: Iterable[tuple[str, str]], tests: Sequence[str]
) -> tuple[Noted, ...]:
    """Return the calls that each test makes of plain functions, each different one once, in order.

    Args:
        bench: one whose baseline has run. functions: module and name of each; methods are left out.
        tests: ids of the tests to run.
    """
    by_module: dict[str, list[str]] = {}
    for module, name in functions:
        if module in workload.modules and "." not in name:
            by_module.setdefault(module, []).append(name)
    found: list[Noted] = []
    for module, names in by_module.items():
        with tempfile.TemporaryDirectory(prefix="acidtest-diary-") as folder:
            path = Path(folder) / "calls"
            source = workload.read(module) + _pen(path, sorted(set(names)))
            variant = Variant(f"diary of {module}", "", module, source, (), None, "", kind="diary")
            for _ in bench.trials(variant, variant.id, tests, hot=False, bail=False):
                pass  # what the tests make of it does not matter here
            lines = path.read_text("utf-8").splitlines() if path.exists() else []
        found += [Noted(*json.loads(line)) for line in lines]
    return tuple(found)


def _pen(path: Path, names: Sequence[str]) -> str:
    text = _PEN
    for mark, value in (("{path!r}", str(path)), ("{limit!r}", CALLS), ("{functions!r}", list(names))):
        text = text.replace(mark, repr(value))
    return text
