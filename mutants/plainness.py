"""What every property is set to, wherever it runs: it draws by the seed alone, and has neither memory nor clock.

Both the worker and the guest that runs somebody's suite import this, so it needs nothing but Hypothesis and pytest.
"""

from typing import Any

import hypothesis.errors
import hypothesis.internal.conjecture.providers as providers
import pytest
from hypothesis import HealthCheck, Phase, is_hypothesis_test, settings
from hypothesis.internal.constants_ast import Constants

UNDECIDED = (
    hypothesis.errors.Flaky,
    hypothesis.errors.FailedHealthCheck,
    hypothesis.errors.Unsatisfiable,
    hypothesis.errors.StopTest,
)
"""What Hypothesis raises about a property that it could neither hold nor refute."""
PLAIN: dict[str, Any] = {
    "database": None,
    "deadline": None,
    "derandomize": False,
    "print_blob": False,
    "report_multiple_bugs": False,
    "suppress_health_check": list(HealthCheck),
}
"""The settings that are the same for all properties; phases and the number of examples stay each property's own."""


def empty_constants_pool() -> None:
    """Keep Hypothesis from drawing literals that it finds in local modules: they differ by where code is installed.

    Hypothesis has no option for this; where the name moves, this raises, and the tests of equal matrices say why.

    Raises:
        RuntimeError: this version of Hypothesis has no such name.
    """
    if not hasattr(providers, "_get_local_constants"):
        raise RuntimeError("this Hypothesis keeps its pool of local constants elsewhere; pin an older one")
    providers._get_local_constants = Constants


def make_plain(item: pytest.Item, *, shrink: bool = False) -> Any | None:
    """Make a collected property plain, whatever its own settings say, with failing examples made small or not.

    Returns:
        The function whose settings these are; None where ``item`` is a state machine, or no property.
    """
    function: Any = getattr(item, "obj", None)
    if not is_hypothesis_test(function):
        return None
    owner: Any = getattr(function, "__func__", function)
    machine: Any = getattr(item, "cls", None)
    if hasattr(owner, "_hypothesis_internal_use_settings"):
        owner._hypothesis_internal_use_settings = _plain(owner._hypothesis_internal_use_settings, shrink)
        return owner
    if hasattr(machine, "settings"):
        machine.settings = _plain(machine.settings, shrink)
    return None


def _plain(given: settings, shrink: bool) -> settings:
    phases = [phase for phase in given.phases if phase in (Phase.explicit, Phase.generate, Phase.target)]
    return settings(given, phases=[*phases, Phase.shrink] if shrink else phases, **PLAIN)
