"""Right submissions in as many styles as people have: the chapter's tests give each of them full marks.

One test of the nineteen takes longer than all the others together: the usual run judges every fourth style by it, and
with ``ACIDTEST_LONG`` all of them.
"""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from acidtest.mutants.sandbox.desk import Budget, Desk
from acidtest.mutants.sandbox.intake import take
from acidtest.mutants.workload import find_workload
from acidtest.reports.grading import Standing, seed_of, standing_of

WORKLOAD = find_workload(Path(__file__).parents[2])
STYLES = sorted(Path(__file__).with_name("right").glob("*.py"))
SALT = "another course"
SLOWEST = "test_speculative_chi_square"


@pytest.fixture(scope="module")
def desk() -> Iterator[Desk]:
    desk = Desk(WORKLOAD, slot=42)
    yield desk
    desk.close()


@pytest.mark.parametrize("path", STYLES, ids=lambda path: path.stem)
def test_what_is_right_gets_full_marks_however_it_is_written(path: Path, desk: Desk) -> None:
    submission = take(path)
    in_full = os.environ.get("ACIDTEST_LONG") or STYLES.index(path) % 4 == 0
    chapter = [test.id for test in desk.tests() if test.chapter and (in_full or test.name != SLOWEST)]
    assert len(chapter) == (19 if in_full else 18)
    judged = desk.judge(submission, seed_of(SALT, submission.sha256), chapter, budget=Budget(20.0, 60.0, 120.0))
    assert judged.ungradable == ""
    assert [trial for trial in judged.trials if trial.outcome != "passed"] == []
    assert standing_of(judged.trials) is Standing.PASSED


def test_there_are_styles_enough() -> None:
    texts = {path.read_text("utf-8") for path in STYLES}
    assert len(texts) >= 20
