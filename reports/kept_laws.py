"""Output laws of mutants, asked of workers once and kept for as long as nothing they follow from changes."""

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from acidtest.mutants.certificates import texts_of_domain
from acidtest.mutants.law_pictures import Laws, law_pictures
from acidtest.mutants.model import Variant
from acidtest.mutants.workload import Workload

SECONDS = 60.0
"""How long one mutant's laws may take."""


@dataclass(frozen=True)
class KeptLaws:
    """Where laws are kept, and how they are asked for.

    Attributes:
        folder: the state folder. say: told in a line what is asked.
    """

    workload: Workload
    folder: Path
    jobs: int
    fork: bool = True
    say: Callable[[str], None] = lambda text: None

    def of(self, variants: Sequence[Variant], ask: bool) -> tuple[Laws, ...] | None:
        """Return the laws of the variants; None where the workload has none, or where nothing is kept and not asked.

        Args:
            ask: ask for those that are not kept; else they are left out.
        """
        if not ask and not (self.folder / "answers" / "laws").is_dir():
            return None
        texts = texts_of_domain(self.workload)
        if self.workload.calls is None or texts is None:
            return None
        base = hashlib.sha256(json.dumps(texts).encode("utf-8", "surrogatepass")).hexdigest()
        files = {variant.id: self._file(base, variant) for variant in variants}
        failed: dict[str, Laws] = {}
        missing = [variant for variant in variants if not files[variant.id].is_file()]
        if missing and ask:
            self.say(f"the output laws of {len(missing)} mutants; they are kept")
            for variant, laws in zip(missing, self._asked(missing), strict=True):
                if laws.why:  # not kept: the next time there may be an answer
                    failed[variant.id] = laws
                else:
                    self._keep(files[variant.id], laws)
        known = [failed.get(name) or self._read(name, file) for name, file in files.items()
                 if name in failed or file.is_file()]  # fmt: skip
        return tuple(known) if known else None

    def _asked(self, variants: Sequence[Variant]) -> Sequence[Laws]:
        return law_pictures(self.workload, variants, seconds=SECONDS, jobs=self.jobs, fork=self.fork)

    def _file(self, base: str, variant: Variant) -> Path:
        key = hashlib.sha256("\0".join([base, variant.module, variant.source]).encode("utf-8", "surrogatepass"))
        return self.folder / "answers" / "laws" / f"{key.hexdigest()[:24]}.json"

    def _read(self, name: str, file: Path) -> Laws:
        return Laws(name, json.loads(file.read_text("utf-8")))

    def _keep(self, path: Path, laws: Laws) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        fresh = path.with_suffix(".part")
        fresh.write_text(json.dumps(laws.data), "utf-8")
        fresh.replace(path)
