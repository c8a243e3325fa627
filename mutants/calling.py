"""Answers to calls, inside a worker: what the workload's ``calls`` module says about its functions, put to use."""

import hashlib
import importlib
import importlib.util
import json
import sys
from collections.abc import Callable, Iterable, Mapping
from types import ModuleType
from typing import Any

from acidtest.mutants.answers import answer, bare_answer

MISSING = "is missing"
Live = tuple[Callable[..., object], dict[str, Any]]


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


def arguments(calls: ModuleType | None, function: str, args: Mapping[str, Any]) -> dict[str, Any]:
    """Return live arguments of a call by name, fresh each time."""
    return dict(calls.build(function, args)) if calls is not None else dict(args)


class Speaker:
    """The target that is installed now, asked by plain data; functions and error classes are looked up once.

    Args:
        by_place: arguments are given by their places; a stranger may call its parameters otherwise.
    """

    def __init__(self, calls: ModuleType | None, by_place: bool = False) -> None:
        self._calls = calls
        self._by_place = by_place
        self._errors: tuple[type[BaseException], ...] | None = None
        self._subjects: dict[str, Callable[..., object]] = {}

    def say(self, function: str, args: Mapping[str, Any], module: str = "") -> str:
        """Return what ``function`` answers to plain arguments; ``MISSING`` where the target has no such function.

        Args:
            module: where the function is, unless the calls module knows better.
        """
        live = self.prepare(function, args, module)
        return MISSING if live is None else self.answer(*live)

    def prepare(self, function: str, args: Mapping[str, Any], module: str = "") -> Live | None:
        """Return what a call of ``function`` calls, and with what; None where the target has no such function."""
        subject = self.find(function, module)
        return None if subject is None else (subject, arguments(self._calls, function, args))

    def find(self, function: str, module: str = "") -> Callable[..., object] | None:
        """Return what a call of ``function`` calls; None where the target has no such function."""
        try:
            return self.subject(function, module)
        except AttributeError:
            return None

    def answer(self, subject: Callable[..., object], live: dict[str, Any], bare: bool = False) -> str:
        """Return what is answered to live arguments; ``bare`` if that is known to be all that comes of the call."""
        if self._errors is None:
            self._errors = self._calls.contract_errors() if self._calls is not None else ()
        say = bare_answer if bare else answer
        if self._by_place:
            return say(lambda **named: subject(*named.values()), live, self._errors)
        return say(subject, live, self._errors)

    def subject(self, function: str, module: str = "") -> Callable[..., object]:
        """Return what a call of ``function`` calls."""
        if function not in self._subjects:
            known = self._calls.FUNCTIONS if self._calls is not None else {}
            special = getattr(self._calls, "subject", None)
            if function in known and special is not None:
                self._subjects[function] = special(function)
            else:
                found: Any = importlib.import_module(known.get(function, module))
                for part in function.split("."):
                    found = getattr(found, part)
                self._subjects[function] = found
        return self._subjects[function]


def say(calls: ModuleType | None, module: str, function: str, args: Mapping[str, Any]) -> str:
    """Return what ``function`` of the installed target answers to plain arguments."""
    return Speaker(calls).say(function, args, module)


def digest(text: str) -> str:
    """Return a short name for an answer."""
    return hashlib.blake2b(text.encode(), digest_size=8).hexdigest()


def digests(calls: ModuleType, asked: Iterable[Any]) -> list[str]:
    """Return a digest of each answer, in order."""
    speaker = Speaker(calls)
    return [digest(speaker.say(call.function, call.args)) for call in asked]


def domain_digests(calls: ModuleType) -> list[str]:
    """Return a digest of each answer over the bounded domain D, in D's order."""
    return digests(calls, calls.domain())


def battery_digests(calls: ModuleType) -> list[str]:
    """Return a digest of each answer over the battery, where the workload has one, else over D."""
    return digests(calls, getattr(calls, "battery", calls.domain)())


def listed(calls: ModuleType | None, name: str) -> list[str]:
    """Return the calls that the calls module yields under ``name``, one JSON text each; none where it has no such."""
    asked: Iterable[Any] = getattr(calls, name, tuple)()
    return [json.dumps({"function": call.function, "args": dict(call.args)}) for call in asked]


def domain_calls(calls: ModuleType) -> list[dict[str, Any]]:
    """Return D as plain data."""
    return [{"function": call.function, "args": dict(call.args)} for call in calls.domain()]
