"""`acidtest doctor`: which sandbox this machine can build, and whether it holds."""

import json
import sys
from typing import TYPE_CHECKING

from acidtest.reports.context import say
from acidtest.reports.exits import ExitCode

if TYPE_CHECKING:
    from acidtest.mutants.sandbox.doctor import Examination

_SHOWN = 5
_WAYS = (
    "no isolation, only limits",
    "bubblewrap: a root and namespaces of its own, filtered system calls, limits",
    "Landlock: no namespaces; another user where root grades, filtered system calls, limits",
)


class NoSandboxError(Exception):
    """No sandbox can be built here; one line with the reasons."""


def doctor(tier: int | None, as_json: bool) -> ExitCode:
    """Probe a tier and print what held.

    Raises:
        NoSandboxError: the tier, or any, cannot be built.
    """
    if sys.platform != "linux":
        raise NoSandboxError(f"no sandbox can be built on {sys.platform}: its walls are Linux's")
    from acidtest.mutants.sandbox.doctor import examine  # needs Linux; the other commands do not
    from acidtest.mutants.sandbox.launcher import LaunchError, NoTierError, Tier

    try:
        examination = examine(None if tier is None else Tier(tier))
    except NoTierError as error:
        raise NoSandboxError(str(error)) from error
    except LaunchError as error:
        raise NoSandboxError(f"tier {tier} cannot be built on this machine: {error}") from error
    say(_for_machines(examination) if as_json else _for_people(examination))
    return ExitCode.KEPT if examination.held else ExitCode.NO_VERDICT


def _for_people(examination: "Examination") -> str:
    from acidtest.mutants.sandbox.doctor import SUBJECTS

    lines = [f"tier {examination.tier.value}  {_WAYS[examination.tier]}"]
    lines += [f"refused {tier.value}: {reason}" for tier, reason in examination.refused.items()]
    lines.append("")
    for probe in examination.probes:
        ways = f"{probe.tried} {'way' if probe.tried == 1 else 'ways'}"
        lines.append(f"{'held' if probe.held else 'FAILED':<7} {SUBJECTS[probe.name]:<42} {ways:>9}")
        lines += [f"          {what}" for what in probe.managed[:_SHOWN]]
        if len(probe.managed) > _SHOWN:
            lines.append(f"          and {len(probe.managed) - _SHOWN} more")
    held = sum(probe.held for probe in examination.probes)
    lines += ["", f"{held} of {len(examination.probes)} probes held"]
    return "\n".join(lines) + "\n"


def _for_machines(examination: "Examination") -> str:
    document = {
        "tier": examination.tier.value,
        "name": examination.tier.name.lower(),
        "refused": {str(tier.value): reason for tier, reason in examination.refused.items()},
        "held": examination.held,
        "probes": [
            {"name": probe.name, "held": probe.held, "tried": probe.tried, "managed": list(probe.managed)}
            for probe in examination.probes
        ],
    }
    return json.dumps(document, indent=2) + "\n"
