"""Matrix runs for measures of strength: a kept one where nothing has changed since, else a new one, kept as well."""

import os
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from acidtest.mutants import lab
from acidtest.mutants.bench import Bench
from acidtest.mutants.model import Mode, Run, Variant
from acidtest.mutants.workload import Workload
from acidtest.reports.confidence import Seeding
from acidtest.reports.context import UsageError
from acidtest.reports.key import run_key, texts_of
from acidtest.reports.render.progress import Bar
from acidtest.reports.store import RunRow, Store, StoreError

GAPS = 3
"""How many seeds without a kept run are passed over."""


@dataclass(frozen=True)
class MatrixRuns:
    """Where matrix runs of one suite come from.

    Attributes:
        variants: what every test is tried on. say: told in a line what has to be run first.
    """

    workload: Workload
    store: Store
    variants: tuple[Variant, ...]
    jobs: int
    fork: bool
    say: Callable[[str], None]

    def kept(self, number: int) -> Run:
        """Return the kept run of this number.

        Raises:
            UsageError: there is none, or it is not finished.
        """
        try:
            return self.store.load(number)
        except StoreError as error:
            done = [str(row.id) for row in self.store.runs() if row.finished is not None][-5:]
            remedy = f"there are {', '.join(done)}" if done else "`acidtest run` makes one"
            raise UsageError(f"no finished run {number}; {remedy}") from error

    def latest(self) -> Run:
        """Return the latest matrix run since which no file has changed, else run one."""
        changed = last_change(self.workload)
        for row in sorted(self.store.runs(), key=lambda row: row.finished or "", reverse=True):
            if (
                row.finished is None
                or row.meta.get("further")
                or not self._ours(row)
                or datetime.fromisoformat(row.started).timestamp() < changed
            ):
                continue
            run = self.store.load(row.id)
            if run.mode is Mode.MATRIX and run.versions == lab.versions() and not run.problems:
                return run
        return self.run(0)

    def run(self, seed: int, further: bool = False) -> Run:
        """Return the matrix under ``seed``: the kept run of the same everything, else a new one.

        Args:
            further: one of several seeds, never the latest run by itself.

        Raises:
            BaselineFailedError: a test fails on the unchanged code under this seed.
        """
        plan = self._plan(seed)
        key = self._key(plan, texts_of(self.workload))
        same = [row for row in self.store.runs() if row.key == key and row.finished is not None]
        if same:
            return self.store.load(same[-1].id)
        self.say(f"every test on {len(plan.variants)} mutants, seed {seed}")
        meta = {
            "workload": str(self.workload.root),
            "suite": [str(path) for path in self.workload.tests],
            "variants": [variant.id for variant in plan.variants],
            "further": further,
        }
        recorder = self.store.begin(key, meta)
        with Bar(sys.stderr, show=sys.stderr.isatty()) as bar:
            run = lab.run(plan, recorder, bar)
        recorder.finish(run)
        return run

    def seedings(self, first: Run, seeds: int) -> tuple[Seeding, ...]:
        """Return what each of ``seeds`` seeds shows; the first is that of ``first``, already there."""
        found = [Seeding(first.seed, first.matrix)]
        others = [seed for seed in range(seeds) if seed != first.seed]
        for seed in others[: seeds - 1]:
            try:
                run = self.run(seed, further=True)
            except lab.BaselineFailedError:
                found.append(Seeding(seed, None, self._alarms(seed)))
            else:
                found.append(Seeding(seed, run.matrix))
        return tuple(found)

    def kept_seedings(self, first: Run) -> tuple[Seeding, ...]:
        """Return what ``first`` and every further seed that is kept show; nothing is run.

        Seeds are looked up from 0 on. One under which a test fails on the unchanged code leaves no run, so that gaps of
        up to ``GAPS`` seeds are passed over, and false alarms cannot be told from them.
        """
        kept = {row.key: row.id for row in self.store.runs() if row.finished is not None}
        texts = texts_of(self.workload)
        found, seed, missed = [Seeding(first.seed, first.matrix)], 0, 0
        while missed <= GAPS:
            key = self._key(self._plan(seed), texts) if seed != first.seed else ""
            if key in kept:
                found.append(Seeding(seed, self.store.load(kept[key]).matrix))
            missed = 0 if key in kept or not key else missed + 1
            seed += 1
        return tuple(found)

    def _key(self, plan: lab.Plan, texts: Mapping[str, str]) -> str:
        options = {"seed": plan.seed, "mode": plan.mode.value, "fork": plan.fork, "for": "strength"}
        return run_key(texts, plan.variants, lab.versions(), options)

    def _alarms(self, seed: int) -> frozenset[str]:
        """Return the tests that fail on the unchanged code under ``seed``.

        Raises:
            BaselineFailedError: they cannot be collected, or one takes the worker down.
        """
        bench = Bench(self.workload, seed, lab.Limits(), self.fork)
        try:
            return frozenset(trial.test for trial in bench.baseline().failures)
        finally:
            bench.close(0.5)

    def _plan(self, seed: int) -> lab.Plan:
        return lab.Plan(
            workload=self.workload,
            variants=self.variants,
            mode=Mode.MATRIX,
            seed=seed,
            jobs=self.jobs,
            fork=self.fork and hasattr(os, "fork"),
        )

    def _ours(self, row: RunRow) -> bool:
        suite = [str(path) for path in self.workload.tests]
        tried = set(row.meta.get("variants", ()))
        wanted = {variant.id for variant in self.variants}
        return (
            row.meta.get("workload") == str(self.workload.root) and row.meta.get("suite") == suite and wanted <= tried
        )


def last_change(workload: Workload) -> float:
    """Return when a file that trials depend on was last written."""
    names = [Path(name) if Path(name).is_absolute() else workload.root / name for name in texts_of(workload)]
    catalog: Sequence[Path] = list(workload.catalog.glob("*.toml"))
    return max((path.stat().st_mtime for path in [*names, *catalog]), default=0.0)
