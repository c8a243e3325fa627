"""A battery put to one fork: its calls have nothing in common, so that many of them are on their way at once."""

import warnings
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from acidtest.mutants.calling import MISSING, Live, Speaker
from acidtest.mutants.sandbox import bulk
from acidtest.mutants.sandbox.apart import Awaited
from acidtest.mutants.sandbox.conversation import Conversation
from acidtest.mutants.sandbox.faults import Fault

Question = Mapping[str, Any]


def answer_texts(conversation: Conversation, speaker: Speaker, battery: Sequence[Question]) -> Iterator[str]:
    """Yield what is answered to each call, as ``Speaker.say`` says it; where the conversation has ended, anything.

    Args:
        speaker: asks the proxy's functions, and others of this process.
    """
    for start in range(0, len(battery), bulk.APART):
        some = battery[start : start + bulk.APART]
        asked = [speaker.prepare(call["function"], call["args"], call.get("module", "")) for call in some]
        numbers = [None if live is None else getattr(live[0], "number", None) for live in asked]
        awaited = _awaited(conversation, asked, numbers)
        for live, number in zip(asked, numbers, strict=True):
            if live is None:
                yield MISSING
            elif number is None:
                yield speaker.answer(*live)
            else:
                yield _text(next(awaited), speaker, live[1])


def _awaited(
    conversation: Conversation, asked: Sequence[Live | None], numbers: Sequence[int | None]
) -> Iterator[Awaited]:
    """Yield what takes the answer of each call of a proxy's function, when its turn comes."""
    calls = [
        (number, tuple(live[1].values()))
        for live, number in zip(asked, numbers, strict=True)
        if live is not None and number is not None
    ]
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
