"""Mutants, matrices and runs written by hand, for tests that need no lab."""

from pathlib import Path

from acidtest.mutants.model import (
    Baseline,
    Control,
    Edit,
    KillMatrix,
    Mode,
    Mutant,
    Outcome,
    Run,
    Test,
    Trial,
    Witness,
)

LETTERS = {
    "K": Outcome.FAILED,
    ".": Outcome.PASSED,
    "-": Outcome.PASSED,
    "T": Outcome.TIMED_OUT,
    "C": Outcome.CRASHED,
    "U": Outcome.UNDECIDED,
    "X": Outcome.UNVIABLE,
    "S": Outcome.SKIPPED,
}
REASONS = {"K": "assertion", "-": "unreached", "U": "Unsatisfiable"}


def mutant(id: str, killers: tuple[str, ...] = ("test_a",), **changes: object) -> Mutant:
    """Return an entry on a function that accepts."""
    fields: dict[str, object] = {
        "id": id,
        "title": f"wrong in the way of {id}",
        "module": "demo.gate",
        "function": "accept",
        "edits": (Edit(before="u < r", after="u <= r"),),
        "killers": killers,
        "rationale": "People write it because it looks the same.\nIt lets one more point through.",
        "witness": Witness("accept", {"r": 0.5, "u": 0.5}, "False", "True"),
        "path": Path(f"{id}_wrong_in_the_way_of_{id}.toml"),
        "pitfall": 1,
    }
    return Mutant(**{**fields, **changes})  # type: ignore[arg-type]  # the fields are listed above


def matrix(tests: str, **rows: str) -> KillMatrix:
    """Return a matrix from letters: ``matrix("ab", s01="K.")``; a space is a trial without outcome."""
    suite = tuple(
        Test(f"tests/test_gate.py::test_{name}", f"test_{name}", "unit", checks=f"Checks {name}.") for name in tests
    )
    trials = tuple(
        Trial(variant, test.id, LETTERS[letter], REASONS.get(letter, ""), "1 != 2" if letter == "K" else "", 0.25)
        for variant, row in rows.items()
        for test, letter in zip(suite, row, strict=True)
        if letter != " "
    )
    return KillMatrix(suite, tuple(rows), trials)


def run_of(kills: KillMatrix, **changes: object) -> Run:
    """Return a green run around a matrix."""
    fields: dict[str, object] = {
        "seed": 7,
        "mode": Mode.MATRIX,
        "jobs": 2,
        "baseline": Baseline(
            kills.tests,
            (),
            {test.id: {"demo.gate": frozenset({3, 1})} for test in kills.tests},
            {"demo.gate": frozenset({1, 2})},
            seconds=0.5,
        ),
        "controls": (Control("canary", "killed by every test that reaches it"), Control("same", "survives")),
        "matrix": kills,
        "problems": (),
        "versions": {"python": "3.11.7", "hypothesis": "6.170.17"},
        "seconds": 2.5,
        "lab_seconds": 1.5,
        "test_seconds": 1.0,
    }
    return Run(**{**fields, **changes})  # type: ignore[arg-type]  # the fields are listed above
