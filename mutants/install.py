"""Put a variant in the target's place, inside a worker: hot into the living functions, cold before the first import."""

import __future__

import functools
import importlib.machinery
import importlib.util
import operator
import sys
import types
from collections.abc import Iterator, Mapping, Sequence
from importlib.abc import MetaPathFinder
from pathlib import Path

_FUTURE_FLAGS = functools.reduce(
    operator.or_, (getattr(__future__, name).compiler_flag for name in __future__.all_feature_names)
)


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
    """Write what shows the variant to Python processes that a test starts.

    A ``sitecustomize.py`` that puts the mutated text before every folder that such a process looks in; another one
    that would have been found runs after it.

    Args:
        folder: an empty folder; put it on ``PYTHONPATH``.
        path: the module's real file.
    """
    (folder / "mutated.txt").write_bytes(source.encode("utf-8"))
    (folder / "sitecustomize.py").write_text(
        _SITE.format(module=module, path=str(path), folder=str(folder)), encoding="utf-8"
    )


_SITE = """
import importlib.machinery, importlib.util, os, sys

class _Loader(importlib.machinery.SourceFileLoader):
    def get_code(self, fullname):
        with open(os.path.join({folder!r}, "mutated.txt"), "rb") as file:
            return compile(file.read().decode("utf-8"), {path!r}, "exec", dont_inherit=True)

class _Finder:
    @staticmethod
    def find_spec(fullname, path=None, target=None):
        if fullname != {module!r}:
            return None
        inside = [os.path.dirname({path!r})] if os.path.basename({path!r}) == "__init__.py" else None
        loader = _Loader({module!r}, {path!r})
        return importlib.util.spec_from_file_location(
            fullname, {path!r}, loader=loader, submodule_search_locations=inside
        )

sys.meta_path.insert(0, _Finder)
_rest = [entry for entry in sys.path if os.path.realpath(entry or ".") != os.path.realpath({folder!r})]
_next = importlib.machinery.PathFinder.find_spec("sitecustomize", _rest)
if _next is not None and _next.loader is not None:
    _next.loader.exec_module(importlib.util.module_from_spec(_next))
"""


def install_hot(module: str, functions: Mapping[str, str], path: str, source: str) -> None:
    """Replace the code of living functions, so that every reference to them, ``from x import f`` included, changes.

    Args:
        functions: qualified names of plain functions and methods, and the mutated text of each.
        source: the module's whole mutated text, for a test that imports it afresh.

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
    sys.meta_path.insert(0, _MutatedFinder(module, path, source))


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
        code: types.CodeType = compile(heads + text, path, "exec", flags=flags, dont_inherit=True)
    except SyntaxError as error:
        raise RefusedError(f"{name} does not compile by itself: {error}") from error
    for part in (*classes, own):
        inner = [item for item in code.co_consts if isinstance(item, types.CodeType) and item.co_name == part]
        if len(inner) != 1:
            raise RefusedError(f"{name} is not one function of its text")
        (code,) = inner
    return code
