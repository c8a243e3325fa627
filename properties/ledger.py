"""What the sampled tests of this room promise: how many draws, at which false-alarm rate, from which pair.

From these numbers follows what such a test can see at all. A test of this room holds them against the tests
themselves, call by call.
"""

import json
from dataclasses import dataclass

from acidtest.properties.laws import DISCRETE, step_law


@dataclass(frozen=True)
class Entry:
    """A chi-square test of the id that ``speculative_step`` puts out."""

    draws: int
    false_alarms: float
    p: tuple[float, ...]
    q: tuple[float, ...]


LEDGER: dict[str, Entry] = {
    "test_speculative_chi_square": Entry(20000, 0.001, (0.31, 0.07, 0.23, 0.29, 0.10), (0.21, 0.20, 0.16, 0.24, 0.19)),
}


def promises() -> str:
    """Return the entries as JSON: by test name, draws, false_alarms and the expected law."""
    return json.dumps({name: [entry.draws, entry.false_alarms, list(entry.p)] for name, entry in LEDGER.items()})


def law(test: str) -> str:
    """Return the exact law, as JSON floats, that the test samples where the target is what is installed now.

    Raises:
        UndecidedError: the implementation's answers form no rectangles. Exception: whatever it raises itself.
    """
    from tinyllm.prob import rejection  # when asked: a variant may have been installed

    entry = LEDGER[test]
    found = step_law(rejection.speculative_step, entry.p, entry.q, DISCRETE).image(lambda outcome: outcome[0])
    return json.dumps([float(found[index]) for index in range(len(entry.p))])
