"""A copy of target and tests in which mutmut may write as it likes.

mutmut makes a folder ``mutants`` where it stands, copies there what is to be tested, and imports what it finds. So it
gets a folder that holds the target under ``src``, the tests under their own paths, and nothing else of the project.
"""

import json
import shutil
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from acidtest.mutants.workload import Workload

_INI_FILES = ("pytest.ini", ".pytest.ini", "tox.ini", "setup.cfg")
_IGNORED = shutil.ignore_patterns(".*", "__pycache__", "mutants", "build", "dist", "*.egg-info", "venv", "node_modules")
_PLUGIN = "acidtest_reporter"
_WITHOUT = ("cacheprovider", "randomly", "random_order", "rerunfailures", "xdist", "pytest_cov")


@dataclass(frozen=True, slots=True)
class Stage:
    """The folder in which mutmut runs, and what it leaves there."""

    folder: Path

    def results(self, module: str) -> Path:
        """Return mutmut's result file for a module: exit codes and durations by its names."""
        return self.folder / "mutants" / "src" / (module.replace(".", "/") + ".py.meta")

    def spans(self, module: str) -> Path:
        """Return mutmut's file of where each mutated function stands in its mutated module."""
        return self.results(module).with_suffix(".spans")

    def mutated(self, module: str) -> Path:
        """Return mutmut's mutated module, all of its mutants in one text."""
        return self.results(module).with_suffix("")

    @property
    def log(self) -> Path:
        """Return the file in which the plugin writes what became of each test."""
        return self.folder / "tests.jsonl"


def stage(workload: Workload, folder: Path, seed: int, report: bool = True, every_kill: bool = False) -> Stage:
    """Make ``folder`` anew, with all that mutmut needs to try the workload's mutants by its tests.

    Args:
        seed: Hypothesis's. report: let our plugin write down each test's outcome.
        every_kill: do not stop at a mutant's first kill.
    """
    if folder.exists():
        shutil.rmtree(folder)
    folder.mkdir(parents=True)
    source = folder / "src"
    for top in sorted({module.split(".")[0] for module in workload.modules}):
        package, file = workload.source / top, workload.source / f"{top}.py"
        if package.is_dir():
            shutil.copytree(package, source / top, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            source.mkdir(exist_ok=True)
            shutil.copy2(file, source / file.name)
    tests = _copy_tests(workload, folder)
    settings = _pytest_settings(workload, folder)
    if report:
        shutil.copyfile(Path(__file__).with_name("reporter.py"), folder / f"{_PLUGIN}.py")
    names = sorted(path.name for path in folder.iterdir() if path != source)
    arguments = ["-o", "addopts=", f"--hypothesis-seed={seed}"]
    arguments += [part for plugin in _WITHOUT for part in ("-p", f"no:{plugin}")]
    arguments += ["-p", _PLUGIN] if report else []
    arguments += ["--maxfail=1000000"] if every_kill else []
    table = {
        "source_paths": ["src"],
        "only_mutate": ["src/" + module.replace(".", "/") + ".py" for module in workload.modules],
        "also_copy": names,
        "pytest_add_cli_args": arguments,
        "pytest_add_cli_args_test_selection": tests,
        "use_git_change_detection": False,
    }
    text = _table("tool.mutmut", table) + (_table("tool.pytest.ini_options", settings) if settings else "")
    (folder / "pyproject.toml").write_text(text, "utf-8")
    return Stage(folder)


def _copy_tests(workload: Workload, folder: Path) -> list[str]:
    """Copy the tests with what lies beside them and the conftest files above; return their paths in the copy."""
    names = []
    for number, path in enumerate(workload.tests):
        inside = path.is_relative_to(workload.root)
        name = path.relative_to(workload.root) if inside else Path(f"outside_{number}") / path.name
        names.append(str(name))
        if path.is_dir():
            shutil.copytree(path, folder / name, ignore=_IGNORED, dirs_exist_ok=True)
        else:
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            _copy([path, *_helpers(path.parent)], (folder / name).parent)
        above = path.parents[: len(name.parts)] if inside else ()
        for place in above:
            copy = folder / place.relative_to(workload.root)
            _copy((file for file in (place / "conftest.py", place / "__init__.py") if file.is_file()), copy)
    return names


def _helpers(folder: Path) -> Iterable[Path]:
    """Return what tests of this folder may import from beside them; not other tests, which would be run too."""
    return (path for path in folder.glob("*.py") if not path.name.startswith("test_"))


def _copy(files: Iterable[Path], folder: Path) -> None:
    for file in files:
        shutil.copy2(file, folder / file.name)


def _pytest_settings(workload: Workload, folder: Path) -> Mapping[str, Any]:
    """Copy the project's pytest settings; without any, write an empty file, so that none above the copy is found."""
    ours = workload.embedded and all(path.is_relative_to(workload.root) for path in workload.tests)
    files = [] if ours else [file for name in _INI_FILES if (file := workload.root / name).is_file()]
    _copy(files, folder)
    project = workload.root / "pyproject.toml"
    if not ours and project.is_file():
        tools = tomllib.loads(project.read_text("utf-8")).get("tool", {})
        settings = tools.get("pytest", {}).get("ini_options")
        if isinstance(settings, dict) and not {"pytest.ini", ".pytest.ini"} & {file.name for file in files}:
            return settings
    if not any(section in file.read_text("utf-8") for file in files for section in ("[pytest]", "[tool:pytest]")):
        (folder / "pytest.ini").write_text("[pytest]\n")
    return {}


def _table(name: str, values: Mapping[str, Any]) -> str:
    """Return a table as TOML; its values are texts, numbers, truth values, and lists of those."""
    lines = [f"{json.dumps(key)} = {json.dumps(value, ensure_ascii=False)}" for key, value in values.items()]
    return f"[{name}]\n" + "".join(f"{line}\n" for line in lines)
