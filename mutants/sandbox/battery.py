"""A battery put to one fork: its calls have nothing in common, so that many of them are on their way at once."""

import warnings
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from types import ModuleType
from typing import Any

from acidtest.mutants.calling import MISSING, Speaker, arguments, load_calls
from acidtest.mutants.sandbox import bulk
from acidtest.mutants.sandbox.apart import Apartness, Awaited, Written, written
from acidtest.mutants.sandbox.conversation import Conversation
from acidtest.mutants.sandbox.faults import Fault

Question = Mapping[str, Any]


class Questions:
    """A battery's questions, with what is the same for every submission: their arguments, and how these go out.

    Each question is for one answer: what the call does to the arguments stays with them.

    Args:
        name: of the workload's calls module. asked: function, arguments and module of each.
    """

    def __init__(self, name: str | None, asked: Sequence[Question]) -> None:
        self._name = name
        self.asked = asked
        self._made: list[tuple[dict[str, Any], Written | None]] = []

    @cached_property
    def calls(self) -> ModuleType | None:
        """The calls module, loaded once it is needed."""
        return load_calls(self._name)

    def make(self) -> None:
        """Make the arguments of all questions now, for the processes that fork from this one."""
        if not self._made:
            for question in self.asked:
                live = arguments(self.calls, question["function"], question["args"])
                self._made.append((live, written(tuple(live.values()))))

    def arguments(self, at: int) -> tuple[dict[str, Any], Written | None]:
        """Return the arguments of one question, and how they go out if that is known."""
        if self._made:
            return self._made[at]
        return arguments(self.calls, self.asked[at]["function"], self.asked[at]["args"]), None


def answer_texts(conversation: Conversation, speaker: Speaker, questions: Questions, first: int = 0) -> Iterator[str]:
    """Yield what is answered to each question, as ``Speaker.say`` says it; where the conversation has ended, anything.

    Args:
        speaker: asks the proxy's functions, and others of this process. first: the question to begin with.
    """
    for start in range(first, len(questions.asked), bulk.APART):
        some = questions.asked[start : start + bulk.APART]
        asked = [speaker.find(question["function"], question.get("module", "")) for question in some]
        given = [questions.arguments(start + at) for at in range(len(some))]
        numbers = [None if subject is None else getattr(subject, "number", None) for subject in asked]
        awaited = _awaited(
            conversation,
            [
                (number, tuple(live.values()), known)
                for number, (live, known) in zip(numbers, given, strict=True)
                if number is not None
            ],
        )
        for subject, number, (live, _) in zip(asked, numbers, given, strict=True):
            if subject is None:
                yield MISSING
            elif number is None:
                yield speaker.answer(subject, live)
            else:
                yield _text(next(awaited), speaker, live)


def _awaited(conversation: Conversation, calls: list[Apartness]) -> Iterator[Awaited]:
    """Yield what takes the answer of each call of a proxy's function, when its turn comes."""
    while calls:
        with warnings.catch_warnings():
            warnings.simplefilter("always")  # as when one is called by ``answer``
            some = conversation.call_apart(calls)
        yield from some
        calls = calls[len(some) :]


def _text(awaited: Awaited, speaker: Speaker, live: dict[str, Any]) -> str:
    try:
        bare = awaited.is_bare()
    except Fault as fault:
        return fault.reason
    return speaker.answer(lambda *_: awaited.take(), live, bare)
