"""Generators of the standard library: their next numbers go out with them, and nothing else is any different for it."""

import math
import random
from collections.abc import Callable

import pytest

from acidtest.mutants.sandbox.faults import ProtocolFault
from acidtest.mutants.sandbox.hosting import Host
from acidtest.mutants.tests.talks import Talk
from acidtest.properties.sources import ScriptedSource


def headers_sent(talk: Talk, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return the headers that are sent from here on, as they go out."""
    sent: list[str] = []
    speak = talk.conversation._speak

    def noted(header: str) -> None:
        sent.append(header)
        speak(header)

    monkeypatch.setattr(talk.conversation, "_speak", noted)
    return sent


DRAWN = {
    "none": "lambda rng: None",
    "a few": "lambda rng: [rng.random() for _ in range(3)]",
    "just as many as went out": "lambda rng: [rng.random() for _ in range(8)]",
    "more than went out": "lambda rng: [rng.random() for _ in range(50)]",
    "and raises": "lambda rng: (rng.random(), throw(ValueError('after one')))",
    "after a call that raises": "lambda rng: (rng.random(), catching(lambda: rng.random(1)), rng.random())",
    "after it was asked for something else": "lambda rng: (rng.random(), catching(lambda: len(rng)), rng.random())",
}


@pytest.mark.parametrize("how", DRAWN)
def test_a_generator_stands_where_it_would_after_every_call(talk: Talk, how: str) -> None:
    def throw(error: Exception) -> None:
        raise error

    def catching(work: Callable[[], object]) -> object:
        try:
            return work()
        except Exception as error:
            return type(error).__name__

    here = eval(DRAWN[how], {"throw": throw, "catching": catching})
    mine, theirs = random.Random(5), random.Random(5)
    for _ in range(3):
        try:
            expected = here(mine)
        except ValueError:
            with pytest.raises(ValueError, match="after one"):
                talk(DRAWN[how], theirs)
        else:
            assert talk(DRAWN[how], theirs) == expected
        assert theirs.getstate() == mine.getstate()


def test_a_generator_that_is_drawn_from_by_another_way_too_hands_out_each_number_once(talk: Talk) -> None:
    class Through:
        def __init__(self, inner: random.Random) -> None:
            self._inner = inner

        def random(self) -> float:
            return self._inner.random()

    rng, expected = random.Random(5), random.Random(5)
    text = "lambda a, b, c: [source.random() for source in (a, a, b, a, c, b, a, a)]"
    assert talk(text, rng, Through(rng), rng) == [expected.random() for _ in range(8)]
    assert rng.getstate() == expected.getstate()


def test_a_generator_that_was_lent_before_is_asked_where_it_is(talk: Talk) -> None:
    rng, expected = random.Random(5), random.Random(5)
    assert talk("lambda rng: kept.setdefault('rng', rng).random()", rng) == expected.random()
    rng.random(), expected.random()
    assert talk("lambda: [kept['rng'].random() for _ in range(3)]") == [expected.random() for _ in range(3)]
    assert rng.getstate() == expected.getstate()


def test_a_generator_with_a_way_of_its_own_is_asked_for_each_number(talk: Talk) -> None:
    class Halves(random.Random):
        def random(self) -> float:
            return 0.5

    other = random.Random(5)
    other.random = lambda: 0.25  # type: ignore[method-assign]
    assert talk("lambda a, b: (a.random(), b.random())", Halves(5), other) == (0.5, 0.25)
    assert other.getstate() == random.Random(5).getstate()


@pytest.mark.parametrize(
    "drawn", ["[0, 9]", "[0, -1]", "[0, 0]", "[0, True]", "[0]", "[1, 1]", "[0, 1, 0, 1]", "5", "[[], 1]"]
)
def test_draws_that_cannot_have_been_are_a_fault(talk: Talk, drawn: str) -> None:
    frame = f"b'[\"=\",1,[],[],[],{drawn.replace('True', 'true')}]'"
    forged = f"os.write(wire(), len({frame}).to_bytes(4, 'little') + bytes(4) + {frame})"
    with pytest.raises(ProtocolFault, match="draws of"):
        talk(f"lambda rng: {forged} and time.sleep(9)", random.Random(5))


# --- sources that tell what comes


@pytest.mark.parametrize("count", range(6))
def test_a_script_is_read_without_being_asked_for_each_number(
    talk: Talk, monkeypatch: pytest.MonkeyPatch, count: int
) -> None:
    sent = headers_sent(talk, monkeypatch)
    rng, values = ScriptedSource([0.5, 0.25, 0.125, 0.75, 0.625]), [0.5, 0.25, 0.125, 0.75, 0.625]
    assert talk(f"lambda rng: [rng.random() for _ in range({count})]", rng) == values[:count]
    assert rng.drawn == count
    assert len(sent) == 1


def test_a_script_that_is_used_up_fails_as_it_does_here(talk: Talk) -> None:
    rng = ScriptedSource([0.5, 0.25])
    with pytest.raises(AssertionError, match="after all 2 of the script"):
        talk("lambda rng: [rng.random() for _ in range(3)]", rng)
    assert rng.drawn == 2


def test_a_script_goes_out_as_far_as_it_has_plain_numbers(talk: Talk) -> None:
    rng = ScriptedSource([0.5, math.nan, 1])
    assert repr(talk("lambda rng: [rng.random() for _ in range(3)]", rng)) == "[0.5, nan, 1]"


def test_a_script_that_is_read_otherwise_is_asked_for_each_number(talk: Talk) -> None:
    class Halved(ScriptedSource):
        def random(self) -> float:
            return super().random() / 2

    other = ScriptedSource([0.5])
    other.random = lambda: 0.125  # type: ignore[method-assign]
    assert talk("lambda a, b: (a.random(), b.random())", Halved([0.5]), other) == (0.25, 0.125)
    assert other.drawn == 0


# --- many calls with one generator


COUNT = "kept.setdefault('n', []).append(1) or len(kept['n'])"
MANY = {
    "as many as go out": "lambda rng: [rng.random() for _ in range(8)][0]",
    "two": "lambda rng: (rng.random(), rng.random())",
    "none but now and then": f"lambda rng: 0 if ({COUNT}) % 7 else rng.random()",
    "far more now and then": f"lambda rng: sum(rng.random() for _ in range(1 if ({COUNT}) % 50 else 900))",
    "and raises": "lambda rng: throw(ValueError('later')) if rng.random() > 0.99 else rng.random()",
    "and asks for something else": "lambda rng: catching(lambda: len(rng)) if rng.random() > 0.98 else rng.random()",
    "and answers with a list": "lambda rng: [rng.random()] if rng.random() > 0.97 else rng.random()",
}


@pytest.mark.parametrize("how", MANY)
def test_many_calls_draw_what_they_would_one_by_one(host: Host, how: str) -> None:
    seen = []
    for in_bulk in (True, False):
        conversation = Talk(host.converse(5.0, 20.0, 1)).conversation
        rng = random.Random(5)
        calls = [(MANY[how], rng)] * 300
        try:
            if in_bulk:
                answers = conversation.call_each(0, calls)
            else:
                answers = [conversation.call(0, call, {}) for call in calls]
        except ValueError as error:
            answers = [str(error), conversation.call(0, ("lambda: len(kept.get('n', ()))",), {})]
        seen.append((answers, rng.getstate(), conversation.calls))
        host.finish(conversation)
    assert seen[0] == seen[1]


def test_a_generator_goes_on_many_calls_in_few_frames(talk: Talk, monkeypatch: pytest.MonkeyPatch) -> None:
    sent = headers_sent(talk, monkeypatch)
    rng, expected = random.Random(5), random.Random(5)
    calls = [("lambda rng: (rng.random(), rng.random())", rng)] * 500
    assert talk.conversation.call_each(0, calls) == [(expected.random(), expected.random()) for _ in range(500)]
    assert rng.getstate() == expected.getstate()
    assert len(sent) < 20


@pytest.mark.parametrize("drawn", ["[0, 513]", "[0, 0]", "[0]", "[1, 1]", "[0, 1, 0, 1]", "5"])
def test_draws_of_many_calls_that_cannot_have_been_are_a_fault(talk: Talk, drawn: str) -> None:
    frame = f"b'[\"+\",[1],{drawn}]'"
    forged = f"os.write(wire(), len({frame}).to_bytes(4, 'little') + bytes(4) + {frame})"
    calls = [(f"lambda rng: {forged} and time.sleep(9)", random.Random(5))] * 64
    with pytest.raises(ProtocolFault, match="draws of"):
        talk.conversation.call_each(0, calls)


def test_draws_of_many_calls_are_counted_together(talk: Talk) -> None:
    frames = [f"b'[\"+\",[1],[0,{count}]]'" for count in (500, 13)]
    say = " and ".join(f"os.write(wire(), len({each}).to_bytes(4, 'little') + bytes(4) + {each})" for each in frames)
    between = say.replace(" and ", " and os.read(wire(), 100) and ")
    calls = [(f"lambda rng: {between} and time.sleep(9)", random.Random(5))] * 64
    with pytest.raises(ProtocolFault, match="draws of"):
        talk.conversation.call_each(0, calls)
