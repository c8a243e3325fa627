"""The wheel and the sdist hold what the rooms hold, and the wheel alone does the main job in an empty folder."""

import os
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SUFFIXES = {".py", ".pyi", ".toml", ".jsonl", ".j2", ".css", ".js", ".json", ".sh"}
ROOMS = ("target", "properties", "mutants", "reports")


def shipped() -> set[str]:
    """Return what belongs in a distribution, by its path under the package: every room's files but its own tests."""
    found = set()
    for room in ROOMS:
        for path in (ROOT / room).rglob("*"):
            parts = path.relative_to(ROOT).parts
            ours = path.suffix in SUFFIXES or path.parent.name == "vendor"  # what is taken in goes with its licence
            if ours and "tests" not in parts and "out" not in parts:
                found.add("/".join(parts))
    return found


@pytest.fixture(scope="module")
def distributions(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build from a copy, without the network, and return the folder of results."""
    copy = tmp_path_factory.mktemp("copy") / "acidtest"
    ignore = shutil.ignore_patterns(".git", ".venv", ".acidtest", "__pycache__", "*.egg-info", "build", "out")
    shutil.copytree(ROOT, copy, ignore=ignore)
    command = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(copy / "dist"), str(copy)]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout + result.stderr
    warnings = [line for line in (result.stdout + result.stderr).splitlines() if "Warning" in line]
    assert not [line for line in warnings if "README" in line or "package" in line.lower()], warnings
    return copy / "dist"


def test_the_wheel_holds_every_file_of_every_room_and_nothing_else(distributions: Path) -> None:
    (wheel,) = distributions.glob("*.whl")
    names = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}
    assert names == {f"acidtest/{name}" for name in shipped()}


def test_the_sdist_holds_every_file_of_every_room(distributions: Path) -> None:
    (sdist,) = distributions.glob("*.tar.gz")
    with tarfile.open(sdist) as archive:
        names = {name.split("/", 1)[1] for name in archive.getnames() if "/" in name}
    assert names >= shipped() | {"pyproject.toml", "README.md"}


def test_the_wheel_alone_does_the_main_job_in_an_empty_folder(distributions: Path, tmp_path: Path) -> None:
    (wheel,) = distributions.glob("*.whl")
    installed, empty = tmp_path / "installed", tmp_path / "empty"
    empty.mkdir()
    zipfile.ZipFile(wheel).extractall(installed)
    where = "import acidtest.mutants as m; print(m.__file__)"
    main = "import sys; from acidtest.reports.cli import main; sys.argv = ['acidtest', *sys.argv[1:]]; sys.exit(main())"
    environment = {**os.environ, "PYTHONPATH": str(installed)}

    def python(*arguments: str) -> "subprocess.CompletedProcess[str]":
        command = [sys.executable, "-c", *arguments]
        return subprocess.run(command, cwd=empty, env=environment, capture_output=True, text=True, check=False)

    assert python(where).stdout.startswith(str(installed))
    result = python(main, "run", "--only", "s01,s09,s43")
    assert result.returncode == 0, result.stdout + result.stderr
    assert "3 of 3 kept" in result.stdout
    assert {path.name for path in empty.iterdir()} == {".acidtest"}
