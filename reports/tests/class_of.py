"""Classes that are made up, the same ones each time: right, mistaken, broken and hostile submissions, in every form."""

import shutil
import tomllib
import zipfile
from collections.abc import Iterator, Mapping
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any

from acidtest.mutants.load import load_catalog, variant_of
from acidtest.mutants.workload import Workload, embedded, find_workload

TESTS = Path(__file__).resolve().parents[2] / "mutants" / "tests"
HOSTILE = (
    "ends_at_import",
    "lacks_a_function",
    "equals_everything",
    "ends_at_call",
    "prints_a_verdict",
    "raises_lone_surrogates",
    "forges_results",
    "ends_by_system_exit",
    "raises_assertion_error",
    "has_no_functions",
    "patches_numpy",
    "raises_for_everything",
    "forges_an_answer",
    "recurses_for_ever",
)
BROKEN = ("def rejection_accept(p_x, q_x, u)\n    return u < p_x\n", "import nothing_of_the_kind\n")
LOOP = "\n\ndef rejection_sample(*_, **__):\n    while True:\n        pass\n"
FEW = '''
import pytest
from hypothesis import given, strategies as st
from tinyllm.prob import rejection

P, Q = [0.5, 0.25, 0.25], [0.25, 0.25, 0.5]


class Script:
    def __init__(self, *numbers):
        self.numbers = list(numbers)

    def random(self):
        return self.numbers.pop(0)


@pytest.mark.parametrize(("u", "kept"), [(0.49, True), (0.5, False)])
def test_accept_is_strict(u, kept):
    """A tie is no acceptance."""
    assert rejection.rejection_accept(0.25, 0.5, u) is kept


def test_residual_of_the_example():
    """What is missing is all on the first id."""
    assert list(rejection.residual_distribution(P, Q)) == [1.0, 0.0, 0.0]
    assert list(rejection.residual_distribution(P, P)) == P


@given(st.integers(1, 7))
def test_acceptance_is_the_mass_in_common(eighths):
    """Added up from left to right."""
    share = eighths / 8
    p = [share, 1 - share]
    assert rejection.acceptance_probability(p, [0.5, 0.5]) == min(share, 0.5) + min(1 - share, 0.5)


def test_step_of_the_example():
    """Kept where u is below the ratio, else drawn from the residual."""
    assert rejection.speculative_step(P, Q, 2, 0.25, 0.9) == (2, True)
    assert rejection.speculative_step(P, Q, 2, 0.75, 0.9) == (0, False)


def test_sample_counts_from_one():
    """The first try is number one, and draws the proposal first."""
    assert rejection.rejection_sample(P, Q, 2.0, Script(0.1, 0.2)) == (0, 1)
    assert rejection.rejection_sample(P, Q, 2.0, Script(0.9, 0.9, 0.3, 0.1)) == (1, 2)
'''


def small(folder: Path) -> Workload:
    """Write a project whose five tests judge the chapter's module, and return its workload."""
    shutil.copytree(embedded().source / "tinyllm", folder / "tinyllm", ignore=shutil.ignore_patterns("__pycache__"))
    (folder / "test_few.py").write_text(FEW, "utf-8")
    (folder / "pyproject.toml").write_text(
        '[tool.acidtest]\nsource = "."\n'
        'modules = ["tinyllm.prob.rejection", "tinyllm.prob.categorical", "tinyllm.prob.uniforms"]\n'
        f'tests = ["test_few.py"]\ncatalog = "{embedded().catalog}"\n',
        "utf-8",
    )
    return find_workload(folder)


def write(folder: Path, number: int, looping: int = 1) -> Path:
    """Write a class of ``number`` into a folder: every ninth as a folder, every thirteenth as a zip.

    Args:
        looping: how many never come to an end.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for place, text in enumerate(islice(texts(), number)):
        name = f"u{place:04}"
        if 0 < number - place <= looping:
            text = reference() + LOOP
        text += f"\n# {place}\n" if place % 20 != 19 else ""  # these are copies of one another
        if place % 13 == 12:
            with zipfile.ZipFile(folder / f"{name}.zip", "w") as archive:
                archive.writestr(zipfile.ZipInfo("mine/rejection.py"), text)
        else:
            file = folder / name / "rejection.py" if place % 9 == 8 else folder / f"{name}.py"
            file.parent.mkdir(exist_ok=True)
            file.write_text(text, "utf-8")
    return folder


def texts() -> Iterator[str]:
    """Yield submissions without end: of five, one right, two of the catalog, one by another hand, one broken."""
    right, mistaken, styles = wheats(), mutants(), second_styles()
    wrong = [*BROKEN, *(hostile(name) for name in HOSTILE)]
    place = 0
    while True:
        turn, kind = divmod(place, 5)
        if kind == 0:
            yield right[turn % len(right)]
        elif kind == 3:
            yield styles[turn % len(styles)]
        elif kind == 4:
            yield wrong[turn % len(wrong)] if place % 20 != 19 else right[0]
        else:
            yield mistaken[(2 * turn + kind) % len(mistaken)]
        place += 1


@cache
def reference() -> str:
    """Return the reference's text."""
    return embedded().read("tinyllm.prob.rejection")


@cache
def wheats() -> tuple[str, ...]:
    """Return the right implementations."""
    folder = embedded().wheats
    assert folder is not None
    return tuple(path.read_text("utf-8") for path in sorted(folder.glob("*.py")))


@cache
def mutants() -> tuple[str, ...]:
    """Return the catalog's mistakes in the module."""
    found = [mutant for mutant in load_catalog(embedded().catalog) if mutant.module == "tinyllm.prob.rejection"]
    return tuple(variant_of(mutant, reference()).source for mutant in found)


@cache
def second_styles() -> tuple[str, ...]:
    """Return the same mistakes by another hand, so far as they are edits of a right implementation."""
    folder = embedded().wheats
    assert folder is not None
    entries: Mapping[str, Any] = tomllib.loads((TESTS / "second_styles.toml").read_text("utf-8"))
    found = []
    for entry in entries.values():
        if "wheat" in entry:
            text = (folder / f"{entry['wheat']}.py").read_text("utf-8")
            for before, after in entry["edits"]:
                assert before in text, before
                text = text.replace(before, after, 1)
            found.append(text)
    return tuple(found)


def hostile(name: str) -> str:
    """Return a submission that is after something."""
    return f"{reference()}\n\n{(TESTS / 'hostile' / f'{name}.py').read_text('utf-8')}"
