"""pytest and Hypothesis as a suite meets them: ready without its files, quiet, and the same at every showing."""

import importlib
import types
import unittest
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

from acidtest.mutants.plainness import PLAIN, UNDECIDED, empty_constants_pool
from acidtest.mutants.sandbox.faults import Fault

_SETTINGS = str(Path(__file__).with_name("suite.ini"))
"""An empty file beside this one, put there for the guest: nobody else's settings are read."""
_ARGUMENTS = ("-q", "-s", "--tb=no", "--assert=plain", "--noconftest", "-c", _SETTINGS, "--rootdir=/")
_WITHOUT = ("cacheprovider", "faulthandler", "logging", "pastebin", "stepwise", "junitxml", "doctest", "debugging")
"""What would write, or is of no use: ``logging`` opens a file wherever it is."""


def arguments() -> list[str]:
    """Return pytest's arguments."""
    return [*_ARGUMENTS, *(word for name in _WITHOUT for word in ("-p", f"no:{name}"))]


def be_plain() -> None:
    """Let properties draw by their seed alone: no pool of literals, no database, no clock."""
    empty_constants_pool()
    settings.register_profile("shown", **PLAIN)
    settings.load_profile("shown")


class Stage:
    """The plugin: pytest is ready where it would collect, and somebody else takes over.

    Args:
        serve: who does.

    Attributes:
        outcomes, errors: of the test that runs now, a phase each.
    """

    def __init__(self, serve: "Callable[[pytest.Session, Stage], None]") -> None:
        self._serve = serve
        self.outcomes: list[str] = []
        self.errors: list[BaseException] = []

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection(self, session: pytest.Session) -> bool:
        session.config.pluginmanager.unregister(name="terminalreporter")
        self._serve(session, self)
        return True

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_makereport(self, item: pytest.Item, call: pytest.CallInfo[None]) -> pytest.TestReport:
        if kept := getattr(item, "_excinfo", None):  # where a unittest.TestCase keeps what it raised
            call.excinfo = kept.pop(0)
            kept.clear()
        error = call.excinfo.value if call.excinfo is not None else None
        outcome: Any = "passed"
        words: Any = None
        when: Any = call.when
        if isinstance(error, pytest.skip.Exception | unittest.SkipTest):
            outcome, words = "skipped", ("", 0, str(error))
        elif error is not None:
            outcome, words = "failed", type(error).__name__
            self.errors.append(error)
        start, stop = call.start, call.stop
        return pytest.TestReport(item.nodeid, item.location, {}, outcome, words, when, (), call.duration, start, stop)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        passed = hasattr(report, "wasxfail") and report.outcome == "skipped"
        self.outcomes.append("passed" if passed else report.outcome)

    def verdict(self) -> tuple[str, str]:
        """Return what became of the test that ran last, and why."""
        error = self.errors[0] if self.errors else None
        if "failed" not in self.outcomes:
            return ("skipped", "") if "skipped" in self.outcomes else ("passed", "")
        if isinstance(error, Fault):
            return error.outcome, error.reason
        if isinstance(error, UNDECIDED):
            return "undecided", type(error).__name__
        if isinstance(error, MemoryError):
            return "crashed", "MemoryError"
        return "failed", _reason(error)


class SuiteModule(pytest.Module):
    """A test module that lies in no file."""

    def _getobj(self) -> types.ModuleType:
        return importlib.import_module(self.path.name.removesuffix(".py"))


def unit_of(item: pytest.Item, module: str) -> str:
    """Return the name of the test function that an item is of, with its module and classes."""
    names = [node.name for node in item.listchain() if isinstance(node, pytest.Class)]
    return "::".join([module, *names, getattr(item, "originalname", None) or item.name])


def _reason(error: BaseException | None) -> str:
    if error is None or isinstance(error, AssertionError | pytest.fail.Exception):
        return "assertion"
    return type(error).__name__
