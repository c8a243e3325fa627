"""A workload of a few lines, written where a test wants it: nothing in the lab may know the chapter."""

from collections.abc import Mapping
from pathlib import Path
from textwrap import dedent
from typing import Any

from acidtest.mutants import lab
from acidtest.mutants.model import Edit, Run, Trial, Variant
from acidtest.mutants.splice import anchors, changed_functions, derived_diff, splice
from acidtest.mutants.workload import Workload

SOURCE = '''
"""Clamp and scale."""

LIMIT = 10


def clamp(value, low, high):
    """Return value, at least low and at most high."""
    if value < low:
        return low
    if value > high:
        return high
    return value


def scale(value, factor=2):
    return clamp(value * factor, 0, LIMIT)
'''
TESTS = """
from hypothesis import given, strategies as st
from box import clamp, scale


def test_clamp_keeps_what_is_inside():
    assert clamp(3, 0, 5) == 3


@given(st.integers(-20, 20))
def test_clamp_stays_inside(value):
    assert 0 <= clamp(value, 0, 5) <= 5


def test_scale_doubles():
    assert scale(3) == 6


def test_scale_stops_at_the_limit():
    assert scale(30) == 10
"""


CALLS = '''
"""How the lab calls the box."""

from dataclasses import dataclass
from typing import Any

FUNCTIONS = {"clamp": "box", "scale": "box"}


@dataclass(frozen=True)
class Call:
    function: str
    args: dict[str, Any]


def contract_errors():
    return (ValueError,)


def build(function, args):
    return dict(args)


def domain():
    for value in range(-3, 14):
        yield Call("clamp", {"value": value, "low": 0, "high": 5})
        yield Call("scale", {"value": value})


def domain_hash():
    return "fixed"
'''
ENTRIES = {
    "b01_returns_the_low_end_above.toml": """
id = "b01"
title = "returns the low end above"
origin = "made up"
module = "box"
function = "clamp"
before = "return high"
after = "return low"
killers = ["test_scale_stops_at_the_limit"]
rationale = "Copied from the line above and only half changed."

[witness]
args = { value = 9, low = 0, high = 5 }
reference = "5"
mutant = "0"
""",
    "b02_adds_in_place_of_scaling.toml": """
id = "b02"
title = "adds in place of scaling"
origin = "made up"
module = "box"
function = "scale"
before = "value * factor"
after = "value + factor"
killers = ["test_scale_doubles"]
rationale = "The two agree for 2 and 2, where people try it first."

[witness]
args = { value = 3 }
reference = "6"
mutant = "5"
""",
}
SETTINGS = """
[tool.acidtest]
source = "src"
modules = ["box"]
tests = ["tests"]
catalog = "catalog"
calls = "calls.py"
"""


def project(
    folder: Path,
    source: str = SOURCE,
    tests: str = TESTS,
    entries: Mapping[str, str] = ENTRIES,
    settings: str = SETTINGS,
) -> Path:
    """Write a whole project with a catalog of its own, as a user would have one, and return its folder."""
    workload(folder, source, tests)
    (folder / "pyproject.toml").write_text(settings)
    (folder / "calls.py").write_text(CALLS)
    for name, text in entries.items():
        (folder / "catalog" / name).write_text(text)
    return folder


def workload(folder: Path, source: str = SOURCE, tests: str = TESTS, **more: Any) -> Workload:
    """Write a target ``box`` and its tests, and return the workload."""
    (folder / "src").mkdir(parents=True, exist_ok=True)
    (folder / "catalog").mkdir(exist_ok=True)
    (folder / "tests").mkdir(exist_ok=True)
    (folder / "src" / "box.py").write_text(dedent(source))
    (folder / "tests" / "test_box.py").write_text(dedent(tests))
    (folder / "pytest.ini").write_text("[pytest]\n")
    fields: dict[str, Any] = {
        "root": folder,
        "source": folder / "src",
        "modules": ("box",),
        "tests": (folder / "tests",),
        "catalog": folder / "catalog",
        "wheats": None,
        "calls": None,
        "embedded": False,
    }
    return Workload(**{**fields, **more})


def variant(workload: Workload, name: str, function: str, before: str | None, after: str) -> Variant:
    """Return a variant of ``box`` with one edit."""
    source = workload.read("box")
    return of_text(workload, name, splice(source, function, [Edit(after=after, before=before)]))


def of_text(workload: Workload, name: str, mutated: str) -> Variant:
    """Return a variant of ``box`` by its whole text."""
    source = workload.read("box")
    return Variant(
        id=name,
        title=name,
        module="box",
        source=mutated,
        functions=changed_functions(source, mutated) or (),
        anchors=anchors(source, mutated),
        diff=derived_diff(source, mutated, "box.py"),
    )


class Memory:
    """A recorder that keeps trials in memory, and counts them."""

    def __init__(self, kept: Mapping[tuple[str, str], Trial] | None = None) -> None:
        self._kept = dict(kept or {})
        self.recorded: list[Trial] = []

    def kept(self) -> Mapping[tuple[str, str], Trial]:
        return self._kept

    def record(self, trial: Trial) -> None:
        self.recorded.append(trial)


class Silence:
    """A progress that says nothing."""

    def phase(self, text: str) -> None: ...

    def start(self, total: int) -> None: ...

    def advance(self, variant: str) -> None: ...


def run(workload: Workload, *variants: Variant, recorder: Memory | None = None, **plan: Any) -> Run:
    """Run the lab on variants, with short limits."""
    plan.setdefault("limits", lab.Limits(floor=2.0, startup=20.0, baseline=20.0, memory_mb=1024))
    return lab.run(lab.Plan(workload=workload, variants=variants, **plan), recorder or Memory(), Silence())


def outcomes(run: Run, name: str) -> dict[str, str]:
    """Return each test's outcome on a variant, by the test's name, with the reason after a colon where there is one."""
    names = {test.id: test.name for test in run.matrix.tests}
    return {
        names[trial.test]: f"{trial.outcome}:{trial.reason}" if trial.reason else str(trial.outcome)
        for trial in run.matrix.of_variant(name)
    }


def cells(run: Run) -> list[tuple[str, str, str]]:
    """Return the matrix without what may differ between two roads: times, and why a test passed."""
    return [(trial.variant, trial.test, str(trial.outcome)) for trial in run.matrix.trials]
