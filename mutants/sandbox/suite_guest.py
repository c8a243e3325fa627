"""The guest that runs a learner's suite: pytest stands ready in the zygote, each fork imports the suite, runs a test.

What the suite calls is asked over the wire of an implementation that lies outside. A fork is told which test to run and
a seed, and nothing about what answers. What it says of the outcome may be forged by the suite, whose process it is: the
other end holds it against the answers that it gave.
"""

import contextlib
import importlib
import importlib.util
import os
import random
import socket
import sys
import types
import zlib
from collections.abc import Iterable, Iterator, Sequence
from json import dumps
from pathlib import Path
from typing import Any, NoReturn, Protocol

import hypothesis.core
import numpy as np
import pytest

from acidtest.mutants.plainness import make_plain
from acidtest.mutants.sandbox.conversation import Conversation
from acidtest.mutants.sandbox.guest import Walls, Zygote
from acidtest.mutants.sandbox.proxy import Proxies
from acidtest.mutants.sandbox.strangers import Remote
from acidtest.mutants.sandbox.subject import CHAPTER, Subject
from acidtest.mutants.sandbox.suite_pytest import Stage, SuiteModule, arguments, be_plain, unit_of
from acidtest.mutants.sandbox.wire import Caps, Line

_FOR_EVER = 1e6
_LONGEST = 300


def main(control: socket.socket, walls: Walls) -> None:
    """Be the zygote."""
    stand_in(CHAPTER)
    proxies = Proxies(CHAPTER)
    proxies.install()
    be_plain()
    pytest.main(arguments(), plugins=[Stage(SuiteZygote(control, walls, proxies).serve)])


def stand_in(subject: Subject) -> None:
    """Put empty modules where the implementation would be; what is in them is asked for over the wire."""
    for name in subject.packages():
        package = types.ModuleType(name)
        package.__path__ = []
        _place(name, package)
    for name in subject.beside:
        _place(name, types.ModuleType(name, "Answers for the implementation that is tested."))
    setattr(sys.modules["tinyllm.prob.uniforms"], "UniformSource", UniformSource)  # noqa: B010 - an empty module


def _place(name: str, module: types.ModuleType) -> None:
    sys.modules[name] = module
    parent, _, own = name.rpartition(".")
    if parent:
        setattr(sys.modules[parent], own, module)


class UniformSource(Protocol):
    """Anything with ``random()``."""

    def random(self) -> float:
        """Return a uniform on [0, 1)."""


class SuiteZygote(Zygote):
    """Holds the suite's code and runs none of it.

    Args:
        proxies: what the suite calls, connected in each fork.
    """

    def __init__(self, control: socket.socket, walls: Walls, proxies: Proxies) -> None:
        super().__init__(control, walls)
        self._proxies = proxies

    def serve(self, session: pytest.Session, stage: Stage) -> None:
        """Do what is ordered until the line is closed; ``_spec`` has the names of the test modules."""
        self._session, self._stage = session, stage
        self.run()

    def _be_fork(self, order: Any, descriptor: int) -> NoReturn:
        try:
            self._control.close()
            with contextlib.suppress(OSError):
                os.setpgid(0, 0)
            unit, seed = order
            end = socket.socket(fileno=descriptor)
            conversation = SuiteConversation(end)
            there = conversation.hello()
            conversation.wait_for_ever()
            if isinstance(there, str):
                os._exit(71)
            self._proxies.connect(conversation, there, frozenset(CHAPTER.beside))
            self._walls.enter_fork()
            Show(self._session, self._stage, conversation, Line(end, Caps()), seed).run(self._spec, unit)
            os._exit(0)
        finally:
            os._exit(70)


class SuiteConversation(Conversation):
    """The suite's end: it has time, and hands objects that live at the other end back as what they are there."""

    def __init__(self, end: socket.socket) -> None:
        super().__init__(end, _FOR_EVER, 2 * _FOR_EVER, lambda: "is gone")
        self._handles.ahead = 0  # the other end asks for every number

    def wait_for_ever(self) -> None:
        """Set no socket's patience any more: behind the walls nobody can."""
        setattr(self._line, "patience", lambda _: None)  # noqa: B010 - a method

    def call_each(self, function: int, calls: Iterable[Sequence[Any]]) -> list[Any]:
        """Return each call's answer; the other end takes one call at a time."""
        return [self.call(function, args, {}) for args in calls]

    def call_ahead(self, function: int, calls: Iterable[Sequence[Any]]) -> None:
        """Return None: here, too."""

    def _write_stranger(self, value: object) -> str:
        if isinstance(value, Remote):
            return f'["H",{-1 - value._number}]'
        return super()._write_stranger(value)


class Show:
    """One fork's work.

    Args:
        line: where outcomes are told, by the same socket as the calls.
        seed: of Hypothesis, and of the global generators before each test.
    """

    def __init__(
        self, session: pytest.Session, stage: Stage, conversation: Conversation, line: Line, seed: int
    ) -> None:
        self._session = session
        self._stage = stage
        self._conversation = conversation
        self._line = line
        self._seed = seed

    def run(self, modules: Iterable[str], unit: str | None) -> None:
        """Say which units there are, or run one: a test function with all its parameters, up to its first failure."""
        _seed(self._seed, "import")
        setattr(hypothesis.core, "global_force_seed", self._seed)  # noqa: B010 - it has no type
        try:
            units: dict[str, list[pytest.Item]] = {}
            held = unit.partition("::")[0] if unit is not None else None
            for name in [name for name in modules if held in (None, name)]:
                for item in self._collect(name):
                    units.setdefault(unit_of(item, name), []).append(item)
        except BaseException as error:  # whatever an import raises, SystemExit too
            self._tell("broken", f"{type(error).__name__}: {_text(error)}")
            return
        if unit is None:
            self._tell("units", [[name, len(items)] for name, items in units.items()])
            return
        for item in units.get(unit, ()):
            outcome, reason = self._run(item)
            self._tell("item", item.name, outcome, reason)
            if outcome not in ("passed", "skipped"):
                break
        self._tell("done")

    def _tell(self, *words: object) -> None:
        self._line.send(dumps(["+", *words]))
        self._line.receive()

    def _collect(self, name: str) -> Iterator[pytest.Item]:
        self._register("conftest")
        self._register(f"{name.rpartition('.')[0]}.conftest")
        module = importlib.import_module(name)
        node = SuiteModule.from_parent(self._session, path=Path("/suite", f"{name}.py"))
        node.obj = module
        for item in self._session.genitems(node):
            make_plain(item)
            yield item

    def _register(self, name: str) -> None:
        """Give pytest the hooks and fixtures of a conftest module, once."""
        manager = self._session.config.pluginmanager
        if not manager.has_plugin(name) and not name.startswith(".") and _is_there(name):
            manager.register(importlib.import_module(name), name)

    def _run(self, item: pytest.Item) -> tuple[str, str]:
        _seed(self._seed, item.name)
        self._stage.outcomes, self._stage.errors = [], []
        item.ihook.pytest_runtest_protocol(item=item, nextitem=None)
        fault = self._conversation.fault
        return (fault.outcome, fault.reason) if fault is not None else self._stage.verdict()


def _is_there(name: str) -> bool:
    try:
        return importlib.util.find_spec(name) is not None
    except ImportError:
        return False


def _seed(seed: int, about: str) -> None:
    number = zlib.crc32(f"{seed}:{about}".encode("utf-8", "replace"))
    random.seed(number)
    np.random.seed(number)


def _text(error: BaseException) -> str:
    try:
        return " ".join(str(error).split())[:_LONGEST]
    except Exception:  # its own __str__ fails: the class must do
        return ""
