"""A judged run for machines: one JSON document with the version of its schema."""

import json
from fractions import Fraction
from typing import Any

from acidtest.reports.codec import encode
from acidtest.reports.judge import Scores, Verdict
from acidtest.reports.machine_made import MachineMade
from acidtest.reports.summary import Summary

SCHEMA = "acidtest.run/1"


def run_document(summary: Summary) -> str:
    """Return the document; keys are only ever added while the schema keeps its number."""
    run, counted = summary.run, summary.scores
    document = {
        "schema": SCHEMA,
        "workload": summary.workload,
        "suite": summary.suite,
        "seed": run.seed,
        "mode": run.mode,
        "jobs": run.jobs,
        "versions": dict(run.versions),
        "exit_code": int(summary.code),
        "contract": summary.contract,
        "promises": {"kept": summary.kept, "of": len(summary.verdicts)} if summary.contract else None,
        "scores": _scores(counted),
        "problems": list(run.problems),
        "controls": encode(run.controls),
        "baseline": {
            "seconds": run.baseline.seconds,
            "tests": encode(run.baseline.tests),
            "failures": encode(run.baseline.failures),
        },
        "mutants": [_mutant(verdict) for verdict in summary.verdicts],
        "generated": _generated(summary.generated) if summary.generated is not None else None,
        "trials": encode(run.matrix.trials),
        "seconds": {"all": run.seconds, "mutants": run.lab_seconds, "tests": run.test_seconds},
        "resumed": run.resumed,
    }
    return json.dumps(document, indent=1) + "\n"


def _scores(counted: Scores) -> dict[str, Any]:
    return {
        "strict": _score(counted.strict),
        "stryker": _score(counted.stryker),
        "reason": counted.reason,
        "counts": {status.value: number for status, number in counted.counts.items()},
    }


def _generated(made: MachineMade) -> dict[str, Any]:
    return {
        "scores": _scores(made.scores) | {"raw": _score(made.raw), "without_messages": _score(made.without_messages)},
        "certified": [
            {"id": identifier, "reason": certificate.reason, "message": certificate.message}
            for identifier, certificate in made.certified.items()
        ],
        "stale_certificates": made.stale,
        "mutants": [
            {
                "id": one.variant.id,
                "title": one.variant.title,
                "module": one.variant.module,
                "function": one.function,
                "span": list(one.variant.span or ()),
                "diff": one.variant.diff,
                "status": one.status.value,
                "killers": list(one.killers),
            }
            for one in made.tried
        ],
    }


def _mutant(verdict: Verdict) -> dict[str, Any]:
    mutant = verdict.mutant
    return {
        "id": mutant.id,
        "title": mutant.title,
        "module": mutant.module,
        "function": mutant.function,
        "pitfall": mutant.pitfall,
        "origin": mutant.origin,
        "expect": mutant.expect,
        "status": verdict.status.value,
        "grade": verdict.grade.value,
        "kept": verdict.kept,
        "named": list(mutant.killers),
        "killers": list(verdict.killers),
        "silent": list(verdict.silent),
        "absent": list(verdict.absent),
    }


def _score(score: Fraction | None) -> dict[str, Any] | None:
    if score is None:
        return None
    return {"numerator": score.numerator, "denominator": score.denominator, "value": float(score)}
