"""The tests on the target keep their form: names, markers, docstrings, and an oracle that does not ask the target."""

import importlib
import inspect
from collections.abc import Callable
from pathlib import Path

import pytest

import acidtest.properties

ROOM = Path(acidtest.properties.__file__).parent
KINDS = {"unit", "boundary", "property", "statistical"}
ORACLE = ("dist", "rectangles", "laws", "strategies", "cases", "sources")
CHAPTER = {
    "test_hand_example": "unit",
    "test_hand_example_output_is_p": "statistical",
    "test_accept_is_strict": "boundary",
    "test_accept_always_when_target_dominates": "boundary",
    "test_accept_rejects_bad_arguments": "boundary",
    "test_acceptance_rate_matches_acceptance_probability": "statistical",
    "test_residual_is_a_distribution": "property",
    "test_residual_when_p_equals_q": "boundary",
    "test_residual_disjoint_supports_is_p": "boundary",
    "test_residual_sum_is_ascending": "unit",
    "test_shapes_and_distributions_are_checked": "boundary",
    "test_speculative_output_is_exactly_p": "statistical",
    "test_speculative_chi_square": "statistical",
    "test_speculative_accepts_without_resampling": "unit",
    "test_speculative_rejects_bad_drafts": "boundary",
    "test_rejection_sample_first_try_enumerated": "statistical",
    "test_rejection_sample_tries_are_geometric": "statistical",
    "test_rejection_sample_draw_order": "unit",
    "test_rejection_sample_checks_the_envelope": "boundary",
}


def named_tests() -> dict[str, Callable[..., None]]:
    found: dict[str, Callable[..., None]] = {}
    for path in sorted(ROOM.glob("test_*.py")):
        module = importlib.import_module(f"acidtest.properties.{path.stem}")
        for name, value in vars(module).items():
            if name.startswith("test_") and inspect.isfunction(value):
                assert name not in found, f"two tests are called {name}"
                found[name] = value
    return found


TESTS = named_tests()


def marks(name: str) -> set[str]:
    return {mark.name for mark in getattr(TESTS[name], "pytestmark", [])}


def test_the_chapter_s_nineteen_are_here_with_their_kinds() -> None:
    chapter = {name: (marks(name) & KINDS).pop() for name in TESTS if "chapter" in marks(name)}
    assert chapter == CHAPTER
    assert len(chapter) == 19


@pytest.mark.parametrize("name", TESTS)
def test_a_named_test_has_one_kind_one_origin_and_says_what_it_checks_and_why(name: str) -> None:
    assert len(marks(name) & KINDS) == 1
    assert len(marks(name) & {"chapter", "extended"}) == 1
    first, *others = inspect.cleandoc(TESTS[name].__doc__ or "").split("\n\n")
    assert first.endswith(".")
    assert "\n" not in first
    assert [paragraph.startswith("Matters: ") for paragraph in others].count(True) == 1
    assert others[-1].startswith("Matters: ")


@pytest.mark.parametrize("module", ORACLE)
def test_the_oracle_never_asks_the_target(module: str) -> None:
    assert "tinyllm" not in (ROOM / f"{module}.py").read_text(encoding="utf-8")


def test_named_tests_look_the_target_s_functions_up_when_they_run() -> None:
    for path in ROOM.glob("test_*.py"):
        text = path.read_text(encoding="utf-8")
        assert "from tinyllm.prob." not in text
        assert "import tinyllm" not in text
