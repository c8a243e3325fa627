"""A suite in its guest: it sees answers and nothing else, and what it says of itself earns nothing by itself."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from acidtest.mutants.load import load_catalog, variant_of
from acidtest.mutants.model import Outcome
from acidtest.mutants.sandbox.intake_text import IntakeError
from acidtest.mutants.sandbox.launcher import Tier, refusal
from acidtest.mutants.sandbox.suite_desk import Shown, SuiteDesk, SuiteLimits, UngradableSuiteError
from acidtest.mutants.sandbox.suite_intake import take_suite
from acidtest.mutants.workload import embedded

WORKLOAD = embedded()
REFERENCE = {module: WORKLOAD.read(module) for module in WORKLOAD.modules}
MAIN = "tinyllm.prob.rejection"
WHEATS = {f"wheat {path.stem}": {MAIN: path.read_text("utf-8")} for path in sorted(WORKLOAD.wheats.glob("*.py"))}  # type: ignore[union-attr]
MUTANTS = {
    mutant.id: {mutant.module: variant_of(mutant, REFERENCE[mutant.module]).source}
    for mutant in load_catalog(WORKLOAD.catalog)
    if mutant.id in ("s01", "s06", "s14", "s17", "s34", "s42")
}
LOOPING = REFERENCE[MAIN].replace("    alpha = 0.0\n", "    alpha = 0.0\n    while len(target) == 3:\n        pass\n")
WORDED = REFERENCE[MAIN].replace("must be in [0, 1)", "is no uniform")
VARIANTS = {"reference": {}, "looping": {MAIN: LOOPING}, "worded": {MAIN: WORDED}, **WHEATS, **MUTANTS}
LIMITS = SuiteLimits(call_seconds=1.0, test_seconds=5.0)

SUITE = """
import gc, inspect, os, random, sys, time
import numpy as np
import pytest
from hypothesis import given, strategies as st
from tinyllm.prob import categorical, rejection, uniforms
from tinyllm.prob.rejection import ZeroResidualError, rejection_accept

HALVES = [0.5, 0.5]
RUNS = []


class Scripted:
    def __init__(self, *values):
        self.values = list(values)
    def random(self):
        return self.values.pop(0)


def test_strict():
    assert rejection_accept(0.25, 0.5, 0.5) is False

def test_overlap_of_three():
    assert rejection.acceptance_probability([0.5, 0.25, 0.25], [0.25, 0.5, 0.25]) == 0.75

@pytest.mark.parametrize("p", [HALVES, [0.25, 0.75], [1.0, 0.0]])
def test_parameters(p):
    assert rejection.residual_distribution(np.array(p), np.array(HALVES)).sum() == 1

@given(st.integers(1, 15))
def test_residual_takes_no_arguments_away(k):
    p, q = np.array([k / 16, 1 - k / 16]), np.array(HALVES)
    before = p.copy()
    residual = rejection.residual_distribution(p, q)
    assert (p == before).all()
    assert not np.shares_memory(p, residual)

def test_sampler_asks_for_two_uniforms_a_try():
    source = Scripted(0.25, 0.75, 0.5, 0.25, 0.125)
    assert rejection.rejection_sample(HALVES, [0.25, 0.75], 2.0, source) == (1, 2)
    assert source.values == [0.125]

def test_a_source_may_raise():
    class Dry:
        def random(self):
            raise LookupError("dry")
    with pytest.raises(LookupError, match="dry"):
        rejection.rejection_sample(HALVES, HALVES, 1.0, Dry())

def test_errors_come_by_class():
    with pytest.raises(ValueError):
        rejection_accept(0.5, 0.0, 0.5)
    with pytest.raises(ZeroResidualError):
        rejection.speculative_step([1.0, 1e-17], [1.0, 2e-17], 1, 0.75, 0.5)
    assert issubclass(ZeroResidualError, ArithmeticError)

def test_texts_can_be_passed():
    with pytest.raises(ValueError):
        categorical.as_distribution("p", np.array(["a", "b"]))

def test_generators_live_outside():
    first, second = uniforms.PCG32(42, 54), uniforms.PCG32(42, 54)
    assert [first.random() for _ in range(3)] == [second.random() for _ in range(3)]
    assert rejection.rejection_sample(HALVES, HALVES, 1.0, first)[1] == 1

def test_categorical_is_asked_too():
    assert categorical.sample_categorical([0.0, 0.5, 0.5], 0.0) == 1
    assert categorical.sample_categorical([0.5, 0.5], 0.5) == 1

def test_exact_message():
    with pytest.raises(ValueError, match=r"must be in \\[0, 1\\)"):
        rejection_accept(0.5, 0.5, 1.0)

def test_false():
    assert False

def test_counts_its_runs():
    RUNS.append(1)
    for name in ("/tmp/runs", "/suite/runs", "runs"):
        try:
            with open(name, "a") as file:
                file.write("x")
            RUNS.append(1)
        except OSError:
            pass
    os.environ["RUNS"] = os.environ.get("RUNS", "") + "x"
    assert len(RUNS) == 1 and os.environ["RUNS"] == "x"

def test_sees_no_source():
    seen = []
    for thing in (rejection, rejection_accept, categorical.sample_categorical):
        try:
            seen.append(inspect.getsource(thing))
        except (OSError, TypeError):
            pass
    codes = [each for each in gc.get_objects() if inspect.iscode(each)]
    functions = [each for each in gc.get_objects() if inspect.isfunction(each)]
    functions = [each for each in functions if not each.__code__.co_filename.startswith("/suite")]
    seen += [str(code.co_consts) + code.co_filename for code in codes]
    seen += [str(each.__code__.co_consts) + each.__code__.co_filename for each in functions]
    names = [os.path.join(folder, name) for top in sys.path for folder, _, names in os.walk(top) for name in names]
    seen += [name for name in names if "hypothesis" not in name]
    text = "".join(seen)
    assert "left-to-right" not in text and "rejection.py" not in text and "wheat" not in text
    assert not any("running" in each.__code__.co_varnames for each in functions if "tinyllm" in each.__module__)

def test_reads_no_other_process():
    for path in ("/proc/1/environ", "/etc/passwd", "/work", "/root"):
        try:
            open(path).read()
        except OSError:
            continue
        raise AssertionError(path)

def _line():
    import socket
    ends = [each for each in gc.get_objects() if type(each).__name__ == "Line"]
    return ends[0]

def test_tells_a_failure_and_leaves():
    line = _line()
    for words in ('["+","item","x","failed","assertion"]', '["+","done"]'):
        line.send(words)
        line.receive()
    os._exit(0)

def test_tells_a_failure_after_a_call():
    rejection_accept(0.25, 0.5, 0.5)
    _line().send('["+","item","x","failed","assertion"]')
    os._exit(0)

def test_tells_that_it_passed_and_leaves():
    line = _line()
    line.send('["+","item","x","passed",""]')
    line.receive()
    os._exit(0)

def test_speaks_out_of_turn():
    line = _line()
    line.send('[99,[]]')
    line.receive()

def test_asks_for_methods_that_no_object_has():
    line = _line()
    line.send('[0,[["h",0,"X",["__class__","__reduce__"]],1,2]]')
    line.receive()

def test_sends_no_frame():
    _line().end.send(b"\\xff" * 4096)

def test_leaves():
    os._exit(0)

def test_never_ends():
    while True:
        pass

def test_flips_a_coin():
    assert int.from_bytes(os.urandom(8), "big") % 2

def test_is_seeded():
    raise RuntimeError(str(random.random()) + str(np.random.random()))
"""


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SuiteDesk]:
    path = tmp_path_factory.mktemp("suite") / "test_all.py"
    path.write_text(SUITE, encoding="utf-8")
    desk = SuiteDesk(REFERENCE, VARIANTS, slot=30)
    try:
        desk.load(take_suite(path), LIMITS)
        yield desk
    finally:
        desk.close()


@pytest.fixture(scope="module")
def spare() -> Iterator[SuiteDesk]:
    """Yield a desk for one suite after another."""
    desk = SuiteDesk(REFERENCE, VARIANTS, slot=31)
    try:
        yield desk
    finally:
        desk.close()


def show(desk: SuiteDesk, test: str, variant: str = "reference", seed: int = 1, sift: tuple[str, ...] = ()) -> Shown:
    return desk.show(f"test_all::{test}", variant, seed, sift, mutant=variant not in ("reference", *WHEATS))


HONEST = (
    "test_strict",
    "test_overlap_of_three",
    "test_parameters",
    "test_residual_takes_no_arguments_away",
    "test_sampler_asks_for_two_uniforms_a_try",
    "test_a_source_may_raise",
    "test_errors_come_by_class",
    "test_texts_can_be_passed",
    "test_generators_live_outside",
    "test_categorical_is_asked_too",
)


def test_every_test_function_is_a_unit_with_its_parameters(desk: SuiteDesk) -> None:
    units = {unit.name: unit.items for unit in desk.units(0)}
    assert units["test_all::test_parameters"] == 3
    assert {f"test_all::{name}" for name in HONEST} <= set(units)
    assert len(units) == SUITE.count("\ndef test_")


@pytest.mark.parametrize("test", HONEST)
@pytest.mark.parametrize("variant", ["reference", "wheat generators"])
def test_what_a_suite_calls_is_answered_as_in_its_own_process(desk: SuiteDesk, test: str, variant: str) -> None:
    shown = show(desk, test, variant)
    assert (shown.outcome, shown.reason) == (Outcome.PASSED, "")
    assert shown.calls > 0


@pytest.mark.parametrize(
    ("test", "mutant"),
    [
        ("test_strict", "s01"),
        ("test_parameters", "s14"),
        ("test_residual_takes_no_arguments_away", "s14"),
        ("test_residual_takes_no_arguments_away", "s34"),
        ("test_sampler_asks_for_two_uniforms_a_try", "s17"),
        ("test_categorical_is_asked_too", "s42"),
    ],
)
def test_a_mutant_is_told_from_the_reference_by_its_answers(desk: SuiteDesk, test: str, mutant: str) -> None:
    on_reference = show(desk, test, sift=tuple(MUTANTS))
    assert mutant in on_reference.reached
    shown = show(desk, test, mutant)
    assert shown.differs or shown.outcome is Outcome.PASSED
    if test != "test_parameters":  # it looks at a sum only
        assert shown.outcome is Outcome.FAILED


def test_mutants_that_a_test_cannot_see_are_sifted_out(desk: SuiteDesk) -> None:
    assert show(desk, "test_strict", sift=tuple(MUTANTS)).reached == ("s01",)
    assert show(desk, "test_a_source_may_raise", sift=("looping", "s06")).reached == ()


def test_the_words_of_an_error_are_no_other_answer(desk: SuiteDesk) -> None:
    assert show(desk, "test_exact_message").outcome is Outcome.PASSED
    shown = show(desk, "test_exact_message", "worded")
    assert (shown.outcome, shown.differs) == (Outcome.FAILED, False)


def test_a_failure_without_a_wrong_answer_is_known_as_such(desk: SuiteDesk) -> None:
    shown = show(desk, "test_false", "s01")
    assert (shown.outcome, shown.reason, shown.differs) == (Outcome.FAILED, "assertion", False)


def test_a_forged_failure_needs_a_wrong_answer_too(desk: SuiteDesk) -> None:
    assert show(desk, "test_tells_a_failure_and_leaves", "s01").differs is False
    assert show(desk, "test_tells_a_failure_after_a_call", "s06").differs is False
    assert show(desk, "test_tells_a_failure_after_a_call", "s01").differs is True
    assert show(desk, "test_tells_a_failure_after_a_call").outcome is Outcome.FAILED  # and so it is dropped


@pytest.mark.parametrize(
    ("test", "words"),
    [
        ("test_tells_that_it_passed_and_leaves", "its process ended: exit status 0"),
        ("test_leaves", "its process ended: exit status 0"),
        ("test_speaks_out_of_turn", "protocol fault: a call of nothing"),
        ("test_asks_for_methods_that_no_object_has", "protocol fault: an object with methods of no kind"),
        ("test_sends_no_frame", "protocol fault"),
    ],
)
def test_who_breaks_the_protocol_neither_passes_nor_fails(desk: SuiteDesk, test: str, words: str) -> None:
    shown = show(desk, test, "s01")
    assert shown.outcome is Outcome.CRASHED
    assert words in shown.reason


def test_a_suite_that_never_ends_times_out(spare: SuiteDesk, tmp_path: Path) -> None:
    path = tmp_path / "test_slow.py"
    path.write_text("def test_never_ends():\n    while True:\n        pass\n")
    spare.load(take_suite(path), SuiteLimits(test_seconds=1.0))
    shown = spare.show("test_slow::test_never_ends", "s01", 1, mutant=True)
    assert (shown.outcome, shown.reason) == (Outcome.TIMED_OUT, "it took longer than 1 s")


def test_an_implementation_that_never_ends_times_out_and_is_not_killed(desk: SuiteDesk) -> None:
    assert show(desk, "test_overlap_of_three", sift=("looping",)).reached == ("looping",)
    shown = show(desk, "test_overlap_of_three", "looping")
    assert (shown.outcome, shown.reason) == (Outcome.TIMED_OUT, "one call took longer than 1 s")


@pytest.mark.parametrize("test", ["test_sees_no_source", "test_reads_no_other_process", "test_counts_its_runs"])
def test_a_suite_sees_no_code_and_leaves_no_trace(desk: SuiteDesk, test: str) -> None:
    for variant in ("s01", "reference"):
        shown = show(desk, test, variant)
        assert (shown.outcome, shown.reason) == (Outcome.PASSED, "")


def test_the_second_tier_holds_a_suite_too(tmp_path: Path) -> None:
    if why := refusal(Tier.LANDLOCK):
        pytest.skip(why)
    path = tmp_path / "test_all.py"
    path.write_text(SUITE, encoding="utf-8")
    desk = SuiteDesk(REFERENCE, VARIANTS, tier=Tier.LANDLOCK, slot=32)
    try:
        desk.load(take_suite(path), LIMITS)
        for test in ("test_sees_no_source", "test_reads_no_other_process", "test_counts_its_runs", *HONEST):
            shown = show(desk, test)
            assert (test, shown.outcome, shown.reason) == (test, Outcome.PASSED, "")
        shown = show(desk, "test_strict", "s01")
        assert (shown.outcome, shown.differs) == (Outcome.FAILED, True)
    finally:
        desk.close()


def test_a_seed_decides_about_every_generator(desk: SuiteDesk) -> None:
    one, other = (show(desk, "test_is_seeded", seed=seed) for seed in (1, 2))
    assert one.reason == other.reason == "RuntimeError"
    calls = [show(desk, "test_residual_takes_no_arguments_away", seed=seed).call for seed in (1, 1, 2)]
    assert calls[0] == calls[1] != calls[2]


def test_the_last_call_is_told_as_python(desk: SuiteDesk) -> None:
    assert show(desk, "test_exact_message", "worded").call == "rejection_accept(0.5, 0.5, 1.0)"
    call = show(desk, "test_parameters").call
    assert call == "residual_distribution(np.array([1.0, 0.0]), np.array([0.5, 0.5]))"


def _units(desk: SuiteDesk, path: Path) -> None:
    desk.load(take_suite(path), LIMITS)
    desk.units(0)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("def test_x(:\n    pass\n", "test_bad.py does not compile: SyntaxError"),
        ("import scipy\n\ndef test_x():\n    pass\n", "cannot be imported: ModuleNotFoundError"),
        ("raise SystemExit(0)\n", "cannot be imported: SystemExit"),
        ("import os\nos._exit(0)\n", "cannot be collected: its process ended: exit status 0"),
        ("x = 1\n", "it has no test"),
    ],
)
def test_what_is_no_suite_is_ungradable(spare: SuiteDesk, tmp_path: Path, text: str, words: str) -> None:
    path = tmp_path / "test_bad.py"
    path.write_text(text)
    with pytest.raises(UngradableSuiteError, match=words):
        _units(spare, path)


def test_a_folder_brings_its_helpers_and_fixtures(spare: SuiteDesk, tmp_path: Path) -> None:
    (tmp_path / "tools").mkdir()
    (tmp_path / "tools" / "__init__.py").write_text("")
    (tmp_path / "tools" / "numbers.py").write_text("HALF = 0.5\n")
    (tmp_path / "conftest.py").write_text("import pytest\n\n@pytest.fixture\ndef half():\n    return 0.5\n")
    (tmp_path / "test_one.py").write_text(
        "from tools.numbers import HALF\n\nclass TestBoth:\n    def test_it(self, half):\n        assert half == HALF\n"
    )
    (tmp_path / "test_two.py").write_text("def test_it(half):\n    assert half\n")
    suite = take_suite(tmp_path)
    assert suite.tests == ("test_one", "test_two")
    spare.load(suite, LIMITS)
    units = [unit.name for unit in spare.units(0)]
    assert units == ["test_one::TestBoth::test_it", "test_two::test_it"]
    assert {spare.show(unit, "reference", 1).outcome for unit in units} == {Outcome.PASSED}


def test_links_and_names_of_the_tested_are_refused(tmp_path: Path) -> None:
    secret = tmp_path / "secret.py"
    secret.write_text("SECRET = 1\n")
    folder = tmp_path / "suite"
    folder.mkdir()
    (folder / "test_x.py").write_text("def test_x():\n    pass\n")
    (folder / "helper.py").symlink_to(secret)
    with pytest.raises(IntakeError, match=r"helper\.py: is a link"):
        take_suite(folder)
    (folder / "helper.py").unlink()
    (folder / "tinyllm.py").write_text("x = 1\n")
    with pytest.raises(IntakeError, match="the name of what it tests with"):
        take_suite(folder)
