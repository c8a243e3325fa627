"""The measures of a suite for machines: one JSON document with the version of its schema."""

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from enum import Enum
from fractions import Fraction
from typing import Any

from acidtest.reports.advice import advice
from acidtest.reports.strength import Strength

SCHEMA = "acidtest.strength/1"
_LEFT_OUT = ("tests", "kills", "pool")


def strength_document(strength: Strength, workload: str, suite: str, seed: int) -> str:
    """Return the document; keys are only ever added while the schema keeps its number.

    A share is an object with numerator, denominator and value; a number that is infinite is the text ``inf``.
    """
    document = {
        "schema": SCHEMA,
        "workload": workload,
        "suite": suite,
        "seed": seed,
        "tests": list(strength.kills.tests),
        "mutants": {mutant: sorted(killers) for mutant, killers in strength.kills.killers.items()},
        "unjudged": {mutant: status.value for mutant, status in strength.kills.unjudged.items()},
        "pool": list(strength.pool.tests),
        **{
            field.name: _plain(getattr(strength, field.name))
            for field in fields(strength)
            if field.name not in _LEFT_OUT
        },
        "advice": [_plain(item) for item in advice(strength)],
    }
    return json.dumps(document, indent=1) + "\n"


def _plain(value: object) -> Any:
    if isinstance(value, Fraction):
        return {"numerator": value.numerator, "denominator": value.denominator, "value": float(value)}
    if isinstance(value, Enum):
        return value.value
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: _plain(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, frozenset | set):
        return sorted(_plain(item) for item in value)
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [_plain(item) for item in value]
    return str(value) if isinstance(value, float) and not math.isfinite(value) else value
