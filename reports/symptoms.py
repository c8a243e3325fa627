"""What a wrong answer looks like, in words that fit any mistake; and answers that are right but for their form."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from acidtest.reports.likeness import close, loose

UNWRITTEN = frozenset({"raises NotImplementedError", "raises RuntimeError"})
"""What calls come to that reach a part which is not written yet: NotImplementedError is a RuntimeError, and a contract
that promises the latter calls it so."""
EMPTY = UNWRITTEN | {"is missing", "None"}
"""What every call comes to of a function that is not written, not there, or was begun and returns nothing."""


@dataclass(frozen=True, slots=True)
class FormFault:
    """Answers of one function that say the right thing in another form, and how many of them there are."""

    function: str
    words: str
    count: int


def symptom_of(answer: str, reference: str) -> str:
    """Return how an answer differs from the reference's."""
    (mine, *notes), (right, *other_notes) = loose(answer).split("; "), loose(reference).split("; ")
    if mine == right:
        changed = {note.split()[0] if " after = " not in note else "after" for note in {*notes} ^ {*other_notes}}
        if "after" in changed:
            return "writes into an argument"
        return "shares memory with an argument" if "shares" in changed else "draws another number of uniforms"
    raised, due = mine.startswith("raises "), right.startswith("raises ")
    if raised and due:
        return "raises another error"
    if due:
        return "answers what has to be refused"
    if raised:
        return f"{mine} where an answer is due"
    if "nan" in mine and "nan" not in right:
        return "answers NaN"
    return "differs in the last bits" if close(mine, right) else "another value"


def form_of(answers: Iterable[tuple[str, str, str]]) -> tuple[FormFault, ...]:
    """Return the faults of form among answers that are right apart from it, the most frequent first.

    Args:
        answers: function, answer and reference's answer.
    """
    counts = Counter((function, _form(mine, right)) for function, mine, right in answers)
    return tuple(FormFault(function, words, count) for (function, words), count in counts.most_common())


def _form(mine: str, right: str) -> str:
    if "; warned " in mine and "; warned " not in right:
        return "warns"
    if "dtype=" in mine:
        return "an array of another dtype"
    if "array(" in right and "array(" not in mine:
        return "no array where one is due"
    if "np." in mine and "np." not in right:
        return "numpy's type where a plain one is due"
    return "the sign of a zero" if "-0.0" in mine or "-0.0" in right else "another type"
