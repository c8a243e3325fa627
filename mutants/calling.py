"""Answers to calls, inside a worker: what the workload's ``calls`` module says about its functions, put to use."""

import hashlib
import importlib
import importlib.util
import sys
from collections.abc import Mapping
from types import ModuleType
from typing import Any

from acidtest.mutants.answers import answer


def load_calls(name: str | None) -> ModuleType | None:
    """Return the workload's calls module, named by dots or by the path of its file; None where it has none."""
    if name is None:
        return None
    if not name.endswith(".py"):
        return importlib.import_module(name)
    spec = importlib.util.spec_from_file_location("acidtest_calls", name)
    if spec is None or spec.loader is None:
        raise ImportError(f"{name} cannot be loaded as a module")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def say(calls: ModuleType | None, module: str, function: str, args: Mapping[str, Any]) -> str:
    """Return what ``function`` of the installed target answers to plain arguments.

    Args:
        module: where the function is, unless the calls module knows better.
    """
    home = module
    live = dict(args)
    errors: tuple[type[BaseException], ...] = ()
    if calls is not None:
        home = calls.FUNCTIONS.get(function, module)
        live = calls.build(function, args)
        errors = calls.contract_errors()
    subject: Any = importlib.import_module(home)
    for part in function.split("."):
        subject = getattr(subject, part)
    return answer(subject, live, errors)


def domain_digests(calls: ModuleType) -> list[str]:
    """Return a digest of each answer over the bounded domain D, in D's order."""
    return [
        hashlib.blake2b(say(calls, "", call.function, call.args).encode(), digest_size=8).hexdigest()
        for call in calls.domain()
    ]


def domain_calls(calls: ModuleType) -> list[dict[str, Any]]:
    """Return D as plain data."""
    return [{"function": call.function, "args": dict(call.args)} for call in calls.domain()]
