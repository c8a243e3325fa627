"""The lab on a workload of a few lines: what each kind of variant comes to, and that every road leads to one matrix."""

from pathlib import Path
from typing import Any

import pytest

from acidtest.mutants import lab
from acidtest.mutants.model import Mode, Outcome, Trial
from acidtest.mutants.session import Session
from acidtest.mutants.tests import tiny
from acidtest.mutants.workload import Workload


@pytest.fixture(scope="module")
def box(tmp_path_factory: pytest.TempPathFactory) -> Workload:
    return tiny.workload(tmp_path_factory.mktemp("box"))


def test_a_kill_and_a_survivor_are_told_apart(box: Workload) -> None:
    upside_down = tiny.variant(box, "m1", "clamp", "value < low", "value > low")
    edge = tiny.variant(box, "m2", "clamp", "value < low", "value <= low")
    run = tiny.run(box, upside_down, edge)
    assert run.problems == ()
    assert tiny.outcomes(run, "m1") == {
        "test_clamp_keeps_what_is_inside": "failed:assertion",
        "test_clamp_stays_inside": "failed:assertion",
        "test_scale_doubles": "failed:assertion",
        "test_scale_stops_at_the_limit": "failed:assertion",
    }
    assert set(tiny.outcomes(run, "m2").values()) == {"passed:same answers"}
    assert [test.name for test in run.matrix.killers_of("m1")] == [test.name for test in run.matrix.tests]
    assert run.matrix.kills_of(run.matrix.tests[0].id) == ("m1",)


def test_every_control_behaves_and_is_listed(box: Workload) -> None:
    run = tiny.run(box, tiny.variant(box, "m1", "clamp", "return value", "return low"))
    assert [control.id for control in run.controls] == [
        "control:unchanged:box",
        "control:equivalent:box",
        "control:canary:box",
    ]
    assert all(control.problem == "" for control in run.controls)


def test_a_loop_a_crash_and_greed_are_listed_and_hide_no_other_test(box: Workload) -> None:
    only_scale = "return clamp(value * factor, 0, LIMIT)"
    variants = [
        tiny.variant(box, "loops", "scale", only_scale, "while value == 3:\n    pass\nreturn 0"),
        tiny.variant(box, "exits", "scale", only_scale, "import os\nif value == 3:\n    os._exit(3)\nreturn 0"),
        tiny.variant(
            box, "dies", "scale", only_scale, "import os\nif value == 3:\n    os.kill(os.getpid(), 11)\nreturn 0"
        ),
        tiny.variant(box, "hoards", "scale", only_scale, "if value == 3:\n    return len(bytearray(2**34))\nreturn 0"),
    ]
    run = tiny.run(box, *variants)
    found = {variant.id: tiny.outcomes(run, variant.id) for variant in variants}
    assert found["loops"]["test_scale_doubles"] == "timed_out:over 2 s"
    assert found["exits"]["test_scale_doubles"] == "crashed:exit status 3"
    assert found["dies"]["test_scale_doubles"] == "crashed:signal SIGSEGV"
    assert found["hoards"]["test_scale_doubles"] == "crashed:MemoryError"
    for outcomes in found.values():
        assert outcomes["test_scale_stops_at_the_limit"] == "failed:assertion"
        assert outcomes["test_clamp_keeps_what_is_inside"] == "passed:unreached"
    assert run.problems == ()


def test_a_variant_that_cannot_be_imported_is_unviable(box: Workload) -> None:
    text = box.read("box")
    run = tiny.run(
        box,
        tiny.of_text(box, "raises", text.replace("LIMIT = 10", "LIMIT = 1 // 0")),
        tiny.of_text(box, "exits", text.replace("LIMIT = 10", "import os\nos._exit(3)")),
    )
    assert set(tiny.outcomes(run, "raises").values()) == {
        "unviable:ZeroDivisionError: integer division or modulo by zero"
    }
    assert set(tiny.outcomes(run, "exits").values()) == {"unviable:exit status 3 at import"}


def test_a_module_constant_is_installed_before_import(box: Workload) -> None:
    run = tiny.run(box, tiny.of_text(box, "limit", box.read("box").replace("LIMIT = 10", "LIMIT = 11")))
    assert tiny.outcomes(run, "limit")["test_scale_stops_at_the_limit"] == "failed:assertion"
    assert any("installed before import" in control.expects for control in run.controls)


def test_first_kill_stops_at_the_named_killer(box: Workload) -> None:
    mutant = tiny.variant(box, "m1", "clamp", "value < low", "value > low")
    run = tiny.run(box, mutant, mode=Mode.FIRST_KILL, killers={"m1": ("test_scale_doubles",)})
    assert tiny.outcomes(run, "m1") == {"test_scale_doubles": "failed:assertion"}
    assert run.problems == ()


@pytest.mark.parametrize(
    "road",
    [
        {"jobs": 2},
        {"install": "cold"},
        {"fork": False},
        {"prune": False},
        {"install": "cold", "prune": False, "jobs": 2},
    ],
    ids=lambda road: ",".join(road),
)
def test_every_road_gives_the_same_matrix(box: Workload, road: dict[str, Any]) -> None:
    text = box.read("box")
    variants = [
        tiny.variant(box, "m1", "clamp", "value < low", "value > low"),
        tiny.variant(box, "m2", "clamp", "value > high", "value >= high"),
        tiny.variant(box, "m3", "scale", "value * factor", "value + factor"),
        tiny.variant(box, "m4", "clamp", "return high", "raise KeyError(high)"),
        tiny.of_text(box, "m5", text.replace("factor=2", "factor=3")),
    ]
    assert tiny.cells(tiny.run(box, *variants, seed=7, **road)) == tiny.cells(tiny.run(box, *variants, seed=7))


def test_a_baseline_failure_stops_before_any_variant_runs(tmp_path: Path) -> None:
    box = tiny.workload(tmp_path, tests=tiny.TESTS.replace("scale(3) == 6", "scale(3) == 7"))
    memory = tiny.Memory()
    mutant = tiny.variant(box, "m1", "clamp", "value < low", "value > low")
    with pytest.raises(
        lab.BaselineFailedError, match=r"fails tests/test_box.py::test_scale_doubles.*no mutant was tried"
    ):
        tiny.run(box, mutant, recorder=memory)
    assert memory.recorded == []


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("import os; os._exit(3)", "the process ended"),
        ("while True: pass", "no end within 8 s"),
    ],
)
def test_a_baseline_that_takes_the_worker_down_is_a_failed_baseline(tmp_path: Path, body: str, message: str) -> None:
    box = tiny.workload(tmp_path, tests=f"import box\ndef test_ends():\n    {body}\n")
    mutant = tiny.variant(box, "m1", "clamp", "value < low", "value > low")
    with pytest.raises(lab.BaselineFailedError, match=message):
        tiny.run(box, mutant, limits=lab.Limits(baseline=8.0))


def test_a_suite_that_cannot_be_collected_is_a_failed_baseline(tmp_path: Path) -> None:
    box = tiny.workload(tmp_path, tests="import no_such_module\n")
    with pytest.raises(lab.BaselineFailedError, match="no_such_module"):
        lab.collect(box)


@pytest.mark.parametrize(
    ("tests", "message"),
    [
        ("x = 1\n", "no tests in"),
        ("import pytest\n@pytest.mark.skip\ndef test_nothing(): pass\n", "all 1 tests were skipped"),
    ],
)
def test_a_suite_without_tests_gives_no_verdict(tmp_path: Path, tests: str, message: str) -> None:
    box = tiny.workload(tmp_path, tests=tests)
    mutant = tiny.variant(box, "m1", "clamp", "value < low", "value > low")
    with pytest.raises(lab.NoTestsError, match=message):
        tiny.run(box, mutant)


def test_a_suite_that_reaches_nothing_gives_no_verdict(tmp_path: Path) -> None:
    box = tiny.workload(tmp_path, tests="def test_nothing():\n    pass\n")
    run = tiny.run(box, tiny.variant(box, "m1", "clamp", "value < low", "value > low"))
    assert any("nothing was tested" in problem for problem in run.problems)


def test_a_test_that_swallows_the_canary_is_a_problem(tmp_path: Path) -> None:
    tests = (
        "import box\ndef test_deaf():\n    try:\n        box.clamp(1, 2, 3)\n    except BaseException:\n        pass\n"
    )
    box = tiny.workload(tmp_path, tests=tests)
    run = tiny.run(box, tiny.variant(box, "m1", "clamp", "value < low", "value > low"))
    assert [problem for problem in run.problems if "control:canary:box" in problem and "test_deaf" in problem]


def test_a_test_that_depends_on_the_run_is_a_problem(tmp_path: Path) -> None:
    marker = tmp_path / "ran"
    tests = f"""
    import pathlib, box
    def test_twice():
        box.clamp(1, 2, 3)
        marker = pathlib.Path({str(marker)!r})
        with marker.open("a") as file:
            file.write("x")
        assert len(marker.read_text()) <= 2, "the baseline runs it twice"
    """
    box = tiny.workload(tmp_path, tests=tests)
    run = tiny.run(box, tiny.variant(box, "m1", "clamp", "value < low", "value > low"))
    assert any("control:unchanged:box" in problem for problem in run.problems)


def test_kept_trials_are_not_run_again(box: Workload) -> None:
    mutant = tiny.variant(box, "m1", "clamp", "value < low", "value > low")
    whole = tiny.run(box, mutant)
    kept = {(trial.variant, trial.test): trial for trial in whole.matrix.trials[:2]}
    memory = tiny.Memory(kept)
    rest = tiny.run(box, mutant, recorder=memory)
    assert tiny.cells(rest) == tiny.cells(whole)
    assert rest.resumed == 2
    assert {(trial.variant, trial.test) for trial in memory.recorded}.isdisjoint(kept)


def test_a_kept_trial_of_another_variant_is_left_out(box: Workload) -> None:
    mutant = tiny.variant(box, "m1", "clamp", "value < low", "value > low")
    stray = Trial("gone", "tests/test_box.py::test_scale_doubles", Outcome.FAILED)
    run = tiny.run(box, mutant, recorder=tiny.Memory({("gone", stray.test): stray}))
    assert {trial.variant for trial in run.matrix.trials} == {"m1"}
    assert run.problems == ()


def test_a_failing_test_case_of_unittest_is_a_failed_baseline(tmp_path: Path) -> None:
    tests = """
    import unittest, box
    class TestBroken(unittest.TestCase):
        def test_broken(self):
            self.assertEqual(1, 2)
    def test_plain():
        assert box.clamp(1, 0, 5) == 1
    """
    box = tiny.workload(tmp_path, tests=tests)
    with pytest.raises(lab.BaselineFailedError, match="test_broken"):
        tiny.run(box, tiny.variant(box, "m1", "clamp", "value < low", "value > low"))


def test_a_test_that_fails_after_the_others_is_a_failed_baseline(tmp_path: Path) -> None:
    tests = """
    import box
    seen = []
    def test_first():
        seen.append(box.clamp(1, 0, 5))
    def test_second():
        assert not seen
    """
    box = tiny.workload(tmp_path, tests=tests)
    with pytest.raises(lab.BaselineFailedError, match="test_second"):
        tiny.run(box, tiny.variant(box, "m1", "clamp", "value < low", "value > low"))


def test_a_mutant_that_makes_a_test_skip_is_not_killed(tmp_path: Path) -> None:
    tests = """
    import unittest, box
    def test_it():
        if box.clamp(9, 0, 5) != 5:
            raise unittest.SkipTest("not today")
    """
    box = tiny.workload(tmp_path, tests=tests)
    run = tiny.run(box, tiny.variant(box, "m1", "clamp", "return high", "return low"))
    assert tiny.outcomes(run, "m1") == {"test_it": "skipped"}


def test_a_collection_error_fails_the_tests_of_its_own_file_only(tmp_path: Path) -> None:
    tests = """
    import box, pytest
    @pytest.mark.parametrize("top", [box.clamp(9, 0, 5)])
    def test_top(top):
        assert top == 5
    """
    box = tiny.workload(tmp_path, tests=tests)
    (tmp_path / "tests" / "test_other.py").write_text(
        "import box\ndef test_other():\n    assert box.scale(1, 1) == 1\n"
    )
    run = tiny.run(box, tiny.variant(box, "m1", "clamp", "return high", "raise KeyError(high)"))
    found = {name.split("[")[0]: outcome for name, outcome in tiny.outcomes(run, "m1").items()}
    assert found == {"test_top": "failed:collection", "test_other": "passed"}


def test_a_test_that_is_expected_to_fail_is_no_canary(tmp_path: Path) -> None:
    tests = """
    import box, pytest
    @pytest.mark.xfail
    def test_wish():
        assert box.clamp(9, 0, 5) == 9
    def test_it():
        assert box.clamp(9, 0, 5) == 5
    """
    box = tiny.workload(tmp_path, tests=tests)
    run = tiny.run(box, tiny.variant(box, "m1", "clamp", "return high", "return low"))
    assert run.problems == ()


def test_pytest_timeout_does_not_turn_a_loop_into_a_kill(tmp_path: Path) -> None:
    tests = """
    import box, pytest
    @pytest.mark.timeout(0.2)
    def test_it():
        assert box.clamp(9, 0, 5) == 5
    """
    box = tiny.workload(tmp_path, tests=tests)
    (tmp_path / "pytest.ini").write_text("[pytest]\nstrict_markers = true\n")
    run = tiny.run(box, tiny.variant(box, "m1", "clamp", "return high", "while True:\n    pass"))
    assert tiny.outcomes(run, "m1") == {"test_it": "timed_out:over 2 s"}


def test_a_slow_fixture_counts_towards_the_limit_of_each_test_that_uses_it(tmp_path: Path) -> None:
    tests = """
    import time, box, pytest
    @pytest.fixture(scope="session")
    def slow():
        time.sleep(1.5)
    def test_first(slow):
        pass
    def test_second(slow):
        assert box.clamp(9, 0, 5) == 5
    """
    box = tiny.workload(tmp_path, tests=tests)
    run = tiny.run(box, tiny.variant(box, "m1", "clamp", "return high", "return low"))
    assert tiny.outcomes(run, "m1")["test_second"] == "failed:assertion"


def test_what_is_said_of_a_failure_is_the_same_each_time(tmp_path: Path) -> None:
    tests = "import box\ndef test_it():\n    assert box.scale(2) == 4, f'not for {object()}'\n"
    box = tiny.workload(tmp_path, tests=tests)
    odd = tiny.variant(box, "m", "scale", "value * factor", "value + 1")
    (trial,) = tiny.run(box, odd).matrix.trials
    assert trial.detail.startswith("not for <object object>")
    session, error = Session(0, lambda _: None), AssertionError()
    error.add_note("test_it(thing=<object object at 0x7f1234567890>)")
    session._phases = [("failed", error, 0.0)]
    assert session.example() == "test_it(thing=<object object>)"
