"""The wire: what frames may hold, that values keep their exact types, and that no bytes at all break the reader."""

import array
import gc
import json
import math
import os
import random
import socket
import struct
import time
import warnings
from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from acidtest.mutants.answers import describe
from acidtest.mutants.sandbox.books import Book
from acidtest.mutants.sandbox.conversation import Conversation
from acidtest.mutants.sandbox.faults import DeadlineFault, EndedFault, Fault, ProtocolFault, UnsendableFault
from acidtest.mutants.sandbox.lending import Lent
from acidtest.mutants.sandbox.reading import Reader
from acidtest.mutants.sandbox.strangers import Foreign
from acidtest.mutants.sandbox.wire import PREFIX, Caps, Line, parse_header
from acidtest.mutants.sandbox.writing import Writer

FRAMES = 100_000 if os.environ.get("ACIDTEST_LONG") else 10_000


class Text(str):
    pass


class Masses(np.ndarray[Any, Any]):
    pass


VALUES: tuple[Any, ...] = (
    *(None, True, False, 0, -1, 2**63, -(2**64) - 1, 10**400),
    *(0.5, -0.0, 5e-324, 1.7e308, math.inf, -math.inf, math.nan),
    *("", "text", "\u00e9\ud800\x00\U0001f600", b"", b"\x00\xff", 1.5 - 2.0j, complex(-0.0, math.inf)),
    *([], [1, [2.0, [True]], None], (), (1,), ((), [()]), {}, {"a": [1]}, {1, 2}, frozenset({"x"}), range(3, -9, -2)),
    *(bytearray(b"ab"), array.array("d", [0.5, -0.0]), array.array("B", b"xyz"), Fraction(-1, 3), Decimal("0.1")),
    *(np.float64(0.1), np.float32(0.1), np.float16(0.1), np.int8(-3), np.uint64(2**64 - 1), np.True_, np.complex64(1j)),
    *(np.array([0.5, 0.25]), np.array([]), np.array(1.0), np.array(1), np.array([[0.5, 0.5]]), np.empty((0, 2))),
    *(np.array([1, 0]), np.array([True, False]), np.array([0.5], ">f8"), np.array([0.5, 0.1], np.float32)),
    *(np.array([1j, 2.0]), np.zeros((2, 3), order="F"), np.arange(12.0).reshape(3, 4)[::2, ::-1], np.arange(5.0)[::-2]),
    np.array([1.0, None, [2]], dtype=object),
)
ALIKE = [pytest.param(value, id=f"{type(value).__name__}-{index}") for index, value in enumerate(VALUES)]


def codec(room: int | None) -> tuple[Writer, Reader]:
    """Return a writer and a reader of its frames that share nothing but the bytes."""

    def no_stranger(value: object) -> Any:
        raise UnsendableFault(f"{value!r} is a stranger")

    lent, borrowed = Lent(), Lent()
    if room is None:  # arguments are lent; what an answer holds is not
        lent.begin()
        borrowed.begin()
    writer = Writer(Book(holds=True), lent, no_stranger, guest=room is not None)
    return writer, Reader(Book(holds=True), borrowed, no_stranger, room)


def through(value: object, room: int | None = None) -> Any:
    """Return a value as it arrives."""
    writer, reader = codec(room)
    header = writer.write(value)
    reader.begin(writer.take_raw())
    arrived = reader.read(parse_header(header.encode("ascii")))
    reader.end()
    return arrived


@pytest.mark.parametrize("value", ALIKE)
@pytest.mark.parametrize("room", [None, 1 << 13], ids=["to the guest", "from the guest"])
def test_a_value_arrives_bit_for_bit_with_its_types(value: object, room: int | None) -> None:
    arrived = through(value, room)
    assert type(arrived) is type(value)
    assert describe(arrived) == describe(value)


@pytest.mark.parametrize("room", [None, 1 << 13], ids=["to the guest", "from the guest"])
def test_an_array_keeps_its_layout_and_whether_it_may_be_written(room: int | None) -> None:
    locked = np.array([0.25, 0.75])
    locked.flags.writeable = False
    for value in (locked, np.zeros((2, 3), order="F"), np.arange(12.0).reshape(3, 4)[::2, ::-1], np.arange(3.0)[::2]):
        arrived = through(value, room)
        assert arrived.strides == value.strides
        assert str(arrived.flags) == str(value.flags)


@pytest.mark.parametrize("value", ALIKE)
def test_strangers_are_written_as_they_would_be_where_none_is_known(value: object) -> None:
    for values in ([value], [value, 0.5, np.array([0.5, 0.5])], [np.array([0.25]), value, "text"]):
        plain, _ = codec(None)
        expected = [plain.write(each) for each in values], plain.take_raw()
        quick, _ = codec(None)
        texts = quick.write_strangers(values)
        assert (texts, quick.take_raw()) in (expected, ([], b""))
        if type(value) in (float, int, str, bool):
            assert texts


def test_one_vector_twice_is_no_stranger_the_second_time() -> None:
    vector = np.array([0.5, 0.5])
    assert codec(None)[0].write_strangers([vector, 1]) == ['["v",2]', "1"]
    for values in ([vector, vector], [vector, vector[:1]], [vector, [vector]], [vector, (vector,)]):
        assert codec(None)[0].write_strangers(values) == []


def test_text_arrays_go_to_the_guest_and_not_back() -> None:
    for value in (np.array(["a", "bc"]), np.array([b"x"]), np.str_("a")):
        assert describe(through(value)) == describe(value)
        with pytest.raises(UnsendableFault):
            through(value, 1 << 13)


def test_a_subclass_arrives_as_a_class_of_that_name_and_nothing_else() -> None:
    class Id(int):
        def __eq__(self, other: object) -> bool:
            return True

        def __hash__(self) -> int:
            return 0

    class Share(np.float64):
        pass

    masses = np.ones(2).view(Masses)
    for value, base in ((Id(3), int), (Text("a"), str), (Share(0.5), np.float64), (masses, np.ndarray)):
        arrived = through(value, 1 << 13)
        assert (type(arrived).__name__, type(arrived).__mro__[1]) == (type(value).__name__, base)
        assert {"__eq__", "__lt__", "__float__"}.isdisjoint(vars(type(arrived)))
    assert through(Id(3)) != 4


def test_one_object_twice_is_one_object_there_too() -> None:
    shared, masses = [1.0], np.array([0.5, 0.5])
    left, right, one, other, view = through((shared, shared, masses, masses, masses[1:]))
    assert left is right
    assert one is other
    assert view.base is one
    view[0] = 0.25
    assert one.tolist() == [0.5, 0.25]


def test_views_of_one_array_share_memory_there_too() -> None:
    striped = np.array([[0.25, 0.5], [0.75, 0.5]])
    p, q, whole = through((striped[:, 0], striped[:, 1], striped))
    assert p.tolist() == [0.25, 0.75]
    whole[0] = [7.0, 8.0]
    assert (p[0], q[0]) == (7.0, 8.0)


def test_what_has_no_form_is_refused_by_whoever_would_send_it() -> None:
    endless: list[Any] = []
    endless.append([endless, object()])
    deep: Any = 0
    for _ in range(40):
        deep = [deep]
    for value in (endless, deep, 10**5000, np.zeros(1, dtype=[("a", "f8")]), object(), iter([])):
        with pytest.raises(UnsendableFault):
            through(value)


@pytest.mark.parametrize(
    "header",
    [
        *(
            '{"a":1}',
            '[{"a":1,"a":2}]',
            "[1",
            "",
            " 1",
            "[1] ",
            "nul",
            '["\xe9"]',
            "[01]",
            "'a'",
            "1e",
            "--1",
            '"\\ud8"',
        ),
        *("[" * 100_000, "9" * 5000, "[" * 1000 + "]" * 1000 + "]", "\x00", "[1,]", "Infinit"),
    ],
)
def test_a_header_that_is_no_plain_json_is_a_protocol_fault(header: str) -> None:
    with pytest.raises(ProtocolFault):
        parse_header(header.encode("latin-1"))


@pytest.mark.parametrize(
    "node",
    [
        *(["v", -1], ["v", 1], ["v", True], ["v", 10**30], ["v"], ["zz", 1], [], [[]], [1], [None], ["l", ["v", 2]]),
        *(
            ["a", "<f8", [2], 9, ""],
            ["a", "<f8", [10**9], 1, ""],
            ["a", "<f8", [0, 10**9], 1, ""],
            ["a", "O", [1], 1, ""],
        ),
        *(
            ["a", "<U1", [0], 1, ""],
            ["a", "<f8", [0], 1, "a b"],
            ["a", "<f8", [0], 1, "a\x00"],
            ["a", "V8", [0], 1, ""],
        ),
        *(["w", ["v", 0], "<f8", [1], 0, [8], 1, ""], ["w", ["k", 0], "<f8", [1], 0, [8], 1, ""], ["k", 0], ["k", "0"]),
        *(
            ["w", ["v", 0], "<f8", [10**6], 0, [0], 1, ""],
            ["O", [2], 1, "", 1],
            ["O", [0] * 9, 1, ""],
            ["L", 0],
            ["L", -1],
        ),
        *(["s", "<f8", "00"], ["s", "<f8", 1], ["s", "<U1", "00000000"], ["s", "f8", "zz"], ["c", 1, 2], ["q", 1, 0]),
        *(
            ["q", 1.0, 2],
            ["D", "1e999999999"],
            ["D", 1],
            ["D", "x"],
            ["r", 0, 10**12, 1],
            ["r", 0, 1, 0],
            ["u", "X", None],
        ),
        *(["u", "X", True], ["u", "1x", 1], ["u", "X", ["u", "Y", 1]], ["d", 1], ["d", ["l"], 1], ["e", ["l"]]),
        *(
            ["e", *range(300)],
            ["d", *range(600)],
            ["f", ["d"]],
            ["A", "d", 0, 0],
            ["A", "u", 0],
            ["A", "", 0],
            ["b", 1],
        ),
    ],
)
def test_a_node_that_says_too_much_or_too_little_is_a_protocol_fault(node: list[Any]) -> None:
    _, reader = codec(1 << 13)
    reader.begin(b"")
    with pytest.raises(ProtocolFault):
        reader.read(parse_header(json.dumps(node).encode()))


def test_bytes_that_belong_to_no_value_are_a_protocol_fault() -> None:
    _, reader = codec(1 << 13)
    reader.begin(bytes(16))
    reader.read(["v", 1])
    with pytest.raises(ProtocolFault):
        reader.end()


@pytest.fixture
def pair() -> Iterator[tuple[Line, socket.socket]]:
    """Yield our end of a line, and the socket at its other end."""
    ours, theirs = socket.socketpair()
    with ours, theirs:
        yield Line(ours, Caps(1 << 16, 1 << 16)), theirs


def test_a_frame_is_read_whole_however_it_is_cut(pair: tuple[Line, socket.socket]) -> None:
    line, theirs = pair
    header, raw = json.dumps(["l", *range(2000)]).encode(), os.urandom(9000)
    frame = PREFIX.pack(len(header), len(raw)) + header + raw
    for cut in (1, 3, 8, 9, 4096, 4097, len(frame)):
        for start in range(0, len(frame), max(cut, 97)):
            theirs.send(frame[start : start + max(cut, 97)])
        value, rest = line.receive(time.monotonic() + 5)
        assert value == ["l", *range(2000)]
        assert rest == raw


def test_a_size_is_refused_before_anything_is_read_for_it(pair: tuple[Line, socket.socket]) -> None:
    line, theirs = pair
    sizes = (3_000_000_000, 0, "3.0 GB"), (1, (1 << 16) + 1, "65.5 kB"), (2**32 - 1, 2**32 - 1, "8.6 GB")
    for head, raw, size in sizes:
        theirs.send(struct.pack("<II", head, raw))
        with pytest.raises(ProtocolFault, match=f"a frame of {size}"):
            line.receive(time.monotonic() + 5)


def test_two_frames_at_once_are_a_protocol_fault(pair: tuple[Line, socket.socket]) -> None:
    line, theirs = pair
    theirs.send((PREFIX.pack(1, 0) + b"1") * 2)
    with pytest.raises(ProtocolFault, match="more than one frame"):
        line.receive(time.monotonic() + 5)


def test_frames_that_may_follow_at_once_are_read_one_by_one(pair: tuple[Line, socket.socket]) -> None:
    line, theirs = pair
    frames = [PREFIX.pack(1, number) + b"1" + bytes(number) for number in (0, 5, 0, 300)]
    for cut in (7, 9, 1000):
        data = b"".join(frames)
        for start in range(0, len(data), cut):
            theirs.send(data[start : start + cut])
        for number, more in ((0, True), (5, True), (0, True), (300, False)):
            assert line.receive(time.monotonic() + 5, more=more) == (1, bytes(number))
        assert line.is_silent()
    theirs.send(frames[0] * 3)
    assert line.receive(time.monotonic() + 5, more=True) == (1, b"")
    with pytest.raises(ProtocolFault, match="more than one frame"):
        line.receive(time.monotonic() + 5)


def test_drops_of_a_frame_do_not_extend_its_deadline(pair: tuple[Line, socket.socket]) -> None:
    line, theirs = pair
    theirs.send(PREFIX.pack(100, 0) + b"[")
    begun = time.monotonic()
    with pytest.raises(DeadlineFault):
        line.receive(begun + 0.05)
    assert time.monotonic() >= begun + 0.05
    with pytest.raises(DeadlineFault):
        line.receive(begun)


def test_the_end_of_the_line_is_told_from_silence(pair: tuple[Line, socket.socket]) -> None:
    line, theirs = pair
    assert line.is_silent()
    theirs.send(b"x")
    assert not line.is_silent()
    theirs.close()
    with pytest.raises(EndedFault):
        line.receive(time.monotonic() + 5)
    assert line.is_silent()


def test_whoever_does_not_read_is_found_out(pair: tuple[Line, socket.socket]) -> None:
    line, _ = pair
    line.patience(0.01)
    with pytest.raises(DeadlineFault):
        any(line.send("[]", bytes(1 << 16)) for _ in range(100))  # type: ignore[func-returns-value]


# --- the fuzzer: whatever comes, a value or a fault


class Fed:
    """A socket whose other end has written ``data`` and closed."""

    data = b""

    def recv(self, most: int, _flags: int = 0) -> bytes:
        part, self.data = self.data[:most], self.data[most:]
        return part

    def send(self, frame: bytes) -> int:
        return len(frame)

    def setsockopt(self, *_: object) -> None: ...


class Source:
    def random(self) -> float:
        return 0.5


def answers() -> list[tuple[list[Any], bytes]]:
    """Return well-formed answers of every kind: values, exceptions, changes, warnings, calls back."""
    found: list[tuple[list[Any], bytes]] = []
    for value in VALUES:
        writer, _ = codec(1 << 13)
        found.append((["=", json.loads(writer.write(value))], writer.take_raw()))
    mro = [["b", name] for name in ("ZeroDivisionError", "ArithmeticError")]
    warning = [[["b", "RuntimeWarning"], ["b", "Warning"]], "text"]
    bits = np.array([0.125, 0.875]).tobytes()
    found += [
        (["=", ["k", 0], [], [], []], b""),
        (["=", ["w", ["k", 0], "<f8", [1], 8, [8], 1, ""]], b""),
        (["=", ["l", ["L", 0], ["k", 1]], [0, ["l", 1, 2]], [0, True, 16], [warning]], bits),
        (["=", None, [1, ["b", 2]], [0, True, 16, 1, False, None], []], b"ab" + bits),
        (["=", ["H", 0]], b""),
        (["=", ["o", "Thing", None]], b""),
        (["!", mro, "text"], b""),
        (["!", [["c", "Mine"], ["s", "ZeroResidualError"], ["b", "ValueError"]], ""], b""),
        (["!", mro, "text", [], [], [warning]], b""),
        (["x", "too deep"], b""),
        (["=", 0.5, [], [], [], [0, 1]], b""),
        (["?", 0, "random", []], b""),
        (["?", 0, "random", [0, 2], 1, ["v", 1]], bits[:8]),
        (["+", [1, 0.5]], b""),
    ]
    return found


ODD: tuple[Any, ...] = (
    *(None, True, -1, 0, 1, 2, 7, 10**30, -(10**4000), 0.5, math.nan, -math.inf),
    *("", "k", "v", "l", "\ud800", "=", "!", "?", [], [[]], ["k", 0], ["v", 2], ["l"], ["L", 0], ["H", 0]),
    *(["o", "X", 3], ["w", ["k", 0], "<f8", [1], 0, [8], 1, ""]),
)


def mutated(tree: Any, rng: random.Random) -> Any:
    """Return a tree with one node exchanged, dropped, doubled or moved."""
    if type(tree) is not list or not tree or rng.random() < 0.15:
        return rng.choice(ODD)
    index = rng.randrange(len(tree))
    change = rng.random()
    if change < 0.7:
        return [*tree[:index], mutated(tree[index], rng), *tree[index + 1 :]]
    if change < 0.8:
        return [*tree[:index], *tree[index + 1 :]]
    if change < 0.9:
        return [*tree[:index], tree[index], *tree[index:]]
    return [*tree[index:], *tree[:index]]


def frames(count: int, seed: int) -> Iterator[bytes]:
    """Yield what a hostile guest might write, a quarter of it well-formed as frames."""
    rng = random.Random(seed)
    valid = answers()
    for _ in range(count):
        kind = rng.randrange(10)
        tree, raw = rng.choice(valid)
        for _ in range(rng.randrange(1, 4)):
            tree = mutated(tree, rng) if kind < 4 else tree
        header = json.dumps(tree).encode()
        frame = bytearray(PREFIX.pack(len(header), len(raw)) + header + raw)
        if kind == 4:
            yield rng.randbytes(rng.randrange(200))
        elif kind == 5:
            yield bytes(frame[: rng.randrange(len(frame))])
        elif kind == 6:
            lengths = rng.choices((0, 1, 5, 255, 1 << 16, 1 << 18, 1 << 31, (1 << 32) - 1, len(header)), k=2)
            yield PREFIX.pack(*lengths) + bytes(frame[8:])
        elif kind == 7:
            deep = b"[" * rng.choice((30, 900, 5000)) if rng.random() < 0.2 else b'["l",' * 30 + b"1" + b"]" * 30
            yield PREFIX.pack(len(deep), 0) + deep
        elif kind == 8:
            huge = b'["=",' + b"9" * 4500 + b"]"
            text = rng.choice((b'{"=":1,"=":2}', b'["=",{"a":{}}]', b'["=",NaN]', huge, b"[[[]]]"))
            yield PREFIX.pack(len(text), 0) + text
        else:
            for _ in range(rng.randrange(1, 6) if kind == 9 else 0):
                frame[rng.randrange(len(frame))] = rng.randrange(256)
            yield bytes(frame)


def outcome_of(frame: bytes) -> str:
    """Return what a call comes to whose answer is ``frame``: the name of a fault, or ``value``."""
    end: Any = Fed()
    conversation = Conversation(end, 5.0, 50.0, lambda: "ended")
    p, q = np.array([0.25, 0.75]), np.array([0.5, 0.5])
    end.data = frame
    raised: BaseException | None = None
    try:
        conversation.call(3, (p, q, [1.0, 2.0], bytearray(b"xy"), Source()), {})
    except BaseException as error:
        raised = error
    assert conversation.fault is (raised if isinstance(raised, Fault) else None)
    if isinstance(raised, Fault):
        with pytest.raises(type(raised)):
            conversation.call(3, (), {})
        return type(raised).__name__
    if raised is not None:  # no answer but one that says so raises
        assert isinstance(raised, Exception)
        assert json.loads(frame[8 : 8 + PREFIX.unpack_from(frame)[0]])[0] == "!"
    return "value"


def held_kb() -> int:
    gc.collect()
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGESIZE") // 1024


def test_any_bytes_at_all_give_a_value_or_a_fault_and_memory_stays_flat() -> None:
    tally: dict[str, int] = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for frame in frames(500, 0):
            outcome_of(frame)
        before = held_kb()
        for frame in frames(FRAMES, 1):
            kind = outcome_of(frame)
            tally[kind] = tally.get(kind, 0) + 1
    assert held_kb() - before < 16 << 10
    assert set(tally) <= {"value", "ProtocolFault", "EndedFault", "ExitFault", "UnsendableFault", "TooLargeFault"}
    assert sum(tally.values()) == FRAMES
    assert min(tally["value"], tally["ProtocolFault"], tally["EndedFault"]) > FRAMES // 50


def test_a_foreign_object_answers_nothing() -> None:
    thing = Foreign("Thing")
    assert repr(thing) == "<Thing object of the submission>"
    assert thing != Foreign("Thing")
    assert not hasattr(thing, "tolist")
