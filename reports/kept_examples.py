"""Failing examples made small, searched for once and kept for as long as the same run would find the same."""

import hashlib
import json
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from acidtest.mutants import lab
from acidtest.mutants.asking import examples
from acidtest.mutants.model import KillMatrix, Outcome, Variant
from acidtest.mutants.workload import Workload
from acidtest.reports.key import texts_of

Cell = tuple[str, str]


@dataclass(frozen=True)
class KeptExamples:
    """Where examples are kept, and the run that they belong to.

    Attributes:
        folder: the state folder. seed: of the run.
    """

    workload: Workload
    folder: Path
    seed: int
    jobs: int
    fork: bool = True

    def of(self, cells: Sequence[tuple[Variant, str]], ask: bool) -> Mapping[Cell, str]:
        """Return the example of each variant and test that has one; one that is not kept is asked for, or left out."""
        if not ask and not (self.folder / "answers" / "examples").is_dir():
            return {}
        base = [json.dumps(sorted(texts_of(self.workload).items())), json.dumps(lab.versions(), sort_keys=True)]
        head = hashlib.sha256("\0".join(base).encode("utf-8", "surrogatepass"))
        files = {(variant.id, test): self._file(head.hexdigest(), variant, test) for variant, test in cells}
        missing = [cell for cell in cells if not files[cell[0].id, cell[1]].is_file()]
        if ask and missing:
            self._ask(missing, files)
        found = {cell: json.loads(file.read_text("utf-8")) for cell, file in files.items() if file.is_file()}
        return {cell: text for cell, text in found.items() if text}

    def _ask(self, cells: Sequence[tuple[Variant, str]], files: Mapping[Cell, Path]) -> None:
        def work(first: int) -> None:
            chosen = cells[first :: self.jobs]
            answers = examples(self.workload, chosen, self.seed, self.fork)
            for (variant, test), answer in zip(chosen, answers, strict=True):
                if isinstance(answer, str):  # else there may be one the next time
                    _keep(files[variant.id, test], answer)

        threads = [threading.Thread(target=work, args=(n,), daemon=True) for n in range(min(self.jobs, len(cells)))]
        for thread in threads:
            thread.start()
        for thread in threads:
            while thread.is_alive():
                thread.join(0.2)

    def _file(self, base: str, variant: Variant, test: str) -> Path:
        parts = [base, str(self.seed), variant.module, variant.source, test]
        key = hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()
        return self.folder / "answers" / "examples" / f"{key[:24]}.json"


def drawn_kills(matrix: KillMatrix, variants: Sequence[Variant]) -> list[tuple[Variant, str]]:
    """Return the kills of these variants in which Hypothesis drew the input, in the order of the matrix."""
    return [
        (variant, trial.test)
        for variant in variants
        for trial in matrix.of_variant(variant.id)
        if trial.outcome is Outcome.FAILED and trial.examples is not None
    ]


def _keep(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    fresh = path.with_suffix(".part")
    fresh.write_text(json.dumps(text), "utf-8")
    fresh.replace(path)
