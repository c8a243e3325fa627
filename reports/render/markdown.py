"""Pages that are generated from the catalog and committed, so that they can be read without running anything."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from acidtest.mutants.model import Mutant
from acidtest.reports.render.wording import call_of, source_of

_WRITTEN = "<!-- written by `python -m acidtest.reports.pages`; edit the catalog, not this page -->"


def catalog_page(mutants: Sequence[Mutant], diffs: Mapping[str, str]) -> str:
    """Return the catalog as a page: one section an entry.

    Args:
        diffs: by id, what the entry changes.
    """
    index = [f"- [{mutant.id}](#{mutant.id}) {_plain(mutant.title)}" for mutant in mutants]
    lead = f"{len(mutants)} mistakes, each with the tests that must notice it and a call that shows it."
    parts = ["# The catalog", _WRITTEN, lead, "\n".join(index), *(_section(m, diffs[m.id]) for m in mutants)]
    return "\n\n".join(parts) + "\n"


def kill_matrix_page(mutants: Sequence[Mutant]) -> str:
    """Return which test is named for which mutant, one table a function of the target."""
    lead = "Which test is named for which mutant. `acidtest run` shows that each does kill it, and which others do."
    parts = ["# Named killers", _WRITTEN, lead]
    functions = dict.fromkeys(mutant.function for mutant in mutants)
    for function in functions:
        chosen = [mutant for mutant in mutants if mutant.function == function]
        names = dict.fromkeys(name for mutant in chosen for name in mutant.killers)
        links = [f"[{mutant.id}](catalog.md#{mutant.id})" for mutant in chosen]
        rows = [["", *links], ["---", *(":-:" for _ in chosen)]]
        rows += [[f"`{name}`", *("x" if name in mutant.killers else "" for mutant in chosen)] for name in names]
        table = "\n".join("| " + " | ".join(row) + " |" for row in rows)
        parts += [f"## `{function}`", table]
    return "\n\n".join(parts) + "\n"


def _section(mutant: Mutant, diff: str) -> str:
    witness = mutant.witness
    source = _plain(source_of(mutant))
    killers = ", ".join(f"`{name}`" for name in mutant.killers)
    answers = [
        f"- `{call_of(witness)}`",
        f"- reference: `{witness.reference}`",
        f"- mutant: `{witness.mutant}`",
    ]
    parts = [
        f'<a id="{mutant.id}"></a>\n\n## {mutant.id}: {_plain(mutant.title)}',
        f"In `{mutant.module}.{mutant.function}`{'; ' + source if source else ''}.",
        " ".join(_plain(mutant.rationale).split()),
        f"```diff\n{diff.rstrip()}\n```",
        "\n".join(answers),
        f"Named killers: {killers}." if killers else "No named killer.",
    ]
    if mutant.expect == "survived":
        parts.append(f"Expected to survive: {_plain(mutant.because or '')}")
    return "\n\n".join(parts)


def _plain(text: str) -> str:
    """Return ``text`` such that Markdown shows it as it is."""
    for character in "\\*_<>[]|":
        text = text.replace(character, f"\\{character}")
    return text


@dataclass(frozen=True, slots=True)
class Count:
    """What mutmut makes of one function; ``words`` and ``equal`` are certified, the others must be killed."""

    module: str
    function: str
    made: int
    words: int
    equal: int


def counts_paragraph(counts: Sequence[Count]) -> str:
    """Return what the first page says of generated mutants."""
    made, words, equal = (sum(getattr(one, name) for one in counts) for name in ("made", "words", "equal"))
    return (
        f"Beside the catalog, mutmut makes {made} mutants of the target. {words + equal} of them are certified equal\n"
        f"on the bounded domain D, {words} of those because only the words of an error change. The other "
        f"{made - words - equal}\nmust be killed, or `acidtest run` does not exit with 0.\n"
    )


def generated_page(counts: Sequence[Count]) -> str:
    """Return the page of generated mutants, a row for each function."""
    lines = [
        "# Generated mutants",
        "",
        "What mutmut makes of each function, and how many of those are certified equal on the bounded domain D. All",
        "others must be killed. Written by `python -m acidtest.reports.pages`; the certificates and their reasons are",
        "in [mutants/equivalent](../mutants/equivalent).",
        "",
        "| function | made | must be killed | certified: only the words of an error | certified: equal otherwise |",
        "|---|---|---|---|---|",
    ]
    for one in counts:
        must = one.made - one.words - one.equal
        lines.append(f"| `{one.module}.{one.function}` | {one.made} | {must} | {one.words} | {one.equal} |")
    return "\n".join(lines) + "\n"
