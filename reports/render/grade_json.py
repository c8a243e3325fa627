"""One judged submission for machines; the schema has a version, and keys are only ever added under it."""

import functools
import importlib.metadata
import platform
from typing import Any

from acidtest.reports.diagnosis import Diagnosis
from acidtest.reports.grading import Assessment

SCHEMA = "acidtest.grade/1"


def grade_document(assessment: Assessment) -> dict[str, Any]:
    """Return the document of one submission."""
    return {
        "schema": SCHEMA,
        "name": assessment.name,
        "sha256": assessment.sha256,
        "standing": str(assessment.standing),
        "exit_code": int(assessment.code),
        "why": assessment.why,
        "seed": assessment.seed,
        "tier": assessment.tier,
        "versions": versions(),
        "scores": {str(scheme): float(share) for scheme, share in assessment.scores.items()},
        "passed": assessment.passed,
        "tests": [
            {
                "id": trial.test,
                "outcome": str(trial.outcome),
                "reason": trial.reason,
                "detail": trial.detail,
                "seconds": round(trial.seconds, 4),
                "examples": trial.examples,
            }
            for trial in assessment.trials
        ],
        "diagnosis": None if assessment.diagnosis is None else _diagnosis(assessment.diagnosis),
        "wrote": assessment.wrote,
        "seconds": {"all": round(assessment.seconds, 3)}
        | {name: round(seconds, 3) for name, seconds in assessment.split.items()},
    }


def versions() -> dict[str, str]:
    """Return the versions that a grade depends on."""
    names = ("acidtest", "hypothesis", "pytest", "numpy")
    return {"python": platform.python_version()} | {name: _version(name) for name in names}


@functools.cache
def _version(name: str) -> str:
    return importlib.metadata.version(name)  # reads files, and a class asks for each learner


def _diagnosis(diagnosis: Diagnosis) -> dict[str, Any]:
    return {
        "verdict": diagnosis.verdict.name.lower(),
        "named": [
            {"mutant": match.mutant, "functions": list(match.functions), "hits": match.hits, "own": match.own}
            for match in diagnosis.matches
        ],
        "asked": diagnosis.asked,
        "answered": diagnosis.answered,
        "wrong": len(diagnosis.wrong),
        "explained": diagnosis.explained,
        "compound": diagnosis.compound,
        "unexplained": len(diagnosis.unexplained),
        "symptoms": [list(symptom) for symptom in diagnosis.symptoms],
        "unfinished": list(diagnosis.unfinished),
        "broken": [list(pair) for pair in diagnosis.broken],
        "forms": [{"function": form.function, "words": form.words, "count": form.count} for form in diagnosis.forms],
        "resembles": [list(pair) for pair in diagnosis.resembles],
    }
