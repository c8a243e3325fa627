"""Whose score another grading moved, and why. Pure functions of two gradings."""

from collections.abc import Iterable, Mapping, Sequence

from acidtest.reports.class_summary import Move
from acidtest.reports.gradebook import Grade, Past
from acidtest.reports.grading import Scheme

SAME = "nothing that a result depends on has changed: it answers differently from one time to the next"


def moves_of(past: Past, grades: Iterable[Grade], scheme: Scheme, changed: Sequence[str]) -> tuple[Move, ...]:
    """Return every learner whose score is another one than after the grading before, by id.

    Args:
        grades: of this grading. changed: what results depend on and is no longer as it was, in words.
    """
    now = {grade.learner: grade for grade in grades}
    found = []
    for learner in sorted({*past.grades, *now}):
        before, after = past.grades.get(learner), now.get(learner)
        if before is None or (after is not None and before.score == after.score):
            continue  # somebody new has no score that could move
        why = _why(before, after, past.scheme, scheme, changed)
        found.append(Move(learner, before.score, after.score if after is not None else None, why))
    return tuple(found)


def _why(before: Grade, after: Grade | None, old: Scheme, new: Scheme, changed: Sequence[str]) -> tuple[str, ...]:
    if after is None:
        return ("no longer in the class",)
    reasons = []
    if before.sha256 != after.sha256:
        reasons.append("another submission" if after.sha256 and before.sha256 else _appeared(before, after))
    if old is not new:
        reasons.append(f"scheme {old} → {new}")
    outcomes = outcomes_changed(before.outcomes, after.outcomes)
    if before.key != after.key:
        reasons += changed
    if outcomes and not reasons:
        reasons.append(SAME)
    return (*reasons, *outcomes)


def _appeared(before: Grade, after: Grade) -> str:
    return "a submission that can be taken" if after.sha256 else "no submission that can be taken"


def outcomes_changed(before: Mapping[str, str], after: Mapping[str, str]) -> tuple[str, ...]:
    """Return which tests came out otherwise, in words."""
    words = []
    for test in dict.fromkeys((*before, *after)):
        old, new = before.get(test, "not run"), after.get(test, "not run")
        if old != new:
            words.append(f"{test.rpartition('::')[2]}: {old} → {new}".replace("_out", " out"))
    return tuple(words)
