"""What is judged and by what: the project one stands in, by its ``[tool.acidtest]``, else the workload that ships."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

_HOUSE = Path(__file__).resolve().parent.parent
_MARK = b"@pytest.mark.chapter"
_KEYS = frozenset({"source", "modules", "tests", "catalog", "wheats", "calls"})


class WorkloadError(ValueError):
    """The project's ``[tool.acidtest]`` does not describe a workload; the message is one line with the remedy."""


@dataclass(frozen=True, slots=True)
class Workload:
    """Where the parts of a workload lie.

    Attributes:
        root: the folder that names are shown relative to.
        source: the folder that the target's modules import from.
        modules: dotted names of the modules that are mutated and measured.
        tests: pytest files or folders; in ``[tool.acidtest]`` patterns such as ``tests/test_*.py`` too.
        catalog: the folder of entries, one TOML file each.
        wheats: the folder of right implementations, or None.
        calls: dotted module, or path of a file, that says how to call the target's functions, or None.
        embedded: True for the workload that ships with the tool.
    """

    root: Path
    source: Path
    modules: tuple[str, ...]
    tests: tuple[Path, ...]
    catalog: Path
    wheats: Path | None
    calls: str | None
    embedded: bool

    def module_path(self, module: str) -> Path:
        """Return the file of a module of the target."""
        stem = self.source.joinpath(*module.split("."))
        package = stem / "__init__.py"
        return package if package.is_file() else stem.with_suffix(".py")

    def read(self, module: str) -> str:
        """Return a target module's source text, newlines as they are in the file.

        Raises:
            WorkloadError: the file cannot be read or is not UTF-8.
        """
        path = self.module_path(module)
        try:
            return path.read_bytes().decode("utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise WorkloadError(f"{path}: cannot read the target module {module}: {error}") from error

    def pytest_arguments(self) -> list[str]:
        """Return pytest's arguments; the workload that ships takes nothing from the folder it lies in or those above.

        Nor does pytest look through these, which may be a whole ``site-packages``.
        """
        paths = [str(path) for path in self.tests]
        ours = self.embedded and all(path.is_relative_to(self.root) for path in self.tests)
        apart = ["-c", "/dev/null", f"--rootdir={self.root}", f"--confcutdir={self.root}"]
        return [*apart, *paths] if ours else paths

    def chapters_own(self) -> "Workload":
        """Return the workload without the files in which no test is the chapter's; itself, where none is anywhere.

        Only what ships is known to mark its tests in their own files, and not by a helper or a ``conftest.py``.
        """
        files = [path for path in self.tests if path.is_file()]
        marked = tuple(path for path in files if _MARK in path.read_bytes()) if self.embedded else ()
        return replace(self, tests=marked) if marked and len(files) == len(self.tests) else self

    def with_tests(self, tests: tuple[Path, ...]) -> "Workload":
        """Return the same workload judged by another suite.

        Raises:
            WorkloadError: a path does not exist.
        """
        for path in tests:
            if not path.exists():
                raise WorkloadError(f"--tests {path}: no such file or folder; name a pytest file or a folder of them")
        return replace(self, tests=tuple(path.resolve() for path in tests))


def embedded() -> Workload:
    """Return the workload that ships: the rejection-sampling chapter, its properties and its catalog."""
    return Workload(
        root=_HOUSE,
        source=_HOUSE / "target",
        modules=("tinyllm.prob.rejection", "tinyllm.prob.categorical", "tinyllm.prob.uniforms"),
        tests=tuple(sorted((_HOUSE / "properties").glob("test_*.py"))),
        catalog=_HOUSE / "mutants" / "catalog",
        wheats=_HOUSE / "target" / "wheats",
        calls="acidtest.properties.calls",
        embedded=True,
    )


def find_workload(start: Path) -> Workload:
    """Return the workload of the nearest ``pyproject.toml`` at or above ``start`` that has ``[tool.acidtest]``.

    Raises:
        WorkloadError: that table is wrong; the message names the file, the key and the remedy.
    """
    for folder in (start.resolve(), *start.resolve().parents):
        path = folder / "pyproject.toml"
        if not path.is_file():
            continue
        import tomllib  # mostly there is no such file

        try:
            table = tomllib.loads(path.read_text("utf-8")).get("tool", {}).get("acidtest")
        except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
            raise WorkloadError(f"{path}: cannot be read as TOML: {error}") from error
        if table is not None:
            return _configured(path, table)
    return embedded()


def _configured(path: Path, table: Mapping[str, Any]) -> Workload:
    unknown = sorted(set(table) - _KEYS)
    if unknown:
        raise WorkloadError(f"{path}: [tool.acidtest] has no key {unknown[0]!r}; it takes {', '.join(sorted(_KEYS))}")
    root = path.parent
    source = root / _text(path, table, "source", default=".")
    modules = _texts(path, table, "modules")
    tests = tuple(found for name in _texts(path, table, "tests") for found in _matches(root, name))
    catalog = root / _text(path, table, "catalog")
    wheats = root / _text(path, table, "wheats") if "wheats" in table else None
    calls = _text(path, table, "calls") if "calls" in table else None
    if calls is not None and calls.endswith(".py"):
        calls = str(root / calls)
    for key, place in [("source", source), ("catalog", catalog), *(("tests", test) for test in tests)]:
        if not place.exists():
            raise WorkloadError(f"{path}: [tool.acidtest] {key}: {place} does not exist; name one that does")
    workload = Workload(root, source, modules, tests, catalog, wheats, calls, embedded=root == _HOUSE)
    for module in modules:
        if not workload.module_path(module).is_file():
            raise WorkloadError(f"{path}: [tool.acidtest] modules: {module} is not a file under {source}")
    return workload


def _matches(root: Path, name: str) -> list[Path]:
    """Return the files that a pattern names, sorted, or the one path that a plain name is."""
    return sorted(root.glob(name)) if "*" in name else [root / name]


def _text(path: Path, table: Mapping[str, Any], key: str, default: str | None = None) -> str:
    value = table.get(key, default)
    if not isinstance(value, str) or not value:
        raise WorkloadError(f"{path}: [tool.acidtest] {key} = {value!r} must be a non-empty string")
    return value


def _texts(path: Path, table: Mapping[str, Any], key: str) -> tuple[str, ...]:
    value = table.get(key)
    if not isinstance(value, list) or not value or not all(isinstance(item, str) and item for item in value):
        raise WorkloadError(f"{path}: [tool.acidtest] {key} = {value!r} must be a list of strings, at least one")
    return tuple(value)
