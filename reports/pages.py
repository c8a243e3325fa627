"""Write the committed pages anew: ``python -m acidtest.reports.pages``, with ``--check`` only compare them."""

import re
import sys
from collections.abc import Mapping
from pathlib import Path

from acidtest.mutants.certificates import certified, domain_today, folder_of, load_certificates
from acidtest.mutants.generated import function_of, generated
from acidtest.mutants.load import load_catalog
from acidtest.mutants.workload import Workload, embedded
from acidtest.reports.context import variant_for
from acidtest.reports.render.markdown import Count, catalog_page, counts_paragraph, generated_page, kill_matrix_page

FOLDER = Path(__file__).resolve().parent


README = "../README.md"
COUNTS = re.compile(r"(?<=<!-- counts -->\n).*?(?=<!-- end of counts -->)", re.DOTALL)


def pages(workload: Workload, state: Path) -> dict[str, str]:
    """Return each page's text by its file name; ``state`` is where generated mutants are kept."""
    mutants = load_catalog(workload.catalog)
    diffs = {mutant.id: variant_for(workload, mutant).diff for mutant in mutants}
    counts = counts_of(workload, state)
    readme = (FOLDER / README).read_text("utf-8")
    return {
        "catalog.md": catalog_page(mutants, diffs),
        "kill-matrix.md": kill_matrix_page(mutants),
        "generated.md": generated_page(counts),
        README: COUNTS.sub(lambda _: counts_paragraph(counts), readme),
    }


def counts_of(workload: Workload, state: Path) -> tuple[Count, ...]:
    """Return, for each function of the target, how many mutants mutmut makes and how many are certified equal on D."""
    variants = generated(workload, state)
    sources = {module: workload.read(module) for module in workload.modules}
    today = domain_today(workload, state)
    held = certified(variants, sources, load_certificates(folder_of(workload)), today)
    places = dict.fromkeys((variant.module, function_of(variant)) for variant in variants)
    return tuple(
        Count(
            module,
            function,
            made=sum((one.module, function_of(one)) == (module, function) for one in variants),
            words=sum((one.module, one.function, one.message) == (module, function, True) for one in held.values()),
            equal=sum((one.module, one.function, one.message) == (module, function, False) for one in held.values()),
        )
        for module, function in places
    )


def stale(texts: Mapping[str, str], folder: Path = FOLDER) -> list[str]:
    """Return the names of the pages in ``folder`` that differ from ``texts``."""
    return [name for name, text in texts.items() if _read(folder / name) != text]


def _read(path: Path) -> str | None:
    return path.read_text("utf-8") if path.is_file() else None


def main(arguments: list[str]) -> int:
    """Write the pages, or with ``--check`` say which ones would change."""
    texts = pages(embedded(), FOLDER.parent / ".acidtest")
    old = stale(texts)
    for name in old:
        if "--check" not in arguments:
            (FOLDER / name).write_text(texts[name], encoding="utf-8")
        sys.stdout.write(f"{FOLDER / name}: {'stale' if '--check' in arguments else 'written'}\n")
    return 1 if old and "--check" in arguments else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
