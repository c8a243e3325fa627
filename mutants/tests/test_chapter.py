"""The chapter's whole catalog down every road, and its baseline under many seeds.

Short forms here, with some of the entries; ``ACIDTEST_LONG=1`` takes all of them down every road, and twenty seeds.
"""

import functools
import os
from typing import Any

import pytest

from acidtest.mutants import lab
from acidtest.mutants.bench import Bench
from acidtest.mutants.load import load_catalog, variant_of
from acidtest.mutants.model import Run, Variant
from acidtest.mutants.tests import tiny
from acidtest.mutants.workload import embedded

LONG = os.environ.get("ACIDTEST_LONG") == "1"
SEEDS = 20 if LONG else 2


@functools.cache
def variants() -> tuple[Variant, ...]:
    workload = embedded()
    return tuple(variant_of(mutant, workload.read(mutant.module)) for mutant in load_catalog(workload.catalog))


def chapter(*chosen: Variant, **road: Any) -> Run:
    return tiny.run(embedded(), *chosen, seed=3, limits=lab.Limits(), **road)


@functools.cache
def usual() -> Run:
    return chapter(*variants(), jobs=2)


def test_every_control_behaves_and_nothing_is_a_problem() -> None:
    assert usual().problems == ()
    assert len(usual().controls) == 7
    assert all(control.problem == "" for control in usual().controls)


def test_every_named_killer_kills() -> None:
    run = usual()
    for mutant in load_catalog(embedded().catalog):
        killers = {test.name for test in run.matrix.killers_of(mutant.id)}
        assert set(mutant.killers) <= killers, mutant.id


def test_every_entry_is_installed_hot() -> None:
    assert not any("before import" in control.expects for control in usual().controls)


def test_the_catalog_gives_equal_matrices_hot_and_cold() -> None:
    chosen = variants() if LONG else variants()[::4]
    ids = {variant.id for variant in chosen}
    cold = chapter(*chosen, jobs=2, install="cold")
    assert any("before import" in control.expects for control in cold.controls)
    assert tiny.cells(cold) == [cell for cell in tiny.cells(usual()) if cell[0] in ids]


@pytest.mark.parametrize("road", [{"jobs": 1}, {"jobs": 2, "prune": False}], ids=["one job", "nothing pruned"])
def test_the_catalog_gives_equal_matrices_down_the_road(road: dict[str, Any]) -> None:
    chosen = variants() if LONG else variants()[::4]
    ids = {variant.id for variant in chosen}
    expected = [cell for cell in tiny.cells(usual()) if cell[0] in ids]
    assert tiny.cells(chapter(*chosen, **road)) == expected


def test_the_catalog_gives_equal_matrices_without_fork() -> None:
    chosen = variants() if LONG else variants()[::9]
    names = {variant.id for variant in chosen}
    expected = [cell for cell in tiny.cells(usual()) if cell[0] in names]
    assert tiny.cells(chapter(*chosen, jobs=2, fork=False)) == expected


@pytest.mark.parametrize("seed", range(SEEDS))
def test_no_test_fails_on_the_baseline_whatever_the_seed(seed: int) -> None:
    bench = Bench(embedded(), seed, lab.Limits(), fork=True)
    try:
        baseline = bench.baseline()
    finally:
        bench.close()
    assert baseline.failures == ()
    assert len(baseline.tests) > 19
