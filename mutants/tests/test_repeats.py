"""A test is left out only where each call that it makes is answered as before: what that takes, and what forbids it."""

import types
from typing import Any

import numpy as np
import pytest

from acidtest.mutants.images import NoImageError, of_answer, of_arguments
from acidtest.mutants.purity import Judge
from acidtest.mutants.repeats import REPEATED, Repeats
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


SEEN_BY_A_TEST: dict[str, tuple[str, str, str | None, str]] = {
    "the words of an error": (
        "def square(x):\n    if x < 0:\n        raise ValueError('below')\n    return x * x\n",
        """
        import box, pytest
        def test_it():
            with pytest.raises(ValueError, match="below"):
                box.square(-1)
        """,
        "'below'",
        "'above'",
    ),
    "what is written into an argument": (
        "def square(x):\n    x = list(x)\n    x[0] *= x[0]\n    return x[0]\n",
        """
        import box
        def test_it():
            x = [3]
            assert box.square(x) == 9
            assert x == [3]
        """,
        "x = list(x)",
        "",
    ),
    "a result that is an argument": (
        "def square(x):\n    return [item for item in x]\n",
        "import box\ndef test_it():\n    x = [3]\n    assert box.square(x) is not x\n",
        "[item for item in x]",
        "x",
    ),
    "memory shared with an argument": (
        "import numpy as np\ndef square(x):\n    return np.array(x)\n",
        """
        import box, numpy as np
        def test_it():
            x = np.ones(2)
            assert not np.shares_memory(box.square(x), x)
        """,
        "np.array(x)",
        "x[:]",
    ),
    "one zero for another": (
        "def square(x):\n    return x * x\n",
        "import box, math\ndef test_it():\n    assert math.copysign(1, box.square(0.0)) == 1\n",
        "x * x",
        "-x * x",
    ),
    "a type": (
        "def square(x):\n    return x * x\n",
        "import box\ndef test_it():\n    assert type(box.square(2)) is int\n",
        "x * x",
        "x * float(x)",
    ),
    "a warning": (
        "import numpy as np\ndef square(x):\n    return np.where(x > 0, x, 0.0)\n",
        """
        import box, numpy as np, pytest
        @pytest.mark.filterwarnings("error")
        def test_it():
            assert box.square(np.array([0.0, 4.0])).tolist() == [0.0, 4.0]
        """,
        "np.where(x > 0, x, 0.0)",
        "np.where(x > 0, x * (x / x), 0.0)",
    ),
    "a name of the target that the test replaces": (
        "LIMIT = 10\ndef square(x):\n    return min(x * x, LIMIT)\n",
        """
        import box
        def test_it(monkeypatch):
            assert box.square(3) == 9
            monkeypatch.setattr(box, "LIMIT", 5)
            assert box.square(3) == 5
        """,
        "min(x * x, LIMIT)",
        "9",
    ),
    "a name of the target that the test replaces behind its back": (
        "LIMIT = 10\ndef square(x):\n    return min(x * x, LIMIT)\n",
        """
        import box
        def test_it():
            vars(box)["LIMIT"] = 5
            try:
                assert box.square(3) == 5
            finally:
                box.LIMIT = 10
            assert box.square(3) == 9
        """,
        "min(x * x, LIMIT)",
        "9 if LIMIT == 10 else 4",
    ),
    "a builtin that the test replaces": (
        "def square(x):\n    return max(x * x, 0)\n",
        """
        import box, builtins
        def test_it(monkeypatch):
            monkeypatch.setattr(builtins, "max", lambda *items: 7)
            assert box.square(3) == 7
        """,
        "max(x * x, 0)",
        "x * x",
    ),
    "state that the variant keeps": (
        "SEEN = []\ndef square(x):\n    return x * x\n",
        "import box\ndef test_it():\n    assert [box.square(3) for _ in range(3)] == [9] * 3\n",
        "return x * x",
        "SEEN.append(x)\nreturn x * x if len(SEEN) < 3 else 8",
    ),
    "state that the variant keeps in itself": (
        "def square(x):\n    return x * x\n",
        "import box\ndef test_it():\n    assert [box.square(3) for _ in range(3)] == [9] * 3\n",
        "return x * x",
        "square.calls = getattr(square, 'calls', 0) + 1\nreturn x * x if square.calls < 3 else 8",
    ),
    "chance": (
        "def square(x):\n    return x * x\n",
        "import box\ndef test_it():\n    assert all(box.square(3) == 9 for _ in range(200))\n",
        "return x * x",
        "import random\nreturn x * x if random.random() < 0.9 else 8",
    ),
    "an argument that is asked": (
        "def square(x):\n    return x.value * x.value\n",
        """
        import box
        class Counted:
            asked = 0
            @property
            def value(self):
                self.asked += 1
                return 3
        def test_it():
            x = Counted()
            assert box.square(x) == 9
            assert x.asked == 2
        """,
        "x.value * x.value",
        "x.value ** 2",
    ),
    "an iterator that is used up": (
        "def square(x):\n    return [item * item for item in x]\n",
        """
        import box
        def test_it():
            x = iter([1, 2, 3])
            assert box.square(x) == [1, 4, 9]
            assert next(x, None) is None
        """,
        "[item * item for item in x]",
        "[1, 4, 9]",
    ),
    "a call in a thread": (
        "def square(x):\n    return x * x\n",
        """
        import box, threading
        def test_it():
            found = []
            thread = threading.Thread(target=lambda: found.append(box.square(3)))
            thread.start()
            thread.join()
            assert found == [9]
        """,
        "x * x",
        "x + x",
    ),
    "two arguments that are one object": (
        "def square(x, y):\n    return 1 if x is y else 2\n",
        "import box\ndef test_it():\n    a = [1]\n    assert (box.square(a, a), box.square(a, [1])) == (1, 2)\n",
        "1 if x is y else 2",
        "1 if x == y else 2",
    ),
}


@pytest.mark.parametrize("case", SEEN_BY_A_TEST.values(), ids=SEEN_BY_A_TEST)
def test_what_a_test_can_see_is_not_taken_for_the_same(case: tuple[str, str, str | None, str], tmp_path: Any) -> None:
    source, tests, before, after = case
    usual, _ = by_road(tiny.workload(tmp_path, source, tests), before, after)
    assert usual["test_it"].startswith("failed")


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


def judged(text: str) -> dict[str, bool]:
    """Return of each function of a module whether its answer depends on its arguments alone."""
    module = types.ModuleType("made")
    exec(text, vars(module))
    functions = {name: value for name, value in vars(module).items() if isinstance(value, types.FunctionType)}
    judge = Judge({"made": module})
    return {name: judge.purity(function) is not None for name, function in functions.items()}


def test_what_depends_on_more_than_its_arguments_is_known() -> None:
    assert judged(
        """
import math, operator, random, time
import numpy as np
LIMIT, CACHE = 3.0, {}
class Own(ValueError):
    pass
class Loud(ValueError):
    def __init__(self, *args):
        print(args)
def plain(x): return max(x, LIMIT) + math.sqrt(x)
def calls(x): return plain(x) + operator.index(2)
def arrays(x): return np.asarray(x, dtype=np.float64).cumsum().tolist()
def within(x): return sum(y * y for y in x) + sum([y for y in x]) + (lambda y: y)(x[0])
def raises(x): raise Own(f"{x!r}")
def loud(x): raise Loud(x)
def prints(x): print(x)
def draws(x): return random.random()
def noise(x): return np.random.random()
def empties(x): return np.empty(x)
def clock(x): return time.time()
def cached(x): return CACHE.setdefault(x, x)
def writes(x): x.field = 1
def states(x):
    global LIMIT
    LIMIT = x
def default(x, seen=[]): return seen
def loads(x):
    import os
    return os
def defines(x):
    def inner(y): return y
    return inner(x)
def yields(x): yield x
def digs(x): return x.__class__
def through(x): return prints(x)
def unknown(x): return nowhere(x)
"""
    ) == {
        **dict.fromkeys(("plain", "calls", "arrays", "within", "raises"), True),
        **dict.fromkeys(("loud", "prints", "draws", "noise", "empties", "clock", "cached", "writes", "states"), False),
        **dict.fromkeys(("default", "loads", "defines", "yields", "digs", "through", "unknown"), False),
    }


def test_arguments_are_alike_only_where_no_function_could_tell() -> None:
    shared = [1]
    different: list[tuple[Any, ...]] = [
        (1,),
        (1.0,),
        (True,),
        ("1",),
        (b"1",),
        (None,),
        (0.0,),
        (-0.0,),
        (float("nan"),),
        (np.float64(1.0),),
        (np.float32(1.0),),
        ([1],),
        ((1,),),
        ([1], [1]),
        (shared, shared),
        (np.ones(2),),
        (np.ones(2, dtype=np.float32),),
        (np.ones((2, 1)),),
        (np.zeros(2),),
    ]
    images = [of_arguments(args) for args in different]
    assert len(set(images)) == len(images)


@pytest.mark.parametrize(
    "args",
    [
        (iter([1]),),
        (object(),),
        ({1: 2},),
        (np.ones(4)[::2],),
        (np.array([None]),),
        (np.ones(2).view(np.recarray),),
        (lambda view: (view, view[:1]))(np.ones(4)[1:]),
    ],
    ids=["iterator", "object", "dict", "strided", "objects", "subclass", "shared memory"],
)
def test_what_a_copy_would_not_stand_for_has_no_image(args: tuple[Any, ...]) -> None:
    with pytest.raises(NoImageError):
        of_arguments(args)


def test_a_call_that_warns_or_returns_what_is_not_plain_has_no_image() -> None:
    assert of_answer(lambda x: iter(x), ([1],)) is None
    with np.errstate(all="warn"):
        assert of_answer(lambda x: x / 0.0, (np.ones(1),)) is None
    assert of_answer(lambda x: x, ([1],)) == of_answer(lambda x: x, ([1],))
    assert of_answer(lambda x: x, ([1],)) != of_answer(lambda x: list(x), ([1],))


def test_no_call_that_is_known_is_no_reason_to_leave_a_test_out() -> None:
    repeats = Repeats(())
    repeats.keep("test_it", {})
    assert not repeats.alike("test_it", "box", ["square"])
    assert not repeats.alike("test_unheard_of", "box", ["square"])
