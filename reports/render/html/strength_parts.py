"""What a suite's strength looks like on a page: the subsumption graph, trigger rates as a table, buckets of inputs."""

from typing import Any

from acidtest.mutants.model import KillMatrix, Outcome
from acidtest.reports.advice import advice
from acidtest.reports.render.html.matrix_data import buckets
from acidtest.reports.strength import Strength


def strength_values(strength: Strength | None, matrix: KillMatrix) -> dict[str, Any]:
    """Return what the template ``strength.html.j2`` is filled with.

    Args:
        matrix: of the run that is shown, for the inputs to kill.
    """
    return {
        "strength": strength,
        "advice": list(advice(strength)) if strength is not None else [],
        "heat": _heat(strength),
        "buckets": _buckets(matrix),
        "unsteady": list(strength.confidence.unsteady) if strength is not None and strength.confidence else [],
    }


def graph_data(strength: Strength | None) -> dict[str, Any] | None:
    """Return the subsumption graph for the script that draws it; None where no mutant was killed."""
    if strength is None or not strength.classes:
        return None
    first = {group.mutants for group in strength.dominators}
    return {
        "classes": [
            {
                "mutants": list(group.mutants),
                "tests": sorted(strength.name(str(test)) for test in group.marks),
                "dominates": group.mutants in first,
            }
            for group in strength.classes
        ],
        "edges": [list(edge) for edge in strength.edges],
    }


def _heat(strength: Strength | None) -> dict[str, Any] | None:
    """Return trigger rates as a table: families, and for each mutant its rates in the same order."""
    rows = strength.triggers if strength is not None else None
    if not rows:
        return None
    families = list(dict.fromkeys(row.family for row in rows))
    known = {(row.mutant, row.family): row for row in rows}
    mutants = list(dict.fromkeys(row.mutant for row in rows))
    return {
        "families": families,
        "rows": [(mutant, [known.get((mutant, family)) for family in families]) for mutant in mutants],
        "tries": max(row.rate.tries for row in rows),
    }


def _buckets(matrix: KillMatrix) -> list[tuple[str, int]] | None:
    """Return the kills of drawing tests by how many inputs they took; None where no test drew any."""
    counts = [t.examples for t in matrix.trials if t.outcome is Outcome.FAILED and t.examples is not None]
    return buckets(counts) if counts else None
