"""What a test can look at besides answers: each case is a function, a test that passes, and a change of ``square``."""

from acidtest.mutants.tests.seen_by_tests import Case

SURROUNDINGS: dict[str, Case] = {
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
    "a builtin that the test hides": (
        "def square(x):\n    return max(x, 0)\n",
        """
        import box
        def test_it(monkeypatch):
            monkeypatch.setattr(box, "max", lambda *items: 7, raising=False)
            assert box.square(3) == 7
        """,
        "max(x, 0)",
        "x",
    ),
    "a constant in the place of an equal one": (
        "LIMIT = 10\ndef square(x):\n    return min(LIMIT, x)\n",
        """
        import box
        def test_it(monkeypatch):
            monkeypatch.setattr(box, "LIMIT", 10.0)
            assert type(box.square(99)) is float
        """,
        "min(LIMIT, x)",
        "10 if x > 9 else min(LIMIT, x)",
    ),
    "an array in the place of a number": (
        "LIMIT = 3\ndef square(x):\n    return x + LIMIT\n",
        """
        import box, numpy as np
        def test_it(monkeypatch):
            monkeypatch.setattr(box, "LIMIT", np.ones(2))
            assert box.square(1).tolist() == [2, 2]
        """,
        "x + LIMIT",
        "x + 3",
    ),
    "another default of a callee": (
        "def ten(x=10):\n    return x\ndef square(x):\n    return x + ten()\n",
        """
        import box
        def test_it(monkeypatch):
            monkeypatch.setattr(box.ten, "__defaults__", (5,))
            assert box.square(1) == 6
        """,
        "x + ten()",
        "x + 10",
    ),
    "a class of errors that the test changes": (
        """
        class Own(ValueError):
            pass
        def square(x):
            try:
                if x > 5:
                    raise Own(x)
            except Own:
                pass
            return x
        """,
        """
        import box
        def test_it(monkeypatch):
            made = []
            monkeypatch.setattr(box.Own, "__init__", lambda self, x: made.append(x), raising=False)
            assert (box.square(3), made) == (3, [])
        """,
        "x > 5",
        "x > 2",
    ),
    "a class of errors that counts": (
        """
        class Counted(type):
            made = 0
            def __call__(cls, *args):
                Counted.made += 1
                return super().__call__(*args)
        class Own(ValueError, metaclass=Counted):
            pass
        def square(x):
            try:
                if x > 5:
                    raise Own(x)
            except Own:
                pass
            return x
        """,
        "import box\ndef test_it():\n    assert (box.square(3), box.Counted.made) == (3, 0)\n",
        "x > 5",
        "x > 2",
    ),
    "an error of numbers that the test asks for": (
        "import numpy as np\ndef square(x):\n    return float(np.sum(x * 0.0))\n",
        """
        import box, numpy as np
        def test_it():
            with np.errstate(under="raise"):
                assert box.square(np.array([1e-300])) == 0.0
        """,
        "x * 0.0",
        "x * 1e-300",
    ),
    "how arrays are written": (
        "def square(x):\n    return '[' + ' '.join(map(str, x.tolist())) + ']'\n",
        """
        import box, numpy as np
        def test_it():
            with np.printoptions(threshold=3, edgeitems=1):
                assert box.square(np.arange(5)) == "[0 1 2 3 4]"
        """,
        "'[' + ' '.join(map(str, x.tolist())) + ']'",
        "str(x)",
    ),
    "how long a number may be": (
        "def square(x):\n    return x % 7\n",
        """
        import box, sys
        def test_it():
            usual = sys.get_int_max_str_digits()
            sys.set_int_max_str_digits(700)
            try:
                assert box.square(10**1000) == 10**1000 % 7
            finally:
                sys.set_int_max_str_digits(usual)
        """,
        "return x % 7",
        "f'{x}'\nreturn x % 7",
    ),
    "what memory is taken": (
        "def square(x):\n    y = x\n    return x\n",
        """
        import box, tracemalloc
        def test_it():
            tracemalloc.start()
            box.square(3)
            peak = tracemalloc.get_traced_memory()[1]
            tracemalloc.stop()
            assert peak < 5_000_000
        """,
        "y = x",
        "y = [x] * 2000000",
    ),
    "what is called": (
        "def same(x):\n    return x\ndef square(x):\n    return same(x)\n",
        """
        import box, sys
        def test_it():
            called = []
            usual = sys.getprofile()
            sys.setprofile(lambda frame, event, value: called.append(frame.f_code.co_name))
            try:
                box.square(3)
            finally:
                sys.setprofile(usual)
            assert "same" in called
        """,
        "same(x)",
        "x if x == 3 else same(x)",
    ),
    "while another looks at lines": (
        "def square(x):\n    return x * x\n",
        """
        import box, sys
        def test_it():
            usual = sys.gettrace()
            sys.settrace(lambda *event: None)
            try:
                found = box.square(3)
            finally:
                sys.settrace(usual)
            assert found == 9
        """,
        "x * x",
        "x + x",
    ),
    "a spy in the place of a callee": (
        "def same(x):\n    return x\ndef square(x):\n    return same(x)\n",
        """
        import box
        from unittest import mock
        def test_it():
            with mock.patch.object(box, "same", wraps=box.same) as spy:
                assert box.square(3) == 3
            spy.assert_called_once_with(3)
        """,
        "same(x)",
        "x if x == 3 else same(x)",
    ),
    "what is in its code": (
        "def square(x):\n    return x * 2\n",
        """
        import box
        def test_it():
            assert box.square(3) == 6
            assert 4 not in box.square.__code__.co_consts
        """,
        "x * 2",
        "x * (4 - x + 1) if x == 3 else x * 2",
    ),
    "what is in its code, never called": (
        "def square(x):\n    return x * 2\n",
        "import box\ndef test_it():\n    assert 4 not in box.square.__code__.co_consts\n",
        "x * 2",
        "x * 2 + 4 - 4",
    ),
    "what an error's frames hold": (
        "def square(x):\n    y = x + 1\n    raise ValueError(x)\n",
        """
        import box, pytest
        def test_it():
            with pytest.raises(ValueError) as caught:
                box.square(3)
            assert caught.traceback[-1].frame.f_locals["y"] == 4
        """,
        "x + 1",
        "x + 2",
    ),
    "a call within a call that was cut short": (
        "def square(x):\n    return x * x\ndef more(x):\n    return square(x) + 1\n",
        """
        import box
        def deep(k):
            return deep(k - 1) if k else box.more(3)
        def test_it():
            assert box.square(2) == 4
            cut = 0
            for k in range(1000, 600, -1):
                try:
                    deep(k)
                except RecursionError:
                    cut += 1
            assert cut
            assert box.more(3) == 10
        """,
        "x * x",
        "x * x if x != 3 else 8",
    ),
    "a call in a thread while another goes on": (
        """
        def slow(x):
            total = 0
            for _ in range(2000000):
                total += x
            return total
        def square(x):
            return x * x
        """,
        """
        import box, threading
        def test_it():
            found = []
            assert box.square(2) == 4
            box.slow(1)
            timer = threading.Timer(0.01, lambda: found.append(box.square(3)))
            timer.start()
            box.slow(1)
            timer.join()
            assert found == [9]
        """,
        "x * x",
        "x * x if x != 3 else 8",
    ),
    "a time that many calls take": (
        "def square(x):\n    y = 0\n    return x\n",
        "import box\ndef test_it():\n    assert {box.square(3) for _ in range(600)} == {3}\n",
        "y = 0",
        "y = 300000\nwhile y > 0:\n    y -= 1",
    ),
}
