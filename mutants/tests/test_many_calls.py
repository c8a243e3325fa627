"""Calls ahead, on copies, and calls apart: what comes of them is what comes of the same calls made one by one."""

import functools
import json
import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import pytest

from acidtest.mutants.answers import answer, bare_answer, describe
from acidtest.mutants.sandbox import bulk
from acidtest.mutants.sandbox.apart import Apartness, written
from acidtest.mutants.sandbox.faults import DeadlineFault, EndedFault, ProtocolFault, UnsendableFault
from acidtest.mutants.sandbox.hosting import Host
from acidtest.mutants.tests.talks import Talk, frames_sent
from acidtest.properties.sources import ScriptedSource

P, Q = (0.5, 0.25, 0.25), (0.25, 0.5, 0.25)


def steps(text: str, count: int = 200) -> list[tuple[Any, ...]]:
    """Return calls of one function on the same two arrays."""
    p, q = np.array(P), np.array(Q)
    return [(text, p, q, number % 3, number / count) for number in range(count)]


# --- ahead ----------------------------------------------------------------------------------------------------------


def test_calls_ahead_are_answered_in_order_and_on_copies(talk: Talk) -> None:
    text = "lambda p, q, x, u: (kept.setdefault('met', []).append((p, q)), (float(p[x]) + float(q[0]), x, u < 0.5))[1]"
    calls = steps(text)
    expected = [(float(p[x]) + float(q[0]), x, u < 0.5) for _, p, q, x, u in calls]
    answers = talk.conversation.call_ahead(0, calls)
    assert answers == expected
    assert {type(answer) for answer in answers or ()} == {tuple}
    assert talk.conversation.calls == len(calls)
    assert talk("lambda: len({id(one) for pair in kept['met'] for one in pair})") == 2 * len(calls)
    assert not talk.conversation.wrote


def test_answers_ahead_may_be_numbers_of_numpy_and_objects(talk: Talk) -> None:
    for body in ("(np.int64(x), np.bool_(u < 0.5))", "(x, Thing())", "Thing() if x else x"):
        calls = steps(f"lambda p, q, x, u: {body}")
        answers = talk.conversation.call_ahead(0, calls)
        assert answers is not None
        assert [*map(describe, answers)] == [describe(talk(*call)) for call in calls]


MORE = {
    "one that raises": "1 / (x - 2)",
    "one that asks for the end of its process": "throw(SystemExit()) if u > 0.5 else x",
    "one that warns": "warnings.warn('look') if u > 0.5 else x",
    "one that changes its argument": "(p.__setitem__(0, 7.0), x)[1] if u > 0.5 else x",
    "one that locks its argument": "(p.setflags(write=False), x)[1] if u > 0.5 else x",
    "one that gives its argument another shape": "(setattr(p, 'shape', (3, 1)), x)[1] if u > 0.5 else x",
    "one that returns an array": "p if u > 0.5 else x",
    "one that returns what cannot be written": "10 ** 5000 if u > 0.5 else x",
}


@pytest.mark.parametrize("body", MORE)
def test_calls_ahead_of_which_more_comes_are_given_up_and_can_be_made_alone(talk: Talk, body: str) -> None:
    calls = steps(f"lambda p, q, x, u: {MORE[body]}")
    assert talk.conversation.call_ahead(0, calls) is None
    assert talk.conversation.fault is None
    assert talk("lambda p: float(p[0])", np.array(P)) == 0.5
    assert talk("lambda: len(kept)") == 0


def test_calls_that_cannot_go_ahead_are_not_even_made(talk: Talk) -> None:
    text = "lambda *args: kept.setdefault('n', []).append(args)"
    p = np.array(P)
    for calls in ([(text, p)], [(text, p), (text, p.copy())], [(text, [1.0])] * 2, [(text, p[::2])] * 2, [(text,), ()]):
        assert talk.conversation.call_ahead(0, calls) is None
    assert talk("lambda: len(kept)") == 0


def test_calls_ahead_see_the_caller_s_own_changes(talk: Talk) -> None:
    p = np.array(P)
    text = "lambda p, x: float(p[x])"
    assert talk.conversation.call_ahead(0, [(text, p, x) for x in range(3)]) == [*P]
    p[1] = 0.75
    assert talk.conversation.call_ahead(0, [(text, p, x) for x in range(3)]) == [0.5, 0.75, 0.25]


def test_each_call_ahead_has_the_time_of_one_call(talk: Talk) -> None:
    talk.conversation._call_seconds = 0.3
    assert talk.conversation.call_ahead(0, [("lambda x: time.sleep(0.1) or x", x) for x in range(6)]) == [*range(6)]
    with pytest.raises(DeadlineFault, match=r"one call took longer than 0\.3 s"):
        talk.conversation.call_ahead(0, [("lambda x: time.sleep(x)", x) for x in range(3)])


def test_a_guest_that_ends_ahead_is_named(talk: Talk) -> None:
    with pytest.raises(EndedFault, match="exit status 3"):
        talk.conversation.call_ahead(0, steps("lambda p, q, x, u: os._exit(3) if u > 0.5 else x"))
    with pytest.raises(EndedFault):
        talk("lambda: 1")


@pytest.mark.parametrize(
    ("header", "why"),
    [('["=",1]', "an answer of no kind"), ('["-"]', ""), ('["+",[1,2,3]]', "not asked for"), ('{"a":1}', "object")],
)
def test_what_does_not_answer_calls_ahead_is_a_fault(talk: Talk, header: str, why: str) -> None:
    frame = len(header).to_bytes(4, "little") + bytes(4) + header.encode()
    calls = [(f"lambda x: (os.write(wire(), {frame!r}), time.sleep(9))", x) for x in range(2)]
    if not why:
        assert talk.conversation.call_ahead(0, calls) is None
        return
    with pytest.raises(ProtocolFault, match=why):
        talk.conversation.call_ahead(0, calls)


# --- apart ----------------------------------------------------------------------------------------------------------


def apart(talk: Talk, calls: Sequence[tuple[Any, ...]]) -> Iterator[Callable[[], Any]]:
    left: list[Apartness] = [(0, call, None) for call in calls]
    while left:
        some = talk.conversation.call_apart(left)
        yield from [one.take for one in some]
        left = left[len(some) :]


def apart_as_written(talk: Talk, calls: Sequence[tuple[Any, ...]]) -> Iterator[Callable[[], Any]]:
    left: list[Apartness] = [(0, call, written(call)) for call in calls]
    while left:
        some = talk.conversation.call_apart(left)
        yield from [one.take for one in some]
        left = left[len(some) :]


def alone(talk: Talk, calls: Sequence[tuple[Any, ...]]) -> Iterator[Callable[[], Any]]:
    for call in calls:
        yield functools.partial(talk, *call)


def told(host: Host, way: Any, calls: Sequence[tuple[Any, ...]]) -> list[str]:
    """Return all that a caller sees of each call in a fresh fork."""
    conversation = host.converse(5.0, 20.0, 1)
    talk, seen = Talk(conversation), []
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        for call, take in zip(calls, way(talk, calls), strict=True):
            named = {f"a{at}": value for at, value in enumerate(call)}
            seen.append(answer(lambda take=take, **_: take(), named))
    seen.append(f"{conversation.calls} {conversation.wrote} {conversation.fault}")
    host.finish(conversation)
    return seen


BODIES = (
    "(x, u)",
    "p",
    "p[:2]",
    "p.copy()",
    "(p, q, p)",
    "(p.__setitem__(0, 9.0), x)[1]",
    "(p.setflags(write=False), p)[1]",
    "kept.setdefault('p', p)",
    "float(kept.setdefault('q', q)[0])",
    "(kept.setdefault('q', q).__setitem__(0, 5.0), x)[1]",
    "names.append(names)",
    "names.append(x) or names",
    "names",
    "throw(KeyError('k'))",
    "throw(Mine('m'))",
    "warnings.warn('look', RuntimeWarning)",
    "[rng.random() for _ in range(x + 1)]",
    "[rng.random() for _ in range(9)]",
    "catching(lambda: [rng.random() for _ in range(9)])",
    "(rng, x)",
    "object()",
)


def mixed(every: bool = True) -> list[tuple[Any, ...]]:
    """Return calls of which much more comes than plain answers, with arguments of their own; or some of these calls."""
    calls: list[tuple[Any, ...]] = []
    for number in range(4 * len(BODIES)):
        text = f"lambda p, q, x, u, names, rng: {BODIES[number % len(BODIES)]}"
        script = ScriptedSource([number / 100, 0.5, 0.25])
        names: Any = [1.0, "two"] if number % 2 else None
        if not every and number % 5:
            calls.append((text, np.array(P), np.array(Q), number % 4, 0.5, None, None))
            continue
        calls.append(
            (text, np.array(P), np.array(Q, dtype="f4" if number % 3 else "f8"), number % 4, 0.5, names, script)
        )
    return calls


def test_nothing_tells_calls_apart_from_calls_one_by_one(host: Host) -> None:
    assert told(host, apart, mixed()) == told(host, alone, mixed())
    assert told(host, apart_as_written, mixed(False)) == told(host, alone, mixed(False))


def test_what_depends_on_the_conversation_is_not_written_beforehand() -> None:
    p = np.array(P)
    assert written((1, 0.5, None, True, "é", p)) == ('1,0.5,null,true,"\\u00e9",["v",3]', p.tobytes())
    for args in (
        (p, p),
        (p[:2],),
        ([1.0],),
        (ScriptedSource([0.5]),),
        (10**5000,),
        (np.float64(1),),
        (np.array([1]),),
        (),
    ):
        assert written(args) is None


def test_calls_apart_that_are_written_know_nothing_of_what_was_before(talk: Talk) -> None:
    p, q = np.array(P), np.array(Q)
    assert talk("lambda p: kept.setdefault('p', p)", p) is p
    calls: list[Apartness] = [
        (0, args, written(args)) for args in (("lambda p: p", q), ("lambda p: p is kept['p']", p))
    ]
    first, other = talk.conversation.call_apart(calls)
    assert first.take() is q
    assert other.take() is False


def test_calls_apart_know_nothing_of_each_other(talk: Talk) -> None:
    p = np.array(P)
    texts = ["lambda p: kept.setdefault('p', p)", "lambda p: p is kept['p']", "lambda p: p"]
    first, other, last = [take() for take in apart(talk, [(text, p) for text in texts])]
    assert (first is p, other, last is p) == (True, False, True)
    q = np.array(Q)
    assert talk("lambda p: p", p) is p
    assert talk("lambda p, q: (q, p)", p, q) == (q, p)


def test_calls_apart_go_in_few_frames(talk: Talk, monkeypatch: pytest.MonkeyPatch) -> None:
    sent = frames_sent(talk, monkeypatch)
    calls = [("lambda p, x: x", np.array(P), x) for x in range(2 * bulk.APART)]
    assert [take() for take in apart(talk, calls)] == [*range(2 * bulk.APART)]
    assert [json.loads(header)[0] for header in sent] == ["#", "#"]


def test_each_answer_is_said_before_the_next_call_begins(host: Host) -> None:
    conversation = host.converse(5.0, 20.0, 1)
    takes = apart(Talk(conversation), [(f"lambda: os._exit(4) if {x} == 7 else {x}",) for x in range(20)])
    answers = [next(takes)() for _ in range(7)]
    with pytest.raises(EndedFault, match="exit status 4"):
        next(takes)()
    host.finish(conversation)
    assert answers == [*range(7)]


def test_each_call_apart_has_the_time_of_one_call(talk: Talk) -> None:
    talk.conversation._call_seconds = 0.3
    takes = apart(talk, [(f"lambda: time.sleep({'9' if x == 5 else '0.1'}) or {x}",) for x in range(9)])
    assert [next(takes)() for _ in range(5)] == [*range(5)]
    with pytest.raises(DeadlineFault, match=r"one call took longer than 0\.3 s"):
        next(takes)()
    with pytest.raises(DeadlineFault):
        next(takes)()


def test_what_cannot_be_sent_breaks_off_at_its_own_call(talk: Talk) -> None:
    takes = apart(talk, [("lambda x: x", 1), ("lambda x: x", 10**5000)])
    assert next(takes)() == 1
    with pytest.raises(UnsendableFault):
        next(takes)()


@pytest.mark.parametrize(
    "frames",
    [
        ['["=",1]', '["=",2]', '["=",3]'],
        ['["=",["k",0]]'],
        ['["=",["H",5]]'],
        ['["=",1,[],[],[],[0,1]]'],
        ['["?",1,"random",[]]'],
        ['["+",[1]]'],
        ["{}"],
    ],
)
def test_what_does_not_answer_calls_apart_is_a_fault(talk: Talk, frames: list[str]) -> None:
    data = b"".join(len(each).to_bytes(4, "little") + bytes(4) + each.encode() for each in frames)
    takes = apart(
        talk, [(f"lambda: (os.write(wire(), {data!r}), time.sleep(9))",), ("lambda rng: 1", ScriptedSource([0.5]))]
    )
    with pytest.raises(ProtocolFault):
        describe([take() for take in takes])


def test_bare_answers_are_said_as_all_others() -> None:
    def fail() -> None:
        raise LookupError

    for function in (lambda: 1.5, lambda: (0, True), lambda: np.array(P), lambda: None, fail):
        assert bare_answer(function, {}, (LookupError,)) == answer(function, {}, (LookupError,))
    for said in (answer, bare_answer):
        rng = ScriptedSource([0.5, 0.25])
        assert said(lambda rng: rng.random(), {"rng": rng}) == f"{describe(0.5)}; drew 1"
