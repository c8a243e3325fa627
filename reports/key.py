"""Which runs are the same run: a hash over everything that determines a trial's result."""

import hashlib
import json
from collections.abc import Iterable, Mapping
from typing import Any

from acidtest.mutants.model import Variant


def run_key(
    texts: Mapping[str, str], variants: Iterable[Variant], versions: Mapping[str, str], options: Mapping[str, Any]
) -> str:
    """Return the key under which an interrupted run goes on.

    Args:
        texts: every file that the run reads, by name: the target's source, the tests, what they import.
        variants: what is tried; each counts with its module, source and anchors.
        versions: of Python and of each package that takes part.
        options: seed, mode, pruning, limits and whatever else changes a result; JSON data.
            The number of jobs does not belong here: it changes no result.
    """
    fingerprints = sorted((variant.id, variant.module, _digest(variant.source)) for variant in variants)
    parts = {
        "texts": {name: _digest(text) for name, text in texts.items()},
        "variants": fingerprints,
        "versions": dict(versions),
        "options": dict(options),
    }
    return _digest(json.dumps(parts, sort_keys=True))


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
