"""The page of a submission that passed: written without what lays out pages, and the same to the letter."""

from dataclasses import replace

import pytest

from acidtest.reports.feedback import feedback_of
from acidtest.reports.grading import Assessment, Standing
from acidtest.reports.hints import Ladder
from acidtest.reports.render.grade_text import learner_page
from acidtest.reports.render.passed_text import passed_page
from acidtest.reports.tests.class_cases import TESTS, assessed, broken_grader, refused


def in_full(assessment: Assessment, width: int, colour: bool) -> str:
    return learner_page(assessment, feedback_of(assessment, TESTS, Ladder(), ()), width, colour)


PASSED = assessed("ada.py", "P" * len(TESTS))


@pytest.mark.parametrize("colour", [False, True])
@pytest.mark.parametrize("width", [40, 80])
@pytest.mark.parametrize("tier", [0, 1, 2])
@pytest.mark.parametrize("name", ["ada.py", "a" * 40, "[bold]ada[/bold] :smile: 100 'x' <y>.py", "a  b.py"])
def test_it_is_the_page_that_a_learner_sees(name: str, tier: int, width: int, colour: bool) -> None:
    assessment = replace(PASSED, name=name, tier=tier)
    assert passed_page(assessment, width, colour) == in_full(assessment, width, colour)


def test_the_last_line_is_one_however_narrow_the_terminal() -> None:
    assessment = replace(PASSED, name="a.py")
    assert passed_page(assessment, 10, False) == in_full(assessment, 10, False)


@pytest.mark.parametrize(
    "assessment",
    [
        assessed("ada.py", "F" + "P" * (len(TESTS) - 1)),
        refused("ada.py", "is empty"),
        broken_grader("ada.py", "the grader died"),
        replace(PASSED, why="but"),
        replace(PASSED, standing=Standing.STOPPED),
        *(replace(PASSED, name=name) for name in ("a" * 41, "ä.py", "\x1b[2J.py", "a\nb.py", "ada.py ")),
    ],
)
def test_there_is_none_where_more_is_to_be_said_or_laid_out(assessment: Assessment) -> None:
    assert passed_page(assessment, 40, False) is None
