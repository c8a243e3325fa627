"""Calls in bulk: what comes of them is what comes of the same calls made one by one, whatever the submission does."""

import json
import math
import socket
import threading
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

from acidtest.mutants.answers import describe
from acidtest.mutants.sandbox import bulk
from acidtest.mutants.sandbox.conversation import Conversation
from acidtest.mutants.sandbox.faults import DeadlineFault, EndedFault, Fault, ProtocolFault, UnsendableFault
from acidtest.mutants.sandbox.hosting import Host
from acidtest.mutants.sandbox.subject import CHAPTER
from acidtest.mutants.sandbox.wire import PREFIX, Caps, Line
from acidtest.mutants.sandbox.writing import Writer
from acidtest.mutants.tests.talks import Talk, frames_sent

COUNTED = "lambda *args: kept.setdefault('n', []).append(args) or len(kept['n'])"
"""Answers how many calls there were."""


def in_bulk(talk: Talk, text: str, calls: Sequence[Sequence[Any]]) -> list[Any]:
    return talk.conversation.call_each(0, [(text, *call) for call in calls])


def one_by_one(talk: Talk, text: str, calls: Sequence[Sequence[Any]]) -> list[Any]:
    return [talk(text, *call) for call in calls]


Way = Callable[[Talk, str, Sequence[Sequence[Any]]], list[Any]]


def told(host: Host, way: Way, text: str, calls: Callable[[], Sequence[Sequence[Any]]]) -> str:
    """Return all that a caller sees of some calls in a fresh fork: answers or what is raised, arguments, warnings."""
    conversation = host.converse(5.0, 20.0, 1)
    given = calls()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            seen = [describe(answer) for answer in way(Talk(conversation), text, given)]
        except Exception as error:
            seen = [f"{type(error).__mro__} {error}"]
    seen += [f"{each.category.__name__} {each.message}" for each in caught]
    seen += [describe(value) for call in given for value in call] + [f"{conversation.calls} {conversation.wrote}"]
    try:
        seen.append(describe(conversation.call(0, ("lambda: (len(kept.get('n', ())), repr(kept.get('n')))",), {})))
    finally:
        host.finish(conversation)
    return "\n".join(seen)


def shared(count: int) -> Callable[[], Sequence[Sequence[Any]]]:
    """Return what makes calls of two arrays and numbers, always the same arrays."""

    def calls() -> Sequence[Sequence[Any]]:
        p, q = np.array([0.5, 0.25, 0.25]), np.array([0.25, 0.5, 0.25])
        return [(p, q, number % 3, number / count, None) for number in range(count)]

    return calls


NOTE = "kept.setdefault('n', []).append((float(p[0]), x, u))"
AT = "(5, 70, 71, 299)"
BEHAVIOURS = {
    "answers plainly": "(x, u < 0.5)",
    "answers with every atom": "(x, u, None, True, 'a\\ud800\\x00', -0.0, math_nan, 10**200)[x - 3:]",
    "answers with no tuple": "[u, x, None, 'text', True][len(kept['n']) % 5]",
    "raises": "throw(KeyError('here')) if len(kept['n']) in AT[1:] else x",
    "raises and is not called again": "throw(Mine('mine')) if len(kept['n']) == 200 else x",
    "changes an argument": "(p.__setitem__(0, u) if len(kept['n']) in AT else None, float(p[0]))[1]",
    "changes an argument and takes it back": "(p.__setitem__(0, len(kept['n']) % 2), x)[1]",
    "locks an argument": "p.setflags(write=not p.flags.writeable) if len(kept['n']) in AT else x",
    "warns": "warnings.warn('look', RuntimeWarning) if len(kept['n']) in AT else x",
    "answers with arrays": "p.copy() if len(kept['n']) in AT else x",
    "answers with arrays only": "p + u",
    "answers with its argument": "(q if len(kept['n']) in AT else x)",
    "answers with a list": "[x, u]",
    "answers with nested tuples": "(x, (u, (x,)))",
    "answers with numbers of numpy": "(np.int64(x), np.bool_(u < 0.5))",
    "answers with an object": "Thing() if len(kept['n']) in AT else x",
    "answers with objects only": "Thing()",
    "answers with objects and numbers": "[(x, Thing()), np.float64(u), (np.int64(x), None, 'o', 's'), x][x]",
    "answers with an object now and then": "(Thing(), x) if x == 1 else (x, u)",
    "answers with an object and a change": "(p.__setitem__(0, u) if len(kept['n']) in AT else None, Thing())",
    "answers with an object of a class without words": "type('K', (), {'__module__': 5})()",
    "answers with an array in a tuple": "(np.int64(x), p if len(kept['n']) in AT else u)",
    "answers with numbers of a class of its own": "(type('Id', (np.float64,), {})(x), x)",
    "answers with texts of numpy": "(np.str_('a'), np.bytes_(b'a'), np.datetime64(5, 's'))",
    "answers with much text of objects": "('x' * 40_000, np.int64(x))",
    "answers with a subclass": "type('Id', (int,), {})(x) if len(kept['n']) in AT else x",
    "answers with much text": "'x' * 10_000",
    "answers with large integers": "10**4000 + x",
}


@pytest.mark.parametrize("behaviour", BEHAVIOURS)
def test_nothing_tells_a_bulk_from_calls_one_by_one(host: Host, behaviour: str) -> None:
    body = BEHAVIOURS[behaviour].replace("AT", AT).replace("math_nan", "float('nan')")
    text = f"lambda p, q, x, u, v: ({NOTE}, {body})[1]"
    assert told(host, in_bulk, text, shared(300)) == told(host, one_by_one, text, shared(300))


ARGUMENTS: dict[str, Callable[[], Sequence[Sequence[Any]]]] = {
    "none": list,
    "without any": lambda: [()] * 5,
    "floats": lambda: [(value,) for value in (0.1, -0.0, 5e-324, math.inf, -math.inf, math.nan, 1.7e308)],
    "of many kinds": lambda: [(value,) for value in (1, True, 1.0, None, "é\ud800", -(2**70), False, 0)] * 20,
    "of other lengths": lambda: [(1, 2), (1, 2), (1,), (), (1, 2), (1, 2, 3), (1, 2, 3)],
    "lists": lambda: [([1.0, 2.0], 3)] * 5,
    "arrays": lambda: [(np.array([float(number)]), 1) for number in range(40)],
    "arrays in turn": lambda: [(array, 1) for array in [np.array([0.5]), np.array([0.25, 0.5])] * 30],
    "numbers of numpy": lambda: [(np.float64(number), np.int64(number)) for number in range(5)],
    "very large integers": lambda: [(10**number,) for number in (10, 4000, 4299)] * 3,
    "objects": lambda: [(1, 2), (1, {"a": 1}), (1, 2), (1, (1, 2))],
}


@pytest.mark.parametrize("kind", ARGUMENTS)
def test_arguments_of_every_kind_arrive_as_one_by_one(host: Host, kind: str) -> None:
    text = "lambda *args: (kept.setdefault('n', []).append(args), repr(args), [type(one).__name__ for one in args])[1:]"
    assert told(host, in_bulk, text, ARGUMENTS[kind]) == told(host, one_by_one, text, ARGUMENTS[kind])


def test_the_caller_s_own_changes_are_there_when_a_bulk_begins(talk: Talk) -> None:
    p = np.array([0.5, 0.5])
    calls = [(p, number) for number in range(100)]
    assert in_bulk(talk, "lambda p, x: float(p[0])", calls) == [0.5] * 100
    p[0] = 7.0
    assert in_bulk(talk, "lambda p, x: float(p[0])", calls) == [7.0] * 100
    assert talk("lambda p: float(p[0])", p) == 7.0


def test_many_calls_go_in_few_frames(talk: Talk, monkeypatch: pytest.MonkeyPatch) -> None:
    sent = frames_sent(talk, monkeypatch)
    assert in_bulk(talk, COUNTED, [(number,) for number in range(20_000)]) == list(range(1, 20_001))
    assert talk.conversation.calls == 20_000
    assert len(sent) < 200


@pytest.mark.parametrize("body", ["(np.int64(x), np.bool_(True))", "Thing()", "(Thing(), x) if x % 2 else x"])
def test_answers_that_stand_for_themselves_go_in_few_frames(
    talk: Talk, body: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent = frames_sent(talk, monkeypatch)
    found = in_bulk(talk, f"lambda x: {body}", [(number,) for number in range(5000)])
    assert len(sent) < 200
    alone = [talk(f"lambda x: {body}", number) for number in range(20)]
    assert [*map(describe, found[:20])] == [*map(describe, alone)]
    assert len({id(one) for one in found}) > 1


@pytest.mark.parametrize("else_", ["x", "Thing()", "(np.int64(x), x)"])
def test_an_integer_past_what_can_be_written_breaks_off_as_alone(host: Host, else_: str) -> None:
    reasons = []
    for way in (in_bulk, one_by_one):
        talk = Talk(host.converse(5.0, 20.0, 1))
        with pytest.raises(UnsendableFault) as caught:
            way(talk, f"lambda x: (x, 10**5000) if x == 150 else {else_}", [(number,) for number in range(300)])
        reasons.append((caught.value.reason, caught.value.outcome))
        host.finish(talk.conversation)
    assert reasons[0] == reasons[1]


class Tape:
    """A source that says which numbers were asked for."""

    def __init__(self) -> None:
        self.drawn = 0

    def random(self) -> float:
        self.drawn += 1
        return float(self.drawn)


def test_a_source_that_was_lent_before_is_asked_in_the_middle(talk: Talk) -> None:
    source = Tape()
    talk("lambda rng: kept.setdefault('rng', rng) and None", source)
    text = "lambda x: (x, kept['rng'].random()) if x % 50 == 0 else (x, kept['rng'].random() + kept['rng'].random())"
    expected, drawn = [], 0
    for x in range(120):
        drawn += 1 if x % 50 == 0 else 2
        expected.append((x, float(drawn) if x % 50 == 0 else 2.0 * drawn - 1.0))
    assert in_bulk(talk, text, [(x,) for x in range(120)]) == expected
    assert source.drawn == drawn


def test_an_error_of_the_source_in_the_middle_is_the_same_object(talk: Talk) -> None:
    class Broken:
        error = LookupError("no more")

        def random(self) -> float:
            raise self.error

    source = Broken()
    talk("lambda rng: kept.setdefault('rng', rng) and None", source)
    with pytest.raises(LookupError) as caught:
        in_bulk(talk, "lambda x: kept['rng'].random() if x == 30 else x", [(x,) for x in range(60)])
    assert caught.value is Broken.error
    assert talk("lambda: 1") == 1


# --- time, and ends


def test_a_slow_submission_has_the_time_of_one_call_for_each(talk: Talk) -> None:
    talk.conversation._call_seconds = 0.3
    calls = [(number,) for number in range(10)]
    assert in_bulk(talk, "lambda x: time.sleep(0.06) or x", calls) == list(range(10))


def test_one_call_that_takes_too_long_ends_it(talk: Talk) -> None:
    talk.conversation._call_seconds = 0.2
    with pytest.raises(DeadlineFault, match=r"one call took longer than 0\.2 s"):
        in_bulk(talk, "lambda x: time.sleep(50) if x == 70 else x", [(number,) for number in range(100)])


def test_the_whole_conversation_s_time_holds_for_a_bulk(host: Host) -> None:
    conversation = host.converse(5.0, 0.3, 1)
    with pytest.raises(DeadlineFault, match=r"the test's calls took longer than 0\.3 s"):
        in_bulk(Talk(conversation), "lambda x: time.sleep(0.03)", [(number,) for number in range(100)])
    host.finish(conversation)


@pytest.mark.parametrize("end", ["os._exit(0)", "os.kill(os.getpid(), signal.SIGKILL)", "os.close(wire())"])
def test_a_guest_that_ends_in_the_middle_is_named_and_answers_nothing_more(talk: Talk, end: str) -> None:
    calls = [(number,) for number in range(500)]
    for _ in range(2):
        with pytest.raises(EndedFault, match=r"the guest (ended: exit status 0|was killed: SIGKILL)"):
            in_bulk(talk, f"lambda x: {end} if x == 333 else x", calls)
    assert isinstance(talk.conversation.fault, EndedFault)


# --- guests that play up


class Forger:
    """A guest that answers with given frames, whatever it is asked; its first frame answers the bulk."""

    def __init__(self, frames: Sequence[tuple[Any, bytes]]) -> None:
        ours, self._end = socket.socketpair()
        self.conversation = Conversation(ours, 5.0, 20.0, lambda: "hung up")
        self._frames = frames
        self._thread = threading.Thread(target=self._answer)
        self._thread.start()

    def _answer(self) -> None:
        line = Line(self._end, Caps(1 << 22, 1 << 22))
        for header, raw in self._frames:
            line.receive()
            text = json.dumps(header).encode()
            self._end.sendall(PREFIX.pack(len(text), len(raw)) + text + raw)
        self._end.close()

    def calls(self, count: int) -> list[Any]:
        try:
            return self.conversation.call_each(0, [(float(number),) for number in range(count)])
        finally:
            self.conversation.finish()
            self._thread.join()


@pytest.mark.parametrize(
    "frames",
    [
        [(["+", [1] * 11], b"")],
        [(["+", [1] * 4], b""), (["+", [1] * 7], b"")],
        [(["+", []], b"")],
        [(["+", [1] * 4], b""), (["+", []], b"")],
        [(["+"], b"")],
        [(["+", 10], b"")],
        [(["+", [1] * 10, 10], b"")],
        [(["+", [1] * 10], b"12345678")],
        [(["+", [[1, [2]]] * 10], b"")],
        [(["+", [["t", 1]] * 9 + [["k", []]]], b"")],
        [(["&", [1] * 11], b"")],
        [(["&", []], b"")],
        [(["&", [1] * 10], b"12345678")],
        [(["&", [["k", 0]] * 10], b"")],
        [(["&", [["v", 0]] * 10], b"")],
        [(["&", [["l"]] * 10], b"")],
        [(["&", [["t", ["t", 1]]] * 10], b"")],
        [(["&", [["t", ["l"]]] * 10], b"")],
        [(["&", [["o", "Kept", 0]] * 10], b"")],
        [(["&", [["o", "Kept"]] * 10], b"")],
        [(["&", [["o", 5, None]] * 10], b"")],
        [(["&", [["s", "<f8", "00"]] * 10], b"")],
        [(["&", [["s", "<U1", "00000000"]] * 10], b"")],
        [(["&", [["h", 0, "Mine", []]] * 10], b"")],
        [(["&", [[]] * 10], b"")],
        [(["&", [["u", "Id", 1]] * 10], b"")],
        [([], b"")],
        [("+", b"")],
        [(["*", 0, 1, []], b"")],
        [(["+", [1] * 4], b""), (["?", 0, "random", []], b"")],
    ],
)
def test_answers_that_were_not_asked_for_end_it(frames: Sequence[tuple[Any, bytes]]) -> None:
    forger = Forger(frames)
    with pytest.raises(ProtocolFault):
        forger.calls(10)
    assert isinstance(forger.conversation.fault, ProtocolFault)


def test_fewer_answers_than_calls_are_waited_for(talk: Talk) -> None:
    """Whoever answers four of ten and then nothing has answered nothing; and four, one alone and five are ten."""
    with pytest.raises(EndedFault):
        Forger([(["+", [1] * 4], b"")]).calls(10)
    parts = [(["+", [0, 1, 2, 3]], b""), (["=", 4], b""), (["+", [5, 6, 7, 8, 9]], b"")]
    assert Forger(parts).calls(10) == list(range(10))


def test_any_answers_at_all_come_as_plain_values_or_are_a_fault() -> None:
    kinds: tuple[Any, ...] = (
        None,
        True,
        5,
        -0.5,
        "text",
        [],
        [1, True],
        [None, "k"],
        {"a": 1},
        [{"a": 1}],
        [[]],
        [1, [2]],
    )
    for answer in kinds:
        frames = [(["+", [answer] * 10], b"")]
        try:
            (found,) = {repr(one) for one in Forger(frames).calls(10)}
        except Fault:
            assert "{" in str(answer) or any(type(part) is list for part in (answer if type(answer) is list else ()))
        else:
            assert found == repr(tuple(answer) if type(answer) is list else answer)


# --- by the proxy's functions


def test_a_guest_is_asked_in_bulk_by_the_proxy_s_functions(host: Host) -> None:
    from acidtest.mutants.sandbox.proxy import Proxies
    from acidtest.properties.bulk import in_bulk

    proxies = Proxies(CHAPTER)
    conversation = host.converse(5.0, 20.0, 1)
    there = conversation.hello()
    assert isinstance(there, list)
    proxies.connect(conversation, there)
    step: Any = proxies._module.__dict__["speculative_step"]
    assert in_bulk(step, ((COUNTED, number) for number in range(300))) == list(range(1, 301))
    with pytest.raises(ValueError, match="here"):
        in_bulk(step, [("lambda x: throw(ValueError('here'))", 1)] * 3)
    proxies.disconnect()
    with pytest.raises(RuntimeError, match="although no submission"):
        in_bulk(step, [(COUNTED, 1)])
    host.finish(conversation)


def test_a_bulk_is_no_larger_than_it_may_be(talk: Talk, monkeypatch: pytest.MonkeyPatch) -> None:
    sizes: list[int] = []
    text = bulk.columns_text

    def noted(calls: Sequence[Sequence[Any]], writer: Writer, copied: bool) -> str:
        sizes.append(len(calls))
        return text(calls, writer, copied)

    monkeypatch.setattr(bulk, "columns_text", noted)
    in_bulk(talk, "lambda x: x", [(number,) for number in range(3 * bulk.MOST)])
    assert max(sizes) == bulk.MOST
    assert sum(sizes) == 3 * bulk.MOST
