"""Graded suites for machines; the schema has a version, and keys are only ever added under it."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from acidtest.reports.render.grade_json import versions
from acidtest.reports.suite_grading import SuiteAssessment, UnitReport

SCHEMA = "acidtest.suite/1"


def suite_document(assessments: Sequence[SuiteAssessment], staff: bool) -> dict[str, Any]:
    """Return the document of one suite or several.

    Args:
        staff: whether mutants and right implementations are named; where not, they are counted.
    """
    return {
        "schema": SCHEMA,
        "versions": versions(),
        "suites": [_suite(assessment, staff) for assessment in assessments],
    }


def _suite(assessment: SuiteAssessment, staff: bool) -> dict[str, Any]:
    return {
        "name": assessment.name,
        "sha256": assessment.sha256,
        "standing": str(assessment.standing),
        "exit_code": int(assessment.code),
        "why": assessment.why,
        "tier": assessment.tier,
        "validity": _share(assessment.validity),
        "thoroughness": _share(assessment.thoroughness),
        "dominators": {"all": len(assessment.dominators), "seen": assessment.seen},
        "pitfalls": {
            "all": len(assessment.pitfalls),
            "seen": sum(assessment.pitfalls.values()),
            **({"missed": [pitfall for pitfall, seen in assessment.pitfalls.items() if not seen]} if staff else {}),
        },
        "killed": _names(assessment.killed, staff),
        "missed": _names(assessment.missed, staff),
        "tests": [_unit(unit, staff) for unit in assessment.units],
        "showings": assessment.shown,
        "left": assessment.left,
        "seconds": round(assessment.seconds, 3),
    }


def _unit(unit: UnitReport, staff: bool) -> dict[str, Any]:
    lists = {"kills": unit.kills, "flaky": unit.flaky, "blind": unit.blind, "stopped": unit.stopped}
    return {
        "name": unit.name,
        "items": unit.items,
        "validity": str(unit.validity),
        "reason": unit.reason,
        "call": unit.call,
        **{name: _names(mutants, staff) for name, mutants in lists.items()},
        **({"rejected": list(unit.rejected)} if staff else {}),
    }


def _names(names: Sequence[str], staff: bool) -> list[str] | int:
    return list(names) if staff else len(names)


def _share(share: Fraction | None) -> float | None:
    return None if share is None else float(share)
