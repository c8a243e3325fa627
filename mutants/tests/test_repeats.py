"""A test is left out only where each call that it makes is answered as before: what that takes, and what forbids it."""

import importlib
import sys
import types
from pathlib import Path
from typing import Any

import pytest

from acidtest.mutants.model import REPEATED
from acidtest.mutants.probes import Probes
from acidtest.mutants.repeats import Repeats
from acidtest.mutants.tests import tiny
from acidtest.mutants.workload import Workload

SQUARE = "def square(x):\n    return x * x\n"
TWO_TESTS = """
import box
def test_two():
    assert box.square(2) == 4
def test_three():
    assert box.square(3) == 9
"""


def by_road(box: Workload, before: str | None, after: str, function: str = "square") -> list[dict[str, str]]:
    """Return the outcomes on the usual road and on one without any shortcut."""
    variant = tiny.variant(box, "m", function, before, after)
    runs = [tiny.run(box, variant), tiny.run(box, variant, prune=False)]
    assert all(run.problems == () for run in runs)
    assert tiny.cells(runs[0]) == tiny.cells(runs[1])
    return [tiny.outcomes(run, "m") for run in runs]


def test_only_the_test_whose_call_is_answered_otherwise_is_run(tmp_path: Any) -> None:
    usual, plain = by_road(tiny.workload(tmp_path, SQUARE, TWO_TESTS), "x * x", "x * x if x != 3 else 8")
    assert usual == {"test_two": f"passed:{REPEATED}", "test_three": "failed:assertion"}
    assert plain == {"test_two": "passed", "test_three": "failed:assertion"}


def test_a_test_that_makes_no_call_of_the_changed_function_is_run_only_without_shortcuts(tmp_path: Any) -> None:
    source = SQUARE + "def cube(x):\n    return square(x) * x\n"
    tests = TWO_TESTS + "def test_cube():\n    assert box.cube(3) == 27\n"
    usual, _ = by_road(tiny.workload(tmp_path, source, tests), "x * x", "x * x if x != 3 else 8")
    assert usual["test_cube"] == "failed:assertion"


def test_a_variant_that_loops_while_calls_are_repeated_is_timed_out_by_its_tests_only(tmp_path: Any) -> None:
    box = tiny.workload(tmp_path, SQUARE, TWO_TESTS)
    variant = tiny.variant(box, "m", "square", "return x * x", "while x == 3:\n    pass\nreturn x * x")
    outcomes = tiny.outcomes(tiny.run(box, variant), "m")
    assert outcomes == {"test_two": f"passed:{REPEATED}", "test_three": "timed_out:over 2 s"}


def test_a_variant_that_hoards_while_calls_are_repeated_crashes_its_tests_only(tmp_path: Any) -> None:
    box = tiny.workload(tmp_path, SQUARE, TWO_TESTS)
    variant = tiny.variant(box, "m", "square", "return x * x", "return x * x if x != 3 else [0] * 2**40")
    outcomes = tiny.outcomes(tiny.run(box, variant), "m")
    assert outcomes == {"test_two": f"passed:{REPEATED}", "test_three": "crashed:MemoryError"}


def test_an_alarm_that_the_tests_have_set_up_is_theirs(tmp_path: Any) -> None:
    tests = """
    import box, signal, time
    heard = []
    signal.signal(signal.SIGALRM, lambda *event: heard.append(event))
    def test_two():
        assert box.square(2) == 4
    def test_three():
        assert box.square(3) == 9
        signal.setitimer(signal.ITIMER_REAL, 0.01)
        while not heard:
            time.sleep(0.01)
    """
    usual, _ = by_road(tiny.workload(tmp_path, SQUARE, tests), "x * x", "x * x if x != 3 else 9.0")
    assert usual == {"test_two": f"passed:{REPEATED}", "test_three": "passed"}


def test_calls_from_a_signal_s_handler_or_a_destructor_are_calls_too(tmp_path: Any) -> None:
    source = """
    def slow(x):
        lists = []
        for _ in range(300000):
            lists.append([])
        return len(lists)

    def square(x):
        return x * x
    """
    tests = """
    import box, gc, signal
    def test_handler():
        assert box.square(2) == 4
        box.slow(1)
        found = []
        usual = signal.signal(signal.SIGALRM, lambda *event: found.append(box.square(3)))
        signal.setitimer(signal.ITIMER_REAL, 0.01)
        box.slow(1)
        signal.signal(signal.SIGALRM, usual)
        assert found == [9]
    def test_destructor():
        found = []
        class Last:
            def __del__(self):
                found.append(box.square(3))
        assert box.square(2) == 4
        box.slow(1)
        last = Last()
        last.itself = last
        del last
        box.slow(1)
        gc.collect()
        assert found == [9]
    """
    usual, _ = by_road(tiny.workload(tmp_path, source, tests), "x * x", "x * x if x != 3 else 8")
    assert usual == dict.fromkeys(("test_handler", "test_destructor"), "failed:assertion")


def test_without_processes_to_fork_a_test_may_leave_the_target_alone(tmp_path: Any) -> None:
    box = tiny.workload(tmp_path, SQUARE, TWO_TESTS + "def test_nothing():\n    assert True\n")
    run = tiny.run(box, tiny.variant(box, "m", "square", "x * x", "x * x if x != 3 else 8"), fork=False)
    assert run.problems == ()
    assert tiny.outcomes(run, "m") == {"test_two": "passed", "test_three": "failed:assertion", "test_nothing": "passed"}


def test_a_test_may_ask_for_a_function_s_signature_and_source(tmp_path: Any) -> None:
    tests = """
    import box, inspect
    def test_it():
        assert str(inspect.signature(box.square)) == "(x=2)"
        assert "x * x" in inspect.getsource(box.square)
        assert box.square.__name__ == box.square.__qualname__ == box.square.__code__.co_qualname == "square"
        assert box.square() == 4
    """
    usual, _ = by_road(tiny.workload(tmp_path, "def square(x=2):\n    return x * x\n", tests), "x * x", "x * x + 0")
    assert usual == {"test_it": "passed"}  # it reads the target's source, so it is run


BRANCHES = "def pick(x):\n    if x > 2:\n        return 'more'\n    return 'less'\n"


@pytest.fixture
def branches(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Repeats, types.FunctionType]:
    """Return what is known of two tests, ``test_1`` and ``test_5``, that call the function with these; in no child."""
    path = tmp_path / "branches.py"
    path.write_text(BRANCHES)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "branches", raising=False)
    pick: types.FunctionType = importlib.import_module("branches").pick
    repeats = Repeats(["branches"], Probes({"branches": str(path)}))
    for number in (1, 5):
        with repeats.recording() as recorder:
            recorder.begin()
            pick(number)
            repeats.keep(f"test_{number}", recorder.record())
    plain = pick.__code__
    repeats.keep_answers(repeats.answered())
    pick.__code__ = plain
    return repeats, pick


def test_only_calls_that_came_to_the_change_are_repeated(
    branches: tuple[Repeats, types.FunctionType], monkeypatch: pytest.MonkeyPatch
) -> None:
    repeats, _ = branches
    asked: list[object] = []

    def ask(_: Repeats, name: object, image: bytes, caught: object) -> tuple[None, float]:
        asked.append(name)
        return None, 0.0

    monkeypatch.setattr(Repeats, "_asked", ask)
    assert repeats.apply("branches", ["pick"], [3])
    assert repeats.alike("test_1", "branches", ["pick"])
    assert asked == []
    assert not repeats.alike("test_5", "branches", ["pick"])
    assert asked == [("branches", "pick")]


def test_every_call_is_repeated_where_no_line_can_tell(branches: tuple[Repeats, types.FunctionType]) -> None:
    repeats, pick = branches
    changed: dict[str, types.FunctionType] = {}
    exec(BRANCHES.replace("'less'", "'fewer'"), changed)
    pick.__code__ = changed["pick"].__code__
    assert repeats.apply("branches", ["pick"], None)
    assert not repeats.alike("test_1", "branches", ["pick"])
    assert repeats.alike("test_5", "branches", ["pick"])


def test_no_call_that_is_known_is_no_reason_to_leave_a_test_out() -> None:
    repeats = Repeats(())
    repeats.keep("test_it", {})
    assert not repeats.alike("test_it", "box", ["square"])
    assert not repeats.alike("test_unheard_of", "box", ["square"])


@pytest.mark.parametrize(("times", "alike"), [(1, True), (2, True), (3, False)])
def test_a_call_is_dearer_only_if_it_is_so_each_time(
    branches: tuple[Repeats, types.FunctionType], monkeypatch: pytest.MonkeyPatch, times: int, alike: bool
) -> None:
    repeats, _ = branches
    really = Repeats._asked
    taken = [1000.0] * times

    def ask(repeats: Repeats, name: Any, image: bytes, caught: Any) -> tuple[bytes | None, float]:
        return really(repeats, name, image, caught)[0], taken.pop() if taken else 0.0

    monkeypatch.setattr(Repeats, "_asked", ask)
    assert repeats.apply("branches", ["pick"], None)
    assert repeats.alike("test_1", "branches", ["pick"]) is alike
    assert taken == []


@pytest.mark.parametrize(
    ("different", "others", "reason"), [(300, 0, REPEATED), (301, 0, ""), (900, 8000, REPEATED), (900, 3000, "")]
)
def test_many_different_calls_are_repeated_only_among_many_more(
    tmp_path: Any, different: int, others: int, reason: str
) -> None:
    source = SQUARE + "def cube(x):\n    return x * x * x\n"
    tests = f"""
    import box
    def test_it():
        for number in range({different}):
            for _ in range({others} // {different}):
                assert box.cube(2) == 8
            assert box.square(number) >= 0
    """
    box = tiny.workload(tmp_path, source, tests)
    variant = tiny.variant(box, "m", "square", "x * x", "x * x if x != -1 else 8")
    assert tiny.outcomes(tiny.run(box, variant), "m") == {"test_it": f"passed:{reason}" if reason else "passed"}
