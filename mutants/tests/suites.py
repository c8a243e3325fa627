"""The workload's own tests as a suite that somebody hands in: a folder, with the helpers under the name they import."""

import shutil
from pathlib import Path

PROPERTIES = Path(__file__).resolve().parents[2] / "properties"


def write_own_suite(folder: Path, tests: tuple[str, ...] = ()) -> Path:
    """Copy the tests, or those modules of them that are named, and their helpers into ``folder``, and return it."""
    helpers = folder / "acidtest" / "properties"
    helpers.mkdir(parents=True)
    for path in PROPERTIES.glob("*.py"):
        if path.stem == "conftest" or (path.stem.startswith("test_") and (not tests or path.stem in tests)):
            shutil.copy(path, folder)
        elif not path.stem.startswith("test_"):
            shutil.copy(path, helpers)
    return folder
