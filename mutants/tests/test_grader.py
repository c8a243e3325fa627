"""The grader: tests judge a submission through the proxy as they would in process, and name a guest that plays up."""

import base64
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from acidtest.mutants.answers import describe
from acidtest.mutants.asking import answers
from acidtest.mutants.executors import Record, WorkerProcess
from acidtest.mutants.load import load_catalog, variant_of
from acidtest.mutants.model import Variant
from acidtest.mutants.sandbox.battery import Questions
from acidtest.mutants.sandbox.launcher import Tier
from acidtest.mutants.workload import find_workload
from acidtest.properties import calls

ROOT = Path(__file__).parents[2]
WORKLOAD = find_workload(ROOT)
REFERENCE = WORKLOAD.read("tinyllm.prob.rejection")
LONG = bool(os.environ.get("ACIDTEST_LONG"))
WHEATS = {path.stem: path.read_text("utf-8") for path in sorted((ROOT / "target" / "wheats").glob("*.py"))}
CATALOG = load_catalog(WORKLOAD.catalog)
MUTANTS = {mutant.id: variant_of(mutant, WORKLOAD.read(mutant.module)) for mutant in CATALOG}
KILLERS = {mutant.id: mutant.killers for mutant in CATALOG}
TESTS = {f"test_{name}": str(ROOT / "properties" / f"test_{name}.py") for name in ("accept", "residual", "sampler")}


class Grader:
    """A grader, and what it says.

    Args:
        tier: that its guests are kept in by; None for the first that holds. files: of tests; the chapter's if None.
    """

    def __init__(self, tier: int | None = 0, files: Sequence[str] | None = None) -> None:
        options = [f"--rootdir={ROOT}", "-c", str(ROOT / "pyproject.toml")]
        if files is None:
            files = sorted(map(str, (ROOT / "properties").glob("test_*.py"))) if LONG else list(TESTS.values())
        spec = {"source": str(WORKLOAD.source), "pytest": [*options, *files], "calls": WORKLOAD.calls}
        self._worker = WorkerProcess(
            {**spec, "tier": tier, "slot": 1, "memory_mb": 2048, "seed": 0}, module="acidtest.mutants.sandbox.grader"
        )
        collected = self.receive()
        assert (collected["errors"], collected["refused"]) == ([], "")
        self.tier = collected["tier"]
        self.tests = {test["name"]: test for test in collected["tests"]}
        self._serial = 0

    def receive(self) -> Record:
        record = self._worker.receive(120.0)
        assert record is not None
        return record

    def judge(self, submission: str | bytes | Mapping[str, str], **order: Any) -> list[Record]:
        """Return all that is said of a submission."""
        files = submission if isinstance(submission, Mapping) else {"rejection.py": submission}
        coded = {
            name: base64.b64encode(text if isinstance(text, bytes) else text.encode()).decode()
            for name, text in files.items()
        }
        self._serial += 1
        self._worker.send({"serial": self._serial, "submission": coded, "seed": 1, **order})
        records = [self.receive()]
        while records[-1]["kind"] != "exit":
            records.append(self.receive())
        assert records.pop()["status"] == 0
        return records

    def trials(self, submission: str | bytes | Mapping[str, str], *names: str, **order: Any) -> dict[str, Record]:
        """Return the trials of some tests, all of them by default, by name."""
        ids = {self.tests[name]["id"]: name for name in names or self.tests}
        ready, *records, end = self.judge(submission, tests=list(ids), **order)
        assert (ready["kind"], end["kind"], end["missing"]) == ("ready", "end", {})
        return {ids[record["test"]]: record for record in records}

    def pid(self) -> int:
        return self._worker._process.pid

    def close(self) -> None:
        self._worker.close()


@pytest.fixture(scope="module")
def grader() -> Iterator[Grader]:
    grader = Grader()
    yield grader
    grader.close()


def failed(trials: Mapping[str, Record]) -> set[str]:
    assert {trial["outcome"] for trial in trials.values()} <= {"passed", "failed"}
    return {name for name, trial in trials.items() if trial["outcome"] == "failed"}


@pytest.mark.parametrize("name", ["reference", *WHEATS] if LONG else ["reference", "generators"])
def test_what_is_right_passes_every_test(grader: Grader, name: str) -> None:
    trials = grader.trials(WHEATS.get(name, REFERENCE))
    assert failed(trials) == set()
    assert sum(trial["calls"] > 0 for trial in trials.values()) > len(trials) * 0.7
    assert not any(trial["wrote"] for trial in trials.values())


@pytest.mark.parametrize("mutant", ["s01", "s05", "s10", "s14", "s17"])
def test_a_mistake_is_failed_by_the_tests_that_are_about_it(grader: Grader, mutant: str) -> None:
    killers = {name for name in KILLERS[mutant] if name in grader.tests}
    trials = grader.trials(MUTANTS[mutant].source, *killers, "test_accept_rejects_bad_arguments")
    assert failed(trials) == killers != set()
    assert {trials[name]["reason"] for name in killers} == {"assertion"}


def test_the_same_seed_gives_the_same_trials(grader: Grader) -> None:
    name = "test_residual_is_right_to_the_bit"
    runs = [grader.trials(MUTANTS["s38"].source, name, seed=seed)[name] for seed in (5, 5, 6)]
    kept = [(run["outcome"], run["examples"], run["detail"]) for run in runs]
    assert kept[0] == kept[1]
    assert kept[0] != kept[2]


FIRST, SECOND = "test_accept_is_strict", "test_accept_always_when_target_dominates"


def hostile(body: str, before: str = "") -> str:
    """Return the reference with one function's body exchanged."""
    head, _, rest = REFERENCE.partition("def rejection_accept(")
    tail = rest[rest.index("\ndef acceptance_probability") :]
    return f"{head}{before}\ndef rejection_accept(p_x, q_x, u):\n    {body}\n{tail}"


GARBAGE = """
    import os
    for number in range(3, 99):
        try:
            os.write(number, b"[" * 99)
        except OSError:
            pass
    while True: pass"""


@pytest.mark.parametrize(
    ("source", "outcome", "reason"),
    [
        (hostile("import os; os._exit(0)"), "crashed", "the guest ended: exit status 0"),
        (hostile("import os; os.kill(os.getpid(), 11)"), "crashed", "the guest was killed: SIGSEGV"),
        (hostile("raise SystemExit(0)"), "crashed", "the submission raised SystemExit"),
        (hostile("return", "import os; os._exit(0)"), "crashed", "the guest ended: exit status 0"),
        (hostile("while True: pass"), "timed_out", "one call took longer than 0.3 s"),
        (hostile("return", "while True: pass"), "timed_out", "one call took longer than 0.3 s"),
        (hostile("return 'x' * 10**7"), "crashed", "protocol fault: a frame of 10.0 MB"),
        (hostile(GARBAGE), "crashed", "protocol fault: a frame of 3.1 GB"),
    ],
)
def test_a_submission_that_breaks_off_passes_nothing_and_is_named(
    grader: Grader, source: str, outcome: str, reason: str
) -> None:
    limits = {"call_seconds": 0.3} if outcome == "timed_out" else {}
    trials = grader.trials(source, FIRST, SECOND, limits=limits)
    for trial in trials.values():
        assert (trial["outcome"], trial["reason"]) == (outcome, reason)


def test_a_submission_s_time_runs_out_for_all_its_tests(grader: Grader) -> None:
    limits = {"call_seconds": 0.3, "seconds": 0.5}
    names = [name for name in grader.tests if name.startswith("test_accept_")]
    trials = grader.trials(hostile("while True: pass"), *names, limits=limits)
    assert {trial["outcome"] for trial in trials.values()} == {"timed_out"}
    assert trials[names[-1]]["reason"] == "the 0.5 s for all tests were used up before this one"


@pytest.mark.parametrize("answer", ["Thing()", "Number(5)", "np.True_", "print"])
def test_an_answer_that_is_no_plain_bool_fails(grader: Grader, answer: str) -> None:
    before = (
        "from fractions import Fraction\n"
        "class Thing:\n    __eq__ = __bool__ = lambda *_: True\n    __hash__ = None\n"
        "class Number(int):\n    __eq__ = __bool__ = lambda *_: True\n    __hash__ = None\n"
    )
    trials = grader.trials(hostile(f"return {answer}", before), FIRST, SECOND)
    assert failed(trials) == {FIRST, SECOND}


@pytest.mark.parametrize(
    ("source", "why"),
    [
        ("def rejection_accept(:", "rejection.py does not compile: SyntaxError: invalid syntax, line 1"),
        (b"\xff\xfe\x00", "rejection.py does not compile: SyntaxError"),
        ("x = 1", "it lacks rejection_accept, acceptance_probability, residual_distribution"),
        (REFERENCE.replace("def rejection_sample", "def other"), "it lacks rejection_sample"),
        ("1 / 0", "it cannot be imported: ZeroDivisionError: division by zero"),
        ("from tinyllm.prob.rejection import rejection_accept", "it cannot be imported: ImportError"),
        ("import pytest", "it cannot be imported: ModuleNotFoundError: No module named 'pytest'"),
    ],
)
def test_what_cannot_be_graded_is_told_in_one_line(grader: Grader, source: str | bytes, why: str) -> None:
    records = grader.judge(source, tests=[grader.tests[FIRST]["id"]])
    assert [record["kind"] for record in records if record["kind"] != "ready"] == ["ungradable"]
    assert records[-1]["why"].startswith(why)
    assert "\n" not in records[-1]["why"]


AROUND = """
import gc
import logging
import threading
import pytest
from tinyllm.prob import rejection

def is_pytest_around():
    assert rejection.rejection_accept(0.5, 0.5, 0.25) is True
    return any(type(each).__name__ == "LogCaptureHandler" for each in logging.getLogger().handlers)

@pytest.fixture
def two():
    return 2

def test_bare():
    assert not is_pytest_around()

def test_with_a_fixture(two):
    assert is_pytest_around()

def test_that_garbage_is_looked_for_now_and_then():
    assert gc.isenabled()
    assert gc.get_threshold()[0] == 20_000

def test_in_a_thread():
    thread = threading.Thread(target=rejection.rejection_accept, args=(0.5, 0.0, 0.25))
    thread.start()
    thread.join()

def test_that_skips():
    pytest.skip("no")
"""


def test_a_test_that_is_a_function_and_nothing_more_is_called_directly(tmp_path: Path) -> None:
    file = tmp_path / "test_around.py"
    file.write_text(AROUND, "utf-8")
    grader = Grader(files=[str(file)])
    try:
        trials = grader.trials(REFERENCE)
    finally:
        grader.close()
    assert {name: trial["outcome"] for name, trial in trials.items()} == {
        "test_bare": "passed",
        "test_with_a_fixture": "passed",
        "test_that_garbage_is_looked_for_now_and_then": "passed",
        "test_in_a_thread": "failed",  # warnings are errors here, and one is raised of what nobody caught
        "test_that_skips": "skipped",
    }


def test_a_test_that_is_not_there_is_told(grader: Grader) -> None:
    _, end = grader.judge(REFERENCE, tests=["properties/test_accept.py::test_of_nothing"])
    assert end["missing"] == {"properties/test_accept.py::test_of_nothing": ""}


# --- the battery

BATTERY = [
    {"module": calls.FUNCTIONS[call.function], "function": call.function, "args": dict(call.args)}
    for call in calls.battery()
]
SOME = ("s11", "s14", "s20", "s34", "s42", "s43")


def asked() -> list[Variant]:
    """Return the variants whose answers are compared: all of them in the long form."""
    wheats = [
        Variant(name, name, "tinyllm.prob.rejection", source, (), None, "")
        for name, source in WHEATS.items()
        if LONG or name == "bound_methods"
    ]
    return [*wheats, *(variant for id, variant in MUTANTS.items() if LONG or id in SOME)]


def test_answers_over_the_wire_are_those_given_in_process(grader: Grader) -> None:
    variants = asked()
    battery = BATTERY if LONG else BATTERY[::4]
    order: dict[str, Any] = {"battery": battery}  # the first time; later ones are asked what the one before was
    for variant, here in zip(variants, answers(WORKLOAD, variants, [battery] * len(variants)), strict=True):
        modules = {module: WORKLOAD.read(module) for module in WORKLOAD.modules} | {variant.module: variant.source}
        files = {f"{module.rpartition('.')[2]}.py": source for module, source in modules.items()}
        said = grader.judge(files, **order, own_deps=True)
        order = {"battery": None}
        (answered,) = (record for record in said if record["kind"] == "answers")
        assert isinstance(here, list)
        assert answered["faults"] == {}
        differing = [case for case in zip(battery, here, answered["answers"], strict=True) if case[1] != case[2]]
        assert differing == [], variant.id


def test_a_battery_s_arguments_are_made_once_for_the_processes_that_fork() -> None:
    asked = Questions(WORKLOAD.calls, BATTERY)
    fresh = [asked.arguments(at) for at in range(len(BATTERY))]
    assert all(known is None for _, known in fresh)
    asked.make()
    made = [asked.arguments(at) for at in range(len(BATTERY))]
    assert all(asked.arguments(at)[0] is args for at, (args, _) in enumerate(made))
    assert [describe(args) for args, _ in made] == [describe(args) for args, _ in fresh]
    assert sum(known is not None for _, known in made) > len(BATTERY) * 0.6
    arrays = [id(value) for args, _ in made for value in args.values() if isinstance(value, np.ndarray)]
    assert len(set(arrays)) == len(arrays)


def test_modules_beside_the_submission_count_only_where_asked_for(grader: Grader) -> None:
    files = {"rejection.py": REFERENCE, "categorical.py": MUTANTS["s42"].source}
    (call,) = [c for c in BATTERY if c["args"] == {"p": [0.0, 0.5, 0.5], "u": 0.0}][:1]
    for own_deps, expected in ((False, "1"), (True, "0")):
        said = grader.judge(files, battery=[call], own_deps=own_deps)
        assert [record["answers"] for record in said if record["kind"] == "answers"] == [[expected]]


def test_a_call_that_breaks_the_guest_is_named_and_the_rest_are_answered(grader: Grader) -> None:
    source = hostile("import os\n    return os._exit(0) if u == 0.5 else u < p_x / q_x")
    battery = [{"function": "rejection_accept", "args": {"p_x": 0.5, "q_x": 1.0, "u": u}} for u in (0.25, 0.5, 0.75)]
    _, answered, _ = grader.judge(source, battery=battery)
    assert answered["answers"] == ["True", "", "False"]
    assert answered["faults"] == {"1": "the guest ended: exit status 0"}
    _, answered, _ = grader.judge(source, battery=[battery[1]] * 20)
    assert answered["answers"] == [""] * 20
    assert len(answered["faults"]) == 6


def test_who_forges_answers_has_none(grader: Grader) -> None:
    """Which call a forged one is taken for is chance, where many are on their way at once."""
    source = f"{REFERENCE}\n\n{Path(__file__).with_name('hostile').joinpath('forges_an_answer.py').read_text('utf-8')}"
    for _ in range(3):
        _, answered, _ = grader.judge(source, battery=BATTERY[::4])
        assert set(answered["answers"]) == {""}
        assert any("protocol fault" in why for why in answered["faults"].values())


def test_what_takes_the_compiler_down_is_ungradable(grader: Grader) -> None:
    records = grader.judge("x = " + "-" * 190_000 + "1", tests=[grader.tests[FIRST]["id"]])
    assert [record["kind"] for record in records if record["kind"] != "ready"] == ["ungradable"]
    assert "compil" in records[-1]["why"]


def test_submissions_one_after_another_are_judged_in_one_guest_if_it_is_a_boxed_one() -> None:
    grader = Grader(tier=None)
    try:
        guests, outcomes = [], []
        limits = {"memory_mb": 512, "cpu_seconds": 15.0}
        for source, order in ((REFERENCE, {}), (hostile("os._exit(3)", "import os"), {}), (REFERENCE, limits)):
            outcomes.append(grader.trials(source, FIRST, limits=order)[FIRST]["outcome"])
            guests.append([*children_of(grader.pid())])
        assert outcomes == ["passed", "crashed", "passed"]
        other = grader.trials(REFERENCE, FIRST, limits={"memory_mb": 256})[FIRST]["outcome"]
        assert other == "passed"
        if grader.tier == Tier.BUBBLEWRAP:
            assert len(guests[0]) == 1
            assert guests[0] == guests[1] == guests[2] != [*children_of(grader.pid())]
        else:
            assert guests == [[], [], []]
    finally:
        grader.close()


def children_of(pid: int) -> Iterator[int]:
    yield from map(int, Path(f"/proc/{pid}/task/{pid}/children").read_text().split())
