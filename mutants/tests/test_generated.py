"""mutmut's mutants as ours: the same texts, stable names, and what mutmut itself says of them."""

import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from acidtest.mutants import generated as module
from acidtest.mutants.generated import GeneratedError, function_of, generated, mutmut_name
from acidtest.mutants.model import Variant
from acidtest.mutants.mutmut_verdicts import read_verdicts, strangers
from acidtest.mutants.splice import changed_functions
from acidtest.mutants.staging import Stage, stage
from acidtest.mutants.tests import tiny
from acidtest.mutants.workload import embedded

METHODS = '''
class Counter:
    """Counts."""

    # a comment above a method
    def __init__(self, start: int = 1) -> None:
        self.value = start + 0

    @property
    def doubled(self) -> int:
        return self.value * 2

    def step(
        self,
        by: int,
    ) -> int:
        """Step."""
        self.value += by
        return self.value


async def later(value):
    return value + 1
'''


@pytest.fixture(scope="module")
def chapter(tmp_path_factory: pytest.TempPathFactory) -> tuple[Variant, ...]:
    return generated(embedded(), tmp_path_factory.mktemp("state"))


def by_name(variants: tuple[Variant, ...]) -> dict[str, Variant]:
    return {variant.id: variant for variant in variants}


def test_the_whole_target_is_covered(chapter: tuple[Variant, ...]) -> None:
    assert len(chapter) == len(by_name(chapter)) > 250
    assert {variant.module for variant in chapter} == set(embedded().modules)
    functions = {function_of(variant) for variant in chapter}
    assert {"rejection_accept", "_excess", "as_distribution", "PCG32.next_uint32", "PCG32.__init__"} <= functions
    assert all(variant.kind == "generated" for variant in chapter)


def test_only_the_named_function_changes(chapter: tuple[Variant, ...]) -> None:
    sources = {name: embedded().read(name) for name in embedded().modules}
    for variant in chapter:
        assert changed_functions(sources[variant.module], variant.source) in ((function_of(variant),), None)
        assert variant.functions in ((function_of(variant),), ())


def test_the_span_is_where_the_diff_is(chapter: tuple[Variant, ...]) -> None:
    variant = next(v for v in chapter if v.title == "return u < p_x / q_x -> return u <= p_x / q_x")
    assert variant.span is not None
    assert variant.span[0] == variant.span[1]
    line = embedded().read(variant.module).splitlines()[variant.span[0] - 1]
    assert line.strip() == "return u < p_x / q_x"
    assert "-    return u < p_x / q_x\n+    return u <= p_x / q_x\n" in variant.diff
    assert mutmut_name(variant).startswith("tinyllm.prob.rejection.x_rejection_accept__mutmut_")


def test_no_two_mutants_are_the_same_text(chapter: tuple[Variant, ...]) -> None:
    assert len({(variant.module, variant.source) for variant in chapter}) == len(chapter)


def test_what_was_made_before_is_read_back_equal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    workload = tiny.workload(tmp_path, source=METHODS)
    first = generated(workload, tmp_path / "state")
    monkeypatch.setattr(module, "_made", lambda *_: pytest.fail("nothing is to be made again"))
    assert generated(workload, tmp_path / "state") == first


@pytest.mark.parametrize("damage", ["", "{", "[[1]]", '[{"id": 1}]'])
def test_a_damaged_file_is_made_anew(tmp_path: Path, damage: str) -> None:
    workload = tiny.workload(tmp_path)
    first = generated(workload, tmp_path / "state")
    (kept,) = (tmp_path / "state" / "generated").iterdir()
    kept.write_text(damage)
    assert generated(workload, tmp_path / "state") == first


def test_methods_defaults_and_comments_are_handled(tmp_path: Path) -> None:
    workload = tiny.workload(tmp_path, source=METHODS)
    variants = by_name(generated(workload, tmp_path / "state"))
    functions = {function_of(variant) for variant in variants.values()}
    assert functions == {"Counter.__init__", "Counter.step", "later"}
    default = next(v for v in variants.values() if "start: int = 2" in v.source)
    assert (default.functions, default.anchors, function_of(default)) == ((), None, "Counter.__init__")
    step = next(v for v in variants.values() if "self.value -= by" in v.source)
    assert step.functions == ("Counter.step",)
    assert mutmut_name(step) == f"box.xǁCounterǁstep__mutmut_{step.id.rpartition('.')[2]}"
    assert all("# a comment above a method" in variant.source for variant in variants.values())


def test_two_modules_of_one_name_keep_their_mutants_apart(tmp_path: Path) -> None:
    workload = tiny.workload(tmp_path, modules=("one.box", "two.box"))
    for package in ("one", "two"):
        (tmp_path / "src" / package).mkdir()
        shutil.copy(tmp_path / "src" / "box.py", tmp_path / "src" / package / "box.py")
    variants = by_name(generated(workload, tmp_path / "state"))
    assert {name.rpartition(".box.")[0] for name in variants} == {"one", "two"}
    first = variants["one.box.clamp.1"]
    assert (function_of(first), mutmut_name(first)) == ("clamp", "one.box.x_clamp__mutmut_1")


def test_a_module_that_does_not_parse_is_said_so(tmp_path: Path) -> None:
    workload = tiny.workload(tmp_path, source="def broken(:\n")
    with pytest.raises(GeneratedError, match=r"cannot mutate box: .*; leave the generated mutants out"):
        generated(workload, tmp_path / "state")


def test_the_stage_holds_target_and_tests_and_nothing_of_ours(tmp_path: Path) -> None:
    place = stage(embedded(), tmp_path / "stage", seed=7)
    names = {path.name for path in place.folder.iterdir()}
    assert names == {"src", "properties", "pytest.ini", "pyproject.toml", "acidtest_reporter.py"}
    assert (place.folder / "src/tinyllm/prob/rejection.py").read_text() == embedded().read("tinyllm.prob.rejection")
    assert {path.name for path in embedded().tests} <= {path.name for path in (place.folder / "properties").iterdir()}
    assert (place.folder / "properties" / "conftest.py").is_file()
    assert "--hypothesis-seed=7" in (place.folder / "pyproject.toml").read_text()


@pytest.fixture(scope="module")
def tried(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, tuple[Variant, ...]]:
    """mutmut's own run over the box of a few lines, in its stage."""
    folder = tmp_path_factory.mktemp("box")
    workload = tiny.workload(folder)
    variants = generated(workload, folder / "state")
    place = stage(workload, folder / "state" / "mutmut", seed=0)
    module.run_mutmut(place.folder, 2, 300.0)
    return folder, variants


def test_mutmut_itself_runs_in_the_stage_and_means_the_same_mutants(tried: tuple[Path, tuple[Variant, ...]]) -> None:
    folder, variants = tried
    workload = tiny.workload(folder)
    place = stage_of(folder)
    assert strangers(place, variants, {"box": workload.read("box")}) == []
    verdicts = read_verdicts(place, variants)
    assert set(verdicts) == {variant.id for variant in variants}
    assert {verdict.status for verdict in verdicts.values()} <= {"killed", "survived"}
    killed = next(v for v in verdicts.values() if v.status == "killed")
    assert killed.killers[0].test.startswith("tests/test_box.py::test_")
    assert killed.killers[0].error == "AssertionError"
    assert not {path.name for path in folder.iterdir()} & {"mutants"}


def test_another_text_under_the_same_name_is_noticed(tried: tuple[Path, tuple[Variant, ...]]) -> None:
    folder, variants = tried
    source = tiny.workload(folder).read("box")
    other = [v for v in variants if function_of(v) == "clamp"][:2]
    swapped = replace(other[0], source=other[1].source)
    (line,) = strangers(stage_of(folder), [swapped], {"box": source})
    assert "another text than ours" in line


def test_results_that_are_missing_are_said_so(tried: tuple[Path, tuple[Variant, ...]], tmp_path: Path) -> None:
    folder, variants = tried
    copy = tmp_path / "mutmut"
    shutil.copytree(stage_of(folder).folder, copy)
    results = copy / "mutants/src/box.py.meta"
    data = json.loads(results.read_text())
    del data["exit_code_by_key"][mutmut_name(variants[0])]
    results.write_text(json.dumps(data))
    with pytest.raises(GeneratedError, match=r"mutmut has no mutant box\.x_clamp__mutmut_1"):
        read_verdicts(Stage(copy), variants)


def stage_of(folder: Path) -> Stage:
    return Stage(folder / "state" / "mutmut")
