"""The workload's own tests as a suite that somebody hands in: a folder, with the helpers under the name they import."""

import shutil
from pathlib import Path

PROPERTIES = Path(__file__).resolve().parents[2] / "properties"
CRITICAL = '''
"""Critical values without scipy, which no guest has: from the distributions' own sums."""

import math

FOUR_STANDARD_ERRORS = math.erfc(4 / math.sqrt(2))


def chi_square_limit(false_alarms, freedom):
    """Return where the chi-square distribution's upper tail is ``false_alarms``, by bisection."""
    low, high = 0.0, 1000.0
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if _tail(middle, freedom) > false_alarms else (low, middle)
    return low


def _tail(x, freedom):
    """The recurrence of the upper incomplete gamma function, from its value at one half or at one."""
    half, step = x / 2, freedom % 2 / 2 or 1.0
    tail = math.erfc(math.sqrt(half)) if freedom % 2 else math.exp(-half)
    while step < freedom / 2:
        tail += half**step * math.exp(-half) / math.gamma(step + 1)
        step += 1
    return tail


def binomial_limits(false_alarms, trials, success):
    """Return the range that the successes leave at most at this rate, half of it on each side."""
    return _limits(false_alarms, lambda k: math.comb(trials, k) * success**k * (1 - success) ** (trials - k))


def failures_limits(false_alarms, successes, success):
    """Return the range that the failures before the last success leave at most at this rate."""

    def mass(k):
        ways = math.lgamma(k + successes) - math.lgamma(k + 1) - math.lgamma(successes)
        return math.exp(ways + successes * math.log(success) + k * math.log1p(-success)) if success < 1 else k == 0

    return _limits(false_alarms, mass)


def _limits(false_alarms, mass):
    total, count, found = 0.0, 0, []
    for share in (false_alarms / 2, 1 - false_alarms / 2):
        while total + mass(count) < share:
            total += mass(count)
            count += 1
        found.append(count)
    return tuple(found)
'''


def write_own_suite(folder: Path, tests: tuple[str, ...] = ()) -> Path:
    """Copy the tests, or those modules of them that are named, and their helpers into ``folder``, and return it."""
    helpers = folder / "acidtest" / "properties"
    helpers.mkdir(parents=True)
    for path in PROPERTIES.glob("*.py"):
        if path.stem == "conftest" or (path.stem.startswith("test_") and (not tests or path.stem in tests)):
            shutil.copy(path, folder)
        elif not path.stem.startswith("test_"):
            shutil.copy(path, helpers)
    (helpers / "critical.py").write_text(CRITICAL, encoding="utf-8")
    return folder
