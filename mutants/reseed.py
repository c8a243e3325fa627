"""A test that draws from generators it seeds itself, run again with other seeds; runs in a worker.

Such a test is one and the same under every seed of a run. Here ``random.Random`` and ``numpy.random.default_rng``
add a number of ours to each seed that the test gives them, so that its false alarms and its power can be counted.
"""

import contextlib
import importlib.util
import random
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np


def outcomes(file: str, test: str, first: int, runs: int) -> str:
    """Return one letter for each of ``runs`` runs: ``.`` passed, ``F`` an assertion failed, ``E`` another error.

    Args:
        file: the test's file. test: the name of a function in it that takes no arguments.
        first: what the first run adds to the test's seeds; the next one adds one more. 0 adds nothing.
    """
    function = _load(Path(file), test)
    letters = []
    for shift in range(first, first + runs):
        with _shifted(shift):
            try:
                function()
                letters.append(".")
            except AssertionError:
                letters.append("F")
            except Exception:  # the mutant's own error: the test ended before it could judge
                letters.append("E")
    return "".join(letters)


def _load(file: Path, test: str) -> Callable[[], object]:
    name = f"acidtest_reseeded_{file.stem}"
    if name not in sys.modules:
        spec = importlib.util.spec_from_file_location(name, file)
        if spec is None or spec.loader is None:
            raise ImportError(f"{file} cannot be loaded as a module")
        sys.modules[name] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(sys.modules[name])
    return getattr(sys.modules[name], test)  # type: ignore[no-any-return]


@contextlib.contextmanager
def _shifted(shift: int) -> Iterator[None]:
    plain, generator = random.Random, np.random.default_rng

    class Shifted(plain):  # type: ignore[valid-type, misc]  # the class as it is at this moment
        def __init__(self, seed: Any = None) -> None:
            super().__init__(seed if not shift or seed is None else f"{seed}+{shift}")

    def default_rng(seed: Any = None) -> Any:
        return generator([seed, shift] if shift and isinstance(seed, int) else seed)

    with mock.patch.object(random, "Random", Shifted), mock.patch.object(np.random, "default_rng", default_rng):
        yield
