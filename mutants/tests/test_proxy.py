"""The proxy: a test that calls it sees what it would see in process, and a guest that plays up is found out."""

import array
import random
import sys
import warnings
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from acidtest.mutants.sandbox.faults import DeadlineFault, EndedFault, ExitFault, Fault, ProtocolFault, UnsendableFault
from acidtest.mutants.sandbox.hosting import FILES, Host, RefusedError
from acidtest.mutants.sandbox.launcher import GuestLimits, Tier, launch
from acidtest.mutants.sandbox.proxy import Proxies, missing
from acidtest.mutants.sandbox.strangers import Foreign
from acidtest.mutants.sandbox.subject import CHAPTER
from acidtest.mutants.tests.talks import ANYTHING, FUNCTIONS, REFERENCE, TARGET, Talk, host_of


@pytest.fixture
def hasty(host: Host) -> Iterator[Talk]:
    """Yield one that waits a fifth of a second for an answer."""
    conversation = host.converse(5.0, 20.0, 1)
    hasty = Talk(conversation)
    conversation._call_seconds = 0.2
    yield hasty
    host.finish(conversation)


# --- memory that caller and submission share


def test_a_result_that_is_an_argument_is_the_caller_s_own(talk: Talk) -> None:
    p, masses, buffer = np.array([0.5, 0.5]), [0.5, 0.5], bytearray(b"ab")
    assert talk("lambda p: p", p) is p
    assert talk("lambda p: (1, [p])", p)[1][0] is p
    assert talk("np.asarray", p) is p
    assert talk("lambda p: p", masses) is masses
    assert talk("lambda p: p", buffer) is buffer
    assert talk("lambda p: p.copy()", p) is not p


def test_a_view_of_an_argument_shares_its_memory(talk: Talk) -> None:
    p = np.array([0.5, 0.25, 0.25])
    for text in ("p[:]", "p[::-1]", "np.frombuffer(memoryview(p))", "p.view()"):
        view = talk(f"lambda p: {text}", p)
        assert view is not p
        assert np.shares_memory(view, p)
        assert sorted(view.tolist()) == [0.25, 0.25, 0.5]
    assert not np.shares_memory(talk("lambda p: p + 0", p), p)


def test_what_is_written_into_an_argument_is_written_into_the_caller_s(talk: Talk) -> None:
    p, masses, nested = np.array([0.5, 0.5]), [0.5, 0.5], [[1], [2]]
    data, numbers = bytearray(b"ab"), array.array("d", [0.5])
    assert talk("lambda p: p.__setitem__(0, 7.0)", p) is None
    assert p.tolist() == [7.0, 0.5]
    with pytest.raises(ValueError, match="after"):
        talk("lambda p: (p.__setitem__(1, 8.0), throw(ValueError('after')))", p)
    assert p.tolist() == [7.0, 8.0]
    talk("lambda p: p.append(p.pop(0) + 1)", masses)
    assert masses == [0.5, 1.5]
    inner = nested[0]
    talk("lambda p: (p[0].append(5), p.reverse())", nested)
    assert nested == [[2], [1, 5]]
    assert nested[1] is inner
    talk("lambda p, q: (p.__setitem__(0, 99), q.__setitem__(0, 0.25))", data, numbers)
    assert (data, numbers) == (bytearray(b"cb"), array.array("d", [0.25]))
    assert talk.conversation.wrote


def test_a_write_through_a_view_reaches_all_that_share_the_memory(talk: Talk) -> None:
    both = np.array([[0.25, 0.5], [0.75, 0.5]])
    talk("lambda p, q: p.__setitem__(0, 9.0)", both[:, 0], both[:, 1])
    assert both.tolist() == [[9.0, 0.5], [0.75, 0.5]]
    p = np.array([0.5, 0.5])
    talk("lambda p, q: q.__setitem__(0, 3.0)", p, p)
    assert p.tolist() == [3.0, 0.5]


def test_an_array_that_is_locked_is_locked_there_and_can_be_broken_open(talk: Talk) -> None:
    p = np.array([0.5, 0.5])
    p.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        talk("lambda p: p.__setitem__(0, 7.0)", p)
    assert p.tolist() == [0.5, 0.5]
    talk("lambda p: (p.setflags(write=True), p.__setitem__(0, 7.0), p.setflags(write=False))", p)
    assert p.tolist() == [7.0, 0.5]
    assert not p.flags.writeable
    p.flags.writeable = True
    assert talk("lambda p: p.flags.writeable", p)


def test_a_result_that_the_submission_keeps_is_shared_with_it(talk: Talk) -> None:
    first = talk("lambda: kept.setdefault('out', np.array([0.5, 0.5]))")
    first[0] = 7.0
    assert talk("lambda: float(kept['out'][0])") == 7.0
    assert talk("lambda: kept['out']") is first
    talk("lambda: kept['out'].__setitem__(1, 8.0)")
    assert first.tolist() == [7.0, 8.0]
    view = talk("lambda: kept['out'][:1]")
    assert np.shares_memory(view, first)
    part = talk("lambda: kept.setdefault('buffer', np.zeros(4))[1:3]")
    assert np.shares_memory(part, talk("lambda: kept['buffer'][2:]"))


def test_an_argument_is_the_same_object_at_every_call(talk: Talk) -> None:
    p = np.array([0.5, 0.5])
    talk("lambda p: kept.setdefault('last', p)", p)
    p[0] = 3.0
    assert talk("lambda p: (p is kept['last'], float(kept['last'][0]))", p) == (True, 3.0)
    assert talk("lambda p: p is kept['last']", p.copy()) is False
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        p.shape = (2, 1)
    assert talk("lambda p: p.shape", p) == (2, 1)


def test_arrays_that_the_caller_dropped_are_dropped_there(talk: Talk) -> None:
    count = "lambda: gc.collect() or sum(type(each).__name__ == 'Entry' for each in gc.get_objects())"
    for size in range(1, 300):
        talk("lambda p: p.copy()", np.ones(size))
    assert talk(count) < 5
    crowd = [np.ones(size) for size in range(200)]
    assert talk("lambda *crowd: [len(one) for one in crowd]", *crowd) == list(range(200))
    assert talk("lambda p: float(p.sum())", crowd[7]) == 7.0
    assert talk(count) < 100


# --- arguments of every kind


def test_odd_arguments_do_there_what_they_do_here(talk: Talk) -> None:
    class Id:
        def __index__(self) -> int:
            return 1

    class Row:
        def __len__(self) -> int:
            return 2

        def __getitem__(self, index: int) -> float:
            return [0.25, 0.75][index]

    class Tagged(np.ndarray[Any, Any]):
        pass

    assert talk("lambda x: (__import__('operator').index(x), [5, 6][x], type(x).__name__)", Id()) == (1, 6, "Id")
    assert talk("lambda p: np.asarray(p, dtype=float)", Row()).tolist() == [0.25, 0.75]
    assert talk("lambda p: list(p)", Row()) == [0.25, 0.75]
    assert talk("list", (mass for mass in (0.5, 0.5))) == [0.5, 0.5]
    assert talk("lambda p: (type(p).__name__, type(p + 1).__name__)", np.ones(2).view(Tagged)) == ("Tagged", "Tagged")
    assert talk("lambda u: u < 0.75", Fraction(1, 2)) is True
    for bad in ([object(), object()], object(), ["a", "b"], [0.5 + 0j], [[0.5], [0.5, 0.5]], [10**400, 0.5]):
        assert talk("refusal", bad) == refusal(bad)
    assert talk("lambda p: np.iscomplexobj(p)", [0.5 + 0j]) is True


def refusal(value: object) -> str:
    try:
        np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        return type(error).__name__
    return "none"


@pytest.mark.parametrize("make", [lambda: random.Random(5), lambda: np.random.default_rng(5)], ids=["random", "numpy"])
def test_a_source_of_uniforms_is_drawn_from_where_it_is(talk: Talk, make: Callable[[], Any]) -> None:
    rng, expected = make(), make()
    drawn = talk("lambda rng: (rng.random(), [rng.random(), rng is kept.setdefault('rng', rng)])", rng)
    assert drawn == (expected.random(), [expected.random(), True])
    assert talk("lambda rng: (rng.random(), rng is kept['rng'])", rng) == (expected.random(), True)
    assert talk("lambda rng: kept['rng']", rng) is rng
    assert rng.random() == expected.random()


def test_nothing_but_a_few_methods_of_an_object_can_be_called(talk: Talk) -> None:
    class Source:
        secret = 5

        def random(self) -> float:
            return 0.5

        def reset(self) -> None:
            raise AssertionError

    for text in ("lambda rng: rng.secret", "lambda rng: rng.reset()", "lambda rng: rng.__dict__", "len", "vars"):
        with pytest.raises((AttributeError, TypeError)):
            talk(text, Source())
    assert talk("lambda rng: type(rng).__name__", Source()) == "Source"


def test_what_cannot_be_sent_leaves_the_call_undecided(talk: Talk) -> None:
    with pytest.raises(UnsendableFault) as caught:
        talk("lambda p: p", np.zeros(1, dtype=[("a", "f8")]))
    assert caught.value.outcome == "undecided"


# --- what comes out


def test_exceptions_are_themselves_here(talk: Talk) -> None:
    own = talk.conversation.own["ZeroResidualError"]
    assert own.__mro__[1] is ArithmeticError
    for kind in (ValueError, KeyError, own):
        with pytest.raises(kind, match="a b") as caught:
            talk(f"lambda: throw({kind.__name__}('a b'))")
        assert type(caught.value) is kind
    with pytest.raises(own) as mine:
        talk("lambda: throw(Mine())")
    names = ["Mine", "ZeroResidualError", "ArithmeticError", "KeyError"]
    assert [each.__name__ for each in type(mine.value).__mro__[:4]] == names
    with pytest.raises(Exception, match="x") as odd:
        talk("lambda: throw(Odd('x'))")
    assert (type(odd.value).__name__, type(odd.value).__mro__[1]) == ("Odd", Exception)
    with pytest.raises(UnicodeError):
        talk("lambda: b'\\xff'.decode()")
    with pytest.raises(RecursionError):
        talk("lambda: (lambda f: f(f))(lambda f: f(f))")
    assert talk("lambda: 1") == 1


def test_an_exception_of_the_source_passes_through_as_the_same_object(talk: Talk) -> None:
    class ExhaustedError(AssertionError):
        pass

    class Source:
        error = ExhaustedError("no more")

        def random(self) -> float:
            raise self.error

    with pytest.raises(ExhaustedError) as caught:
        talk("lambda rng: rng.random()", Source())
    assert caught.value is Source.error
    assert talk("lambda rng: catching(rng.random)", Source()) == "ExhaustedError"


def test_what_is_no_exception_ends_the_conversation(talk: Talk) -> None:
    with pytest.raises(ExitFault, match="raised SystemExit"):
        talk("sys.exit")
    with pytest.raises(ExitFault):
        talk("lambda: 1")


def test_warnings_are_warned_here(talk: Talk) -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        assert talk("lambda: warnings.warn('look', RuntimeWarning) or 5") == 5
        talk("lambda: np.float64(1.0) / np.float64(0.0)")
    assert [each.category for each in caught] == [RuntimeWarning] * 2
    assert str(caught[0].message) == "look"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(RuntimeWarning):
            talk("lambda: np.float64(1.0) / np.float64(0.0)")
        assert talk("lambda: catching(lambda: np.float64(1.0) / np.float64(0.0))") == "RuntimeWarning"
        warnings.simplefilter("ignore")
        assert talk("lambda: np.float64(1.0) / np.float64(0.0)") == np.inf


def test_a_foreign_result_equals_nothing(talk: Talk) -> None:
    thing = talk("Thing")
    assert isinstance(thing, Foreign)
    assert thing.kind == "Thing"
    assert (thing == 0.5) is False  # type: ignore[comparison-overlap]
    flag = talk("lambda: type('Yes', (int,), {'__eq__': lambda *_: True, '__hash__': None})(3)")
    assert (type(flag).__name__, flag == 4) == ("Yes", False)


def test_names_go_with_arguments(talk: Talk) -> None:
    p = np.array([0.5])
    assert talk("lambda a, *, b, c: (a, b, c)", 1, c=p, b=2.5) == (1, 2.5, p)
    with pytest.raises(TypeError, match="unexpected keyword"):
        talk("lambda a: a", 1, d=2)


# --- guests that play up


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("lambda: os._exit(0)", "the guest ended: exit status 0"),
        ("lambda: os._exit(3)", "the guest ended: exit status 3"),
        ("lambda: os.kill(os.getpid(), signal.SIGKILL)", "the guest was killed: SIGKILL"),
        ("lambda: os.close(wire())", "the guest ended: exit status 0"),
        ("lambda: (os.close(wire()), time.sleep(50))", "the guest hung up"),
        (
            "lambda: os.write(wire(), bytes.fromhex('005ed0b2') + bytes(4)) and time.sleep(9)",
            "protocol fault: a frame of 3.0 GB",
        ),
        ("lambda: os.write(wire(), b'\\2\\0\\0\\0\\0\\0\\0\\0{}') and time.sleep(9)", "protocol fault: a JSON object"),
        ("lambda: os.write(wire(), bytes(8)) and time.sleep(9)", "protocol fault: a header that is no JSON"),
        ("lambda: np.zeros(10**5)", "protocol fault: a frame of 800.0 kB"),
        ("lambda: 'x' * 10**6", "protocol fault: a frame of 1.0 MB"),
        ("lambda: (lambda x: x.append(x) or x)([])", "the submission's answer cannot be carried: a value nested too"),
        ("lambda: np.broadcast_to(kept.setdefault('one', np.ones(1)), (10**7,))", "protocol fault: too large an array"),
    ],
)
def test_a_guest_that_breaks_off_is_named_at_every_later_call(talk: Talk, text: str, reason: str) -> None:
    for again in (text, "lambda: 1"):
        with pytest.raises(Fault) as caught:
            talk(again)
        assert not isinstance(caught.value, Exception)
        assert caught.value.reason.startswith(reason)
        assert caught.value.outcome == "crashed"
        assert talk.conversation.fault is caught.value


def test_a_list_cannot_be_put_into_itself_from_there(talk: Talk) -> None:
    for text in ("lambda p, q: p.append(p)", "lambda p, q: p.append(q)", "lambda p, q: p.append([q])"):
        conversation = talk.conversation
        with pytest.raises(ProtocolFault, match="a list with things in it that it had not"):
            talk(text, [1.0], [2.0])
        conversation.fault = None


def test_a_short_answer_cannot_be_a_huge_value(talk: Talk) -> None:
    p = np.ones(1000)
    assert len(talk("lambda p: [p] * 200", p)) == 200
    with pytest.raises(ProtocolFault, match="known things over and over"):
        talk("lambda p: [p] * 300", p)


def test_an_answer_that_nobody_asked_for_is_found_at_the_end(host: Host) -> None:
    conversation = host.converse(5.0, 20.0, 1)
    talk = Talk(conversation)
    talk("lambda: threading.Timer(0.05, os.write, (wire(), b'x')).start()")
    while conversation._line.is_silent():
        pass
    host.finish(conversation)
    assert isinstance(conversation.fault, ProtocolFault)


def test_a_call_has_one_deadline_whatever_it_calls_back(hasty: Talk) -> None:
    class Source:
        drawn = 0

        def random(self) -> float:
            self.drawn += 1
            return 0.5

    source = Source()
    with pytest.raises(DeadlineFault, match=r"one call took longer than 0\.2 s") as caught:
        hasty("lambda rng: [rng.random() and time.sleep(0.02) for _ in range(1000)]", source)
    assert caught.value.outcome == "timed_out"
    assert 0 < source.drawn <= 15


def test_a_guest_that_hangs_is_given_up(hasty: Talk) -> None:
    with pytest.raises(DeadlineFault, match=r"one call took longer than 0\.2 s"):
        hasty("lambda: time.sleep(50)")


def test_drops_of_an_answer_do_not_extend_the_deadline(hasty: Talk) -> None:
    with pytest.raises(DeadlineFault):
        hasty("lambda: [os.write(wire(), bytes([not n])) and time.sleep(0.05) for n in range(99)]")


def test_a_conversation_ends_with_its_time(host: Host) -> None:
    conversation = host.converse(5.0, 0.2, 1)
    talk = Talk(conversation)
    with pytest.raises(DeadlineFault, match=r"the test's calls took longer than 0\.2 s"):
        any(talk("lambda: time.sleep(0.02)") for _ in range(100))
    host.finish(conversation)


def test_no_state_passes_from_one_fork_to_the_next(host: Host) -> None:
    for _ in range(2):
        conversation = host.converse(5.0, 20.0, 1)
        assert Talk(conversation)("lambda: kept.setdefault('seen', len(kept))") == 0
        host.finish(conversation)


def test_the_global_generators_start_from_the_seed(host: Host) -> None:
    seen = []
    for seed in (1, 1, 2):
        conversation = host.converse(5.0, 20.0, seed)
        seen.append(Talk(conversation)("lambda: (__import__('random').random(), float(np.random.random()))"))
        host.finish(conversation)
    assert seen[0] == seen[1] != seen[2]


def test_a_guest_that_is_gone_is_told_to_whoever_asks_next() -> None:
    host = host_of(ANYTHING)
    conversation = host.converse(5.0, 20.0, 1)
    talk = Talk(conversation)
    with pytest.raises(EndedFault):
        talk("lambda: (os.kill(os.getppid(), signal.SIGKILL), os._exit(0))")
    host.finish(conversation)
    with pytest.raises(EndedFault, match="first process does not answer"):
        host.converse(5.0, 20.0, 1)
    host.close()


# --- modules


def test_what_does_not_compile_is_refused_with_the_line() -> None:
    guest = Host(launch(Tier.UNSAFE, 0, GuestLimits(), FILES))
    for source, reason in (
        (b"x = 1\n  y = 2\n", "rejection.py does not compile: IndentationError: unexpected indent, line 2"),
        (b"\xff\xfe", "rejection.py does not compile: SyntaxError"),
        (b"x\0", "rejection.py does not compile: SyntaxError"),
        (b"(" * 9000, "rejection.py does not compile: "),
    ):
        with pytest.raises(RefusedError) as caught:
            guest.load(CHAPTER, FUNCTIONS, REFERENCE, {CHAPTER.module: source})
        assert str(caught.value).startswith(reason)
    guest.close()


def test_a_submission_says_what_it_has() -> None:
    host = host_of("def rejection_accept(p_x, q_x, u): return u < p_x / q_x\nresidual_distribution = 5")
    conversation = host.converse(5.0, 20.0, 1)
    there = conversation.hello()
    assert isinstance(there, list)
    assert missing(CHAPTER, FUNCTIONS, there) == [name for name in CHAPTER.functions if name != "rejection_accept"]
    assert conversation.own == {}
    host.finish(conversation)
    host.close()


@pytest.mark.parametrize(
    ("source", "hello"),
    [
        ("import nothing_of_the_kind", "ModuleNotFoundError: No module named 'nothing_of_the_kind'"),
        ("from tinyllm.prob.rejection import speculative_step as step", None),
        ("raise SystemExit(0)", "SystemExit: 0"),
        ("import acidtest.properties", "ModuleNotFoundError: No module named 'acidtest.properties'"),
    ],
)
def test_an_import_that_raises_is_one_line(source: str, hello: str | None) -> None:
    host = host_of(source)
    conversation = host.converse(5.0, 20.0, 1)
    said = conversation.hello()
    assert isinstance(said, str)
    assert hello is None or said == hello
    host.finish(conversation)
    host.close()


def test_modules_of_the_submission_s_own_stand_in_for_the_reference_s() -> None:
    categorical = "def sample_categorical(p, u): return 42\ndef as_distribution(name, values): return values\n"
    uniforms = (TARGET / "uniforms.py").read_text("utf-8")
    for beside, answer in (({}, 1), ({"categorical": categorical, "uniforms": uniforms}, 42)):
        host = host_of(ANYTHING, **beside)
        conversation = host.converse(5.0, 20.0, 1)
        talk = Talk(conversation)
        assert talk("lambda: categorical.sample_categorical([0.25, 0.75], 0.5)") == answer
        sample = FUNCTIONS.index(("tinyllm.prob.categorical", "sample_categorical"))
        assert conversation.call(sample, ([0.25, 0.75], 0.5), {}) == answer
        rng = conversation.call(FUNCTIONS.index(("tinyllm.prob.uniforms", "PCG32")), (42, 54), {})
        assert rng.next_uint32() == 0xA15C02B7
        assert not hasattr(rng, "_state")
        host.finish(conversation)
        host.close()


def test_proxies_stand_for_one_conversation_at_a_time(host: Host, monkeypatch: pytest.MonkeyPatch) -> None:
    import tinyllm.prob
    from tinyllm.prob import categorical

    for name in list(sys.modules):
        if name == CHAPTER.module:
            monkeypatch.delitem(sys.modules, name)
    monkeypatch.setattr(tinyllm.prob, "rejection", None, raising=False)
    proxies = Proxies(CHAPTER)
    proxies.install()
    monkeypatch.setattr(tinyllm.prob, "rejection", sys.modules[CHAPTER.module])
    from tinyllm.prob import rejection

    with pytest.raises(RuntimeError, match="already imported"):
        proxies.install()
    assert not hasattr(rejection, "rejection_accept")
    sample = categorical.sample_categorical
    conversation = host.converse(5.0, 20.0, 1)
    there = conversation.hello()
    assert isinstance(there, list)
    proxies.connect(conversation, there)
    accept = rejection.rejection_accept
    assert accept("lambda: 5") == 5  # type: ignore[call-arg, arg-type]
    assert issubclass(rejection.ZeroResidualError, ArithmeticError)
    assert categorical.sample_categorical is sample
    proxies.connect(conversation, there, frozenset({"tinyllm.prob.categorical"}))
    assert categorical.sample_categorical is not sample
    proxies.disconnect()
    host.finish(conversation)
    assert categorical.sample_categorical is sample
    assert not hasattr(rejection, "ZeroResidualError")
    with pytest.raises(RuntimeError, match="no submission is being judged"):
        accept(0.5, 0.5, 0.5)
    monkeypatch.delitem(sys.modules, CHAPTER.module)
