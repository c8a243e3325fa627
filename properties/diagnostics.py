"""The fixed calls by which a mistake is recognized: ordinary ones, broken rules, and those frozen in a file.

Any two entries of the catalog, and each entry and the reference, answer at least ten of them differently.
``python -m acidtest.reports.choosing`` chooses the frozen ones anew, and says so where no choice can do that.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from acidtest.properties.battery import battery
from acidtest.properties.call import Call
from acidtest.properties.domain import domain
from acidtest.properties.near_calls import near_calls
from acidtest.properties.ordinary_calls import ordinary_calls
from acidtest.properties.refusals import one_rule_broken

FROZEN = Path(__file__).with_name("diagnostics.jsonl")
LONGEST = 60
"""So many numbers an argument has at most: longer ones say nothing more, and take their time on the wire."""
ASKED = (
    "sample_categorical",
    "rejection_accept",
    "acceptance_probability",
    "residual_distribution",
    "speculative_step",
    "rejection_sample",
)


def diagnostics() -> Iterator[Call]:
    """Yield the fixed calls, smallest first, always in the same order."""
    lines = FROZEN.read_text("utf-8").splitlines()
    return _sorted(
        ordinary_calls(), filter(_may_be_asked, one_rule_broken()), (Call(*json.loads(line)) for line in lines)
    )


def candidates() -> Iterator[Call]:
    """Yield all that the frozen calls are chosen from, smallest first: D, the battery, and calls near rare mistakes.

    Only plain numbers and vectors of them: what a learner's code makes of a complex array or a text tells little about
    the mistakes of a catalog, and such values have a harder time on the way to a stranger's process.
    """
    return _sorted(filter(_may_be_asked, (*domain(), *battery(), *near_calls())))


def _sorted(*sources: Iterable[Call]) -> Iterator[Call]:
    """Yield each call once, smallest first."""
    distinct = {(call.function, call.text): call for source in sources for call in source}
    return iter(sorted(distinct.values(), key=lambda call: call.size))


def _may_be_asked(call: Call) -> bool:
    return call.function in ASKED and all(map(_is_plain, call.args.values()))


def _is_plain(value: Any) -> bool:
    if isinstance(value, list):
        return 0 < len(value) <= LONGEST and all(map(_is_number, value))
    return not isinstance(value, Mapping) and _is_number(value)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
