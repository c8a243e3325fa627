"""Write the committed pages anew: ``python -m acidtest.reports.pages``, with ``--check`` only compare them."""

import sys
from collections.abc import Mapping
from pathlib import Path

from acidtest.mutants.load import load_catalog
from acidtest.mutants.workload import Workload, embedded
from acidtest.reports.context import variant_for
from acidtest.reports.render.markdown import catalog_page, kill_matrix_page

FOLDER = Path(__file__).resolve().parent


def pages(workload: Workload) -> dict[str, str]:
    """Return each page's text by its file name."""
    mutants = load_catalog(workload.catalog)
    diffs = {mutant.id: variant_for(workload, mutant).diff for mutant in mutants}
    return {"catalog.md": catalog_page(mutants, diffs), "kill-matrix.md": kill_matrix_page(mutants)}


def stale(texts: Mapping[str, str], folder: Path = FOLDER) -> list[str]:
    """Return the names of the pages in ``folder`` that differ from ``texts``."""
    return [name for name, text in texts.items() if _read(folder / name) != text]


def _read(path: Path) -> str | None:
    return path.read_text("utf-8") if path.is_file() else None


def main(arguments: list[str]) -> int:
    """Write the pages, or with ``--check`` say which ones would change."""
    texts = pages(embedded())
    old = stale(texts)
    for name in old:
        if "--check" not in arguments:
            (FOLDER / name).write_text(texts[name], encoding="utf-8")
        sys.stdout.write(f"{FOLDER / name}: {'stale' if '--check' in arguments else 'written'}\n")
    return 1 if old and "--check" in arguments else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
