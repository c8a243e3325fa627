"""The stubs say what the code does: the same names, parameters, defaults and annotations, in every implementation."""

import ast
import inspect
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

import pytest

TARGET = Path(__file__).parents[1]
MODULES = ("uniforms", "categorical", "rejection")
FUNCTIONS = (
    "rejection_accept",
    "acceptance_probability",
    "residual_distribution",
    "speculative_step",
    "rejection_sample",
)
IMPLEMENTATIONS = sorted([*TARGET.glob("wheats/*.py"), *TARGET.glob("start/*.py")])


def outline(source: str) -> dict[str, str]:
    """Return every public name that a module defines, methods included, with its signature, bases or nothing."""
    return dict(_outline(ast.parse(source).body, ""))


def _outline(body: list[ast.stmt], prefix: str) -> Iterator[tuple[str, str]]:
    for statement in body:
        if isinstance(statement, ast.ClassDef):
            yield prefix + statement.name, ", ".join(map(ast.unparse, statement.bases))
            yield from _outline(statement.body, f"{prefix}{statement.name}.")
        elif isinstance(statement, ast.FunctionDef):
            if statement.name == "__init__" or not statement.name.startswith("_"):
                returns = ast.unparse(statement.returns) if statement.returns else "missing"
                yield prefix + statement.name, f"({ast.unparse(statement.args)}) -> {returns}"
        elif isinstance(statement, ast.Assign | ast.AnnAssign):
            targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
            for target in targets:
                if not ast.unparse(target).startswith("_"):
                    yield prefix + ast.unparse(target), ""


@pytest.mark.parametrize("module", MODULES)
def test_the_stub_and_the_reference_have_one_outline(module: str) -> None:
    stub = outline((TARGET / "contract" / f"{module}.pyi").read_text(encoding="utf-8"))
    reference = outline((TARGET / "tinyllm" / "prob" / f"{module}.py").read_text(encoding="utf-8"))
    assert stub == reference


def test_every_stub_has_a_module_and_every_module_a_stub() -> None:
    assert {path.stem for path in (TARGET / "contract").glob("*")} == set(MODULES)
    assert {path.stem for path in (TARGET / "tinyllm" / "prob").glob("[!_]*.py")} == set(MODULES)


def test_every_name_in_a_stub_explains_itself() -> None:
    for module in MODULES:
        tree = ast.parse((TARGET / "contract" / f"{module}.pyi").read_text(encoding="utf-8"))
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef | ast.FunctionDef) and node.name != "__init__":
                assert ast.get_docstring(node), f"{module}.pyi: {node.name} has no docstring"


def test_the_outline_notices_a_changed_default_name_and_annotation() -> None:
    source = (TARGET / "contract" / "rejection.pyi").read_text(encoding="utf-8")
    for before, after in [
        ("max_tries: int = 10000", "max_tries: int = 1000"),
        ("u_resample: float", "u_redraw: float"),
        ("-> bool", "-> float"),
        ("(ArithmeticError)", "(ValueError)"),
        ("def rejection_sample", "def rejection_draw"),
    ]:
        assert source.count(before) == 1, before
        assert outline(source.replace(before, after)) != outline(source)


@pytest.mark.parametrize("path", IMPLEMENTATIONS, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_an_implementation_has_the_contract_s_signatures(path: Path) -> None:
    from tinyllm.prob import rejection

    module = _load(path)
    for name in FUNCTIONS:
        mine, theirs = (inspect.signature(getattr(owner, name)) for owner in (module, rejection))
        assert str(mine) == str(theirs), f"{path.name}: {name}"
    assert module.ZeroResidualError.__bases__ == (ArithmeticError,)


def test_stubtest_finds_no_disagreement(tmp_path: Path) -> None:
    """mypy's own comparison of stub and runtime, which also knows what a default or a Protocol means."""
    package = tmp_path / "tinyllm" / "prob"
    package.mkdir(parents=True)
    for folder in (package.parent, package):
        (folder / "__init__.pyi").touch()
    for stub in (TARGET / "contract").glob("*.pyi"):
        shutil.copy(stub, package)
    finished = subprocess.run(
        [sys.executable, "-m", "mypy.stubtest", *(f"tinyllm.prob.{module}" for module in MODULES)],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(TARGET), "MYPYPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert finished.returncode == 0, finished.stdout + finished.stderr


def _load(path: Path) -> ModuleType:
    spec = spec_from_file_location(f"signatures_of_{path.stem}", path)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
