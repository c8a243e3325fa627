"""Generators of the standard library: their next numbers go out with them, and nothing else is any different for it."""

import random
from collections.abc import Callable, Iterator

import pytest

from acidtest.mutants.sandbox.faults import ProtocolFault
from acidtest.mutants.sandbox.hosting import Host
from acidtest.mutants.tests.talks import ANYTHING, Talk, host_of


@pytest.fixture(scope="module")
def host() -> Iterator[Host]:
    host = host_of(ANYTHING)
    yield host
    host.close()


@pytest.fixture
def talk(host: Host) -> Iterator[Talk]:
    """Yield a conversation with a fresh fork."""
    conversation = host.converse(5.0, 20.0, 1)
    yield Talk(conversation)
    host.finish(conversation)


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
