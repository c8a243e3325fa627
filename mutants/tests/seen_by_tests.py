"""What a test can see of a call: each case is a function, a test that passes, and a change that this test must notice.

The change is one of ``square``; whoever judges by answers alone, and not by all that this test looks at, misses it.
"""

Case = tuple[str, str, str | None, str]
"""A target, tests of it, and the edit: what stands there before and after."""

ANSWERS: dict[str, Case] = {
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
    "two arguments that are one object": (
        "def square(x, y):\n    return 1 if x is y else 2\n",
        "import box\ndef test_it():\n    a = [1]\n    assert (box.square(a, a), box.square(a, [1])) == (1, 2)\n",
        "1 if x is y else 2",
        "1 if x == y else 2",
    ),
    "one NaN for another": (
        "def square(x):\n    return x * x\n",
        """
        import box, math
        def test_it():
            assert math.copysign(1, box.square(math.nan)) == 1
        """,
        "x * x",
        "x * x if x == x else -x",
    ),
    "one NaN after another": (
        "import math\ndef square(x):\n    return math.copysign(1.0, x)\n",
        """
        import box, math
        def test_it():
            assert (box.square(math.nan), box.square(-math.nan)) == (1.0, -1.0)
        """,
        "math.copysign(1.0, x)",
        "1.0",
    ),
    "a NaN by its identity": (
        "def square(x, y):\n    return [x] == [y]\n",
        """
        import box
        def test_it():
            one, other = float("nan"), float("nan")
            assert (box.square(one, other), box.square(one, one)) == (False, True)
        """,
        "[x] == [y]",
        "x == y",
    ),
    "a number by its identity": (
        "def square(x):\n    return x\n",
        "import box\ndef test_it():\n    x = 1234.5\n    assert box.square(x) is x\n",
        "x",
        "x + 0.0",
    ),
    "two equal numbers": (
        "def square(x, y):\n    return x\n",
        """
        import box
        def test_it():
            x, y = float("1e9"), float("1e9")
            assert box.square(x, y) is x
        """,
        "return x",
        "return y",
    ),
    "a constant by its identity": (
        "LIMIT = 1234.5\ndef square(x):\n    return LIMIT\n",
        "import box\ndef test_it():\n    assert box.square(2) is box.LIMIT\n",
        "LIMIT",
        "1234.5",
    ),
    "one object at every call": (
        "def square(x):\n    return (1, 2)\n",
        "import box\ndef test_it():\n    assert box.square(2) is box.square(2)\n",
        "(1, 2)",
        "(x - 1, 2)",
    ),
    "which of two numbers it was": (
        "def square(x, y):\n    return x is y\n",
        """
        import box
        def test_it():
            x, y = float("1.5"), float("1.5")
            assert (box.square(x, y), box.square(x, x)) == (False, True)
        """,
        "x is y",
        "False",
    ),
    "where a view begins": (
        "def square(x):\n    return x[1:]\n",
        """
        import box, numpy as np
        def test_it():
            x = np.ones(3)
            rest = box.square(x)
            x[0] = 5
            assert rest.tolist() == [1, 1]
        """,
        "x[1:]",
        "x[:-1]",
    ),
    "what a view is of": (
        "import numpy as np\ndef square(x):\n    return np.zeros(3)\n",
        "import box\ndef test_it():\n    assert box.square(2).base is None\n",
        "np.zeros(3)",
        "np.zeros(4)[1:]",
    ),
    "strides": (
        "import numpy as np\ndef square(x):\n    return np.zeros((1, 4))\n",
        "import box\ndef test_it():\n    assert box.square(2).strides == (32, 8)\n",
        "np.zeros((1, 4))",
        "np.zeros((4, 1)).T",
    ),
    "a write that changes nothing": (
        "def square(x):\n    return float(x[0])\n",
        """
        import box, numpy as np
        def test_it():
            x = np.ones(3)
            x.flags.writeable = False
            assert box.square(x) == 1.0
        """,
        "return float(x[0])",
        "x[0] = x[0]\nreturn float(x[0])",
    ),
    "a result that was put into an argument": (
        "def square(x):\n    new = [1]\n    x.append(new)\n    return new\n",
        """
        import box
        def test_it():
            x = []
            box.square(x).append(2)
            assert x == [[1, 2]]
        """,
        "x.append(new)",
        "x.append([1])",
    ),
    "what was taken out of an argument": (
        "def square(x):\n    x.clear()\n    return 1\n",
        """
        import box
        def test_it():
            inner = [1]
            assert box.square([inner]) == 1
            assert inner == [1]
        """,
        "x.clear()",
        "x[0].append(2)\nx.clear()",
    ),
    "an argument within an error": (
        "def square(x):\n    raise ValueError(x)\n",
        """
        import box, pytest
        def test_it():
            x = [1]
            with pytest.raises(ValueError) as caught:
                box.square(x)
            assert caught.value.args[0] is x
        """,
        "ValueError(x)",
        "ValueError(x[:])",
    ),
    "a field of an error": (
        "def square(x):\n    raise OSError(2, 'no', 'one')\n",
        """
        import box, pytest
        def test_it():
            with pytest.raises(OSError) as caught:
                box.square(1)
            assert caught.value.filename == "one"
        """,
        "'one'",
        "'other'",
    ),
    "the words of an error's cause": (
        """
        def square(x):
            try:
                raise KeyError("one")
            except KeyError as error:
                raise ValueError("no") from error
        """,
        """
        import box, pytest
        def test_it():
            with pytest.raises(ValueError) as caught:
                box.square(1)
            assert caught.value.__cause__.args == ("one",)
        """,
        "'one'",
        "'other'",
    ),
    "what an error hides": (
        """
        def square(x):
            try:
                raise KeyError("one")
            except KeyError:
                raise ValueError("no") from None
        """,
        """
        import box, pytest
        def test_it():
            with pytest.raises(ValueError) as caught:
                box.square(1)
            assert caught.value.__suppress_context__
        """,
        "raise ValueError('no') from None",
        "raise ValueError('no')",
    ),
    "where an error comes from": (
        "def fail(x):\n    raise ValueError('no')\ndef square(x):\n    fail(x)\n",
        """
        import box, pytest
        def test_it():
            with pytest.raises(ValueError) as caught:
                box.square(1)
            assert caught.traceback[-1].name == "fail"
        """,
        "fail(x)",
        "raise ValueError('no')\nfail(x)",
    ),
    "an exit": (
        "def square(x):\n    raise SystemExit(3)\n",
        """
        import box, pytest
        def test_it():
            with pytest.raises(SystemExit) as caught:
                box.square(1)
            assert caught.value.code == 3
        """,
        "3",
        "4",
    ),
    "a list that is too deep to copy": (
        "def square(x):\n    return len(x)\n",
        """
        import box
        def test_it():
            x = []
            for _ in range(400):
                x = [x]
            assert box.square(x) == 1
        """,
        "len(x)",
        "len(x) + 1",
    ),
    "more calls than are kept": (
        "def square(x):\n    return x * x\n",
        "import box\ndef test_it():\n    assert [box.square(x) for x in range(999)] == [x * x for x in range(999)]\n",
        "x * x",
        "x * x if x != 998 else 0",
    ),
}
