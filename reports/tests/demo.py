"""A project of two functions with tests and a catalog of its own, for commands that need a workload."""

import textwrap
from collections.abc import Mapping
from pathlib import Path

FILES = {
    "pyproject.toml": """
        [tool.acidtest]
        source = "."
        modules = ["demo.gate"]
        tests = ["tests"]
        catalog = "catalog"
        calls = "calls.py"
        """,
    "demo/__init__.py": "",
    "demo/gate.py": """
        def accept(u: float, r: float) -> bool:
            return u < r


        def clamp(x: float) -> float:
            if x < 0.0:
                return 0.0
            if x > 1.0:
                return 1.0
            return x
        """,
    "calls.py": """
        from collections import namedtuple

        Call = namedtuple("Call", "function args")
        FUNCTIONS = {"accept": "demo.gate", "clamp": "demo.gate"}

        def contract_errors():
            return (ValueError,)

        def build(function, args):
            return dict(args)

        def domain():
            for u in (0.0, 0.25, 0.5):
                yield Call("accept", {"u": u, "r": 0.25})
            for x in (-1.0, 0.0, 0.5, 1.0, 2.0):
                yield Call("clamp", {"x": x})

        def domain_hash():
            return "demo"
        """,
    "tests/test_gate.py": '''
        from demo.gate import accept, clamp

        def test_accept_is_strict():
            """The point itself is refused.

            Matters: it has mass.
            """
            assert not accept(0.25, 0.25)

        def test_clamp_is_within():
            """From 0 to 1."""
            assert clamp(-1.0) == 0.0 and clamp(2.0) == 1.0
        ''',
    "catalog/s01_accepts_on_equality.toml": """
        id = "s01"
        title = "accepts on equality"
        pitfall = 1
        module = "demo.gate"
        function = "accept"
        before = "u < r"
        after = "u <= r"
        killers = ["test_accept_is_strict"]
        rationale = "It looks the same."

        [witness]
        args = { u = 0.25, r = 0.25 }
        reference = "False"
        mutant = "True"
        """,
    "catalog/s02_forgets_the_upper_end.toml": """
        id = "s02"
        title = "forgets the upper end"
        origin = "engine #7"
        module = "demo.gate"
        function = "clamp"
        before = "x > 1.0"
        after = "x > 9.0"
        killers = ["test_clamp_is_within"]
        rationale = "A slip."

        [witness]
        args = { x = 2.0 }
        reference = "1.0"
        mutant = "2.0"
        """,
}


def write_demo(folder: Path, changes: Mapping[str, str] | None = None) -> Path:
    """Write the project into ``folder``; ``changes`` replaces or adds files, by name."""
    for name, text in {**FILES, **(changes or {})}.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(textwrap.dedent(text).lstrip("\n"), encoding="utf-8")
    return folder
