"""Which runs are the same run: a hash over everything that determines a trial's result."""

import hashlib
import json
import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from acidtest.mutants import lab
from acidtest.mutants.model import Variant
from acidtest.mutants.workload import Workload
from acidtest.reports.context import shown

LAB = Path(lab.__file__).parent
SETTINGS = ("conftest.py", "pytest.ini", ".pytest.ini", "pyproject.toml", "tox.ini", "setup.cfg")


def run_key(
    texts: Mapping[str, str], variants: Iterable[Variant], versions: Mapping[str, str], options: Mapping[str, Any]
) -> str:
    """Return the key under which an interrupted run goes on.

    Args:
        texts: every file that the run reads, by name: the target's source, the tests, what they import.
        variants: what is tried; each counts with its module, source and anchors.
        versions: of Python and of each package that takes part.
        options: seed, mode, pruning, limits and whatever else changes a result; JSON data.
            The number of jobs does not belong here: it changes no result.
    """
    fingerprints = sorted((variant.id, variant.module, _digest(variant.source)) for variant in variants)
    parts = {
        "texts": {name: _digest(text) for name, text in texts.items()},
        "variants": fingerprints,
        "versions": dict(versions),
        "options": dict(options),
    }
    return _digest(json.dumps(parts, sort_keys=True))


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def texts_of(workload: Workload) -> Mapping[str, str]:
    """Return every file that trials depend on, by name, so far as one can know beforehand.

    The target's packages and what lies beside them, everything in the tests' folders (data too), pytest's settings and
    ``conftest.py`` files in the folders above, and the lab itself.
    """
    paths = set(workload.source.glob("*.py")) | set(LAB.glob("*.py"))
    for module in workload.modules:
        paths.update(_files(workload.source / module.split(".")[0]))
    for tests in workload.tests:
        folder = tests if tests.is_dir() else tests.parent
        paths.update(_files(folder))
        paths.update(above / name for above in folder.parents for name in SETTINGS if (above / name).is_file())
    return {shown(path, workload.root): path.read_bytes().decode("utf-8", "surrogateescape") for path in sorted(paths)}


def _files(folder: Path) -> Iterator[Path]:
    """Yield the files in a folder, at any depth; hidden folders and caches are left out."""
    for inner, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith(".") and name != "__pycache__"]
        yield from (path for name in names if (path := Path(inner) / name).is_file() and path.suffix != ".pyc")
