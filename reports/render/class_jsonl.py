"""A class for machines: one JSON document a line, one line a learner.

`reports/schema/result.json` describes a line. The schema has a version; keys are only ever added under it.
"""

import json
from collections.abc import Iterator
from typing import Any

from acidtest.reports.class_summary import ClassSummary, Meta, Row
from acidtest.reports.render.fields import line
from acidtest.reports.render.grade_json import grade_document
from acidtest.reports.render.html.clean import cleaned

SCHEMA = "acidtest.result/1"


def results_jsonl(summary: ClassSummary) -> Iterator[str]:
    """Yield the lines, by id, each with its end."""
    for row in summary.rows:
        yield json.dumps(result_document(row, summary.meta), separators=(",", ":"), allow_nan=False) + "\n"


def result_document(row: Row, meta: Meta) -> dict[str, Any]:
    """Return one learner's document: the same for the same class however it was graded, but for the ``seconds``."""
    assessment = row.assessment
    return {
        "schema": SCHEMA,
        "id": line(row.id, None),
        "name": line(row.name, None),
        "place": line(row.place, None),
        "standing": "missing" if assessment is None else str(assessment.standing),
        "score": None if row.score is None else {"share": float(row.score), "exact": str(row.score)},
        "scheme": str(meta.scheme),
        "salt": line(meta.salt, None),
        "key": meta.key,
        "rostered": row.rostered,
        "attempts": row.attempts,
        "retried": row.retried,
        "fault": line(row.fault),
        "grade": None if assessment is None else cleaned(grade_document(assessment)),
    }
