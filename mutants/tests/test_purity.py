"""A function's answer depends on its arguments alone only where nothing says otherwise: what says so."""

import types

import pytest

from acidtest.mutants.purity import Judge


def functions_of(text: str) -> dict[str, types.FunctionType]:
    """Return the functions of a module with this text."""
    module = types.ModuleType("made")
    exec(text, vars(module))
    return {name: value for name, value in vars(module).items() if isinstance(value, types.FunctionType)}


def judged(text: str) -> dict[str, bool]:
    """Return of each function of a module whether its answer depends on its arguments alone."""
    functions = functions_of(text)
    module = types.ModuleType("made")
    for name, function in functions.items():
        vars(module)[name] = function
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


@pytest.mark.parametrize(
    ("text", "pure"),
    [
        ("def f(x): return x is None", True),
        ("def f(x): return 1 if x is not None else 2", True),
        ("def f(x, y): return x is y", False),
        ("def f(x, y): return None is not y", False),
        ("import operator\ndef f(x, y): return operator.is_(x, y)", False),
        ("import operator\ndef f(x, y): return operator.call(x, y)", False),
        ("import operator\ndef f(x): return operator.__builtins__", False),
        ("import operator\ndef f(x): return f.__doc__", False),
        ("def f(x): return f'{x:.3e}{x!r}'", True),
        ("def f(x): return f'{x:n}'", False),
        ("def f(x, y): return f'{x:{y}}'", False),
        ("def f(x): return '{0.flags}'.format(x)", False),
        ("def f(x):\n    match x:\n        case float(): return 1", True),
        ("import numpy as np\ndef f(x):\n    match x:\n        case np.ndarray(base=y): return y", False),
        ("import numpy as np\ndef f(x): return isinstance(x, np.ndarray)", True),
        ("import numpy as np\ndef f(x): return np.ndarray(x)", False),
        ("import numpy as np\ndef f(x):\n    kind = np.ndarray\n    return kind(x)", False),
        ("import numpy as np\ndef f(x): return np.where(x > 0, x, 0)", True),
        ("import numpy as np\ndef f(x): return np.sqrt(x, where=x > 0)", False),
        ("def f(x): return f(x - 1) if x else 0", False),
        ("def f(x): return g(x)\ndef g(x): return f(x - 1) if x else 0", False),
        ("def f(x): return g(x) + h(x)\ndef g(x): return h(x)\ndef h(x): return x", True),
        ("class E(ValueError):\n    pass\ndef f(x): raise E(x)", True),
        ("class E(ValueError):\n    limit = 3\ndef f(x): raise E(x)", True),
        ("class E(ValueError):\n    made = []\ndef f(x): raise E(x)", False),
        ("class E(ValueError):\n    def __del__(self): print(self)\ndef f(x): raise E(x)", False),
        ("class M(type):\n    pass\nclass E(ValueError, metaclass=M):\n    pass\ndef f(x): raise E(x)", False),
    ],
)
def test_what_reaches_beyond_values_is_known(text: str, pure: bool) -> None:
    assert judged(text)["f"] is pure


def test_the_same_code_in_two_modules_is_judged_in_each() -> None:
    text = "def f(x): return g(x)"
    one, other = types.ModuleType("one"), types.ModuleType("other")
    exec(text, vars(one))
    exec(text, vars(other))
    exec("def g(x): return x", vars(one))
    exec("def g(x): print(x)", vars(other))
    judge = Judge({"one": one, "other": other})
    assert vars(one)["f"].__code__ == vars(other)["f"].__code__
    assert judge.purity(vars(one)["f"]) is not None
    assert judge.purity(vars(other)["f"]) is None


def test_a_builtin_is_looked_for_in_the_module_first() -> None:
    (function,) = functions_of("def f(x): return max(x, 0)").values()
    purity = Judge({"made": types.ModuleType("made")}).purity(function)
    assert purity is not None
    assert purity.names == {("made", "max"), ("builtins", "max")}
