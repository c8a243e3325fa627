"""Put a variant in the target's place, inside a worker: hot into the living functions, cold before the first import."""

import __future__

import functools
import importlib.machinery
import importlib.util
import operator
import pickle
import sys
import types
from collections.abc import Iterator, Mapping, Sequence
from importlib.abc import MetaPathFinder
from pathlib import Path

_FUTURE_FLAGS = functools.reduce(
    operator.or_, (getattr(__future__, name).compiler_flag for name in __future__.all_feature_names)
)
_CLASS_NOISE = frozenset({"__dict__", "__weakref__", "_abc_impl", "__annotations_cache__"})


class RefusedError(Exception):
    """The variant cannot be installed hot; a cold install gives the right answer."""


class _MutatedLoader(importlib.machinery.SourceFileLoader):
    """Loads the mutated text under the module's own name and path; nothing is cached on disk."""

    def __init__(self, module: str, path: str, source: str) -> None:
        super().__init__(module, path)
        self._source = source

    def get_code(self, fullname: str) -> types.CodeType:
        return compile(self._source, self.path, "exec", dont_inherit=True)

    def get_source(self, fullname: str) -> str:
        return self._source


class _MutatedFinder(MetaPathFinder):
    def __init__(self, module: str, path: str, source: str) -> None:
        self._module, self._path, self._source = module, path, source

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: types.ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        if fullname != self._module:
            return None
        loader = _MutatedLoader(fullname, self._path, self._source)
        submodules = [str(Path(self._path).parent)] if Path(self._path).name == "__init__.py" else None
        return importlib.util.spec_from_file_location(
            fullname, self._path, loader=loader, submodule_search_locations=submodules
        )


def install_cold(module: str, path: str, source: str) -> None:
    """Arrange that the first import of ``module`` in this process gives ``source``."""
    if module in sys.modules:
        raise RuntimeError(f"{module} is already imported in the process that should install it cold")
    sys.meta_path.insert(0, _MutatedFinder(module, path, source))


def write_overlay(folder: Path, module: str, path: Path, source: str) -> None:
    """Write the variant for processes that a test starts: the packages above the module, linked, and its mutated file.

    Args:
        folder: an empty folder; put it on ``PYTHONPATH``.
        path: the module's real file.
    """
    parts = module.split(".")
    packages = parts if path.name == "__init__.py" else parts[:-1]
    here, real = folder, path.parents[len(packages)]
    for level, package in enumerate(packages, start=1):
        here, real = here / package, real / package
        here.mkdir()
        ours = packages[level] if level < len(packages) else path.name
        for entry in real.iterdir():
            if entry.name not in {ours, "__pycache__"}:
                (here / entry.name).symlink_to(entry)
    (here / path.name).write_bytes(source.encode("utf-8"))


def install_hot(module: str, functions: Mapping[str, str], path: str) -> None:
    """Replace the code of living functions, so that every reference to them, ``from x import f`` included, changes.

    Args:
        functions: qualified names of plain functions and methods, and the mutated text of each.

    Raises:
        RefusedError: a function is no plain one, its closure or flags differ, or the swap did not take.
    """
    living = dict(_functions_of(module))
    for name, text in functions.items():
        function = living.get(name)
        if function is None:
            raise RefusedError(f"{name} is not a plain function of {module}")
        old = function.__code__
        code = _compiled(text, name, path, old.co_flags & _FUTURE_FLAGS)
        if (code.co_freevars, code.co_flags) != (old.co_freevars, old.co_flags):
            raise RefusedError(f"{name} changes its closure or its flags")
        code = code.replace(co_firstlineno=old.co_firstlineno)
        function.__code__ = code
        if function.__code__ is not code:
            raise RefusedError(f"{name} did not take its new code")


def plain_functions(module: str) -> frozenset[str]:
    """Return the qualified names of the module's functions and methods whose code may be replaced in place."""
    return frozenset(name for name, _ in _functions_of(module))


def _functions_of(module: str) -> Iterator[tuple[str, types.FunctionType]]:
    """Yield the undecorated functions that ``def`` made in ``module``, and in its classes, by qualified name."""

    def visit(namespace: Mapping[str, object], prefix: str) -> Iterator[tuple[str, types.FunctionType]]:
        for name, value in list(namespace.items()):
            if isinstance(value, types.FunctionType) and _is_plain(value, prefix + name, module):
                yield prefix + name, value
            elif isinstance(value, type) and (value.__module__, value.__qualname__) == (module, prefix + name):
                yield from visit(vars(value), f"{prefix}{name}.")

    return visit(vars(sys.modules[module]), "")


def _is_plain(function: types.FunctionType, name: str, module: str) -> bool:
    return (
        function.__module__ == module
        and function.__code__.co_qualname == name
        and not function.__code__.co_freevars
        and not hasattr(function, "__wrapped__")
    )


def _compiled(text: str, name: str, path: str, flags: int) -> types.CodeType:
    """Compile a function's text alone; a method within bare classes, so that its names are what they are there."""
    *classes, own = name.split(".")
    heads = "".join(" " * depth + f"class {outer}:\n" for depth, outer in enumerate(classes))
    try:
        code = compile(heads + text, path, "exec", flags=flags, dont_inherit=True)
    except SyntaxError as error:
        raise RefusedError(f"{name} does not compile by itself: {error}") from error
    for part in (*classes, own):
        inner = [item for item in code.co_consts if isinstance(item, types.CodeType) and item.co_name == part]
        if len(inner) != 1:
            raise RefusedError(f"{name} is not one function of its text")
        (code,) = inner
    return code


def fingerprint(module: str) -> dict[str, object] | None:
    """Return what the module remembers: its globals, caches and mutable defaults. None where that cannot be told.

    Equal before and after the baseline: the tests left no state in the module that a hot variant would inherit.
    """
    namespace = vars(sys.modules[module])
    try:
        return {name: _print_of(value, module) for name, value in namespace.items() if not name.startswith("__")}
    except Exception:  # an object that refuses to be pickled can hide anything, so the module is installed cold
        return None


def _print_of(value: object, module: str) -> object:
    if isinstance(value, types.ModuleType | types.BuiltinFunctionType):
        return id(value)
    info = getattr(value, "cache_info", None)
    if callable(info):
        return id(value), tuple(info())
    if isinstance(value, types.FunctionType):
        return id(value), pickle.dumps((value.__defaults__, value.__kwdefaults__, value.__dict__))
    if isinstance(value, type):
        members = vars(value).items() if value.__module__ == module else ()
        return id(value), tuple((name, repr(_member(member))) for name, member in members if name not in _CLASS_NOISE)
    if type(value).__module__ in {"typing", "types"}:
        return id(value)
    return id(value), pickle.dumps(value)


def _member(member: object) -> object:
    function = getattr(member, "__func__", member)
    if isinstance(function, property | types.FunctionType | types.MemberDescriptorType | types.GetSetDescriptorType):
        return id(function)
    info = getattr(function, "cache_info", None)
    if callable(info):
        return tuple(info())
    return pickle.dumps(member)
