"""What a workload tells pytest: the one that ships is judged alike wherever it is installed."""

from dataclasses import replace
from pathlib import Path

import pytest

from acidtest.mutants.executors import WorkerDiedError, finished
from acidtest.mutants.workload import Workload, embedded


@pytest.fixture
def house(tmp_path: Path) -> Workload:
    """A workload of one test, which passes where the ``conftest.py`` beside it was the last to be read."""
    tests = tmp_path / "site" / "house" / "properties"
    tests.mkdir(parents=True)
    for folder in (tmp_path, tmp_path / "site", tmp_path / "site" / "house", tests):
        (folder / "conftest.py").write_text(
            f"import builtins\nbuiltins.read = [*getattr(builtins, 'read', []), {folder.name!r}]\n"
        )
    (tests / "test_read.py").write_text("def test_read():\n    assert read == ['house', 'properties']\n")
    return replace(embedded(), root=tests.parent, tests=(tests / "test_read.py",))


def _run(workload: Workload) -> str:
    arguments = workload.pytest_arguments()
    return finished(["-m", "pytest", "-q", "-p", "no:cacheprovider", *arguments], workload.root, 60.0)


def test_the_workload_that_ships_takes_nothing_from_the_folders_above_it(house: Workload) -> None:
    assert "1 passed" in _run(house)


def test_a_project_of_one_s_own_has_all_that_pytest_would_find(house: Workload) -> None:
    (house.root.parent.parent / "pytest.ini").write_text("[pytest]\n")
    with pytest.raises(WorkerDiedError, match="1 failed"):
        _run(replace(house, embedded=False))


def test_what_reads_settings_is_imported_where_there_are_any(tmp_path: Path) -> None:
    code = "import sys; from pathlib import Path; from acidtest.mutants.workload import find_workload"
    code += "; print(find_workload(Path.cwd()).embedded, 'tomllib' in sys.modules)"
    assert finished(["-c", code], tmp_path, 60.0).split() == ["True", "False"]
    (tmp_path / "pyproject.toml").write_text("[tool.other]\n")
    assert finished(["-c", code], tmp_path, 60.0).split() == ["True", "True"]
