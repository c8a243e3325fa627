"""Run a test without the ceremony that pytest has for plugins, fixtures and reports, where the test has none of it.

Of such a test pytest's own code is the larger part, and the most of what a forked child has to copy. What remains is
pytest's: its filters of warnings, its look at what was raised in threads and destructors, its call of the function, and
the tearing down of what other tests share. Two things are not there: ``PYTEST_CURRENT_TEST`` says nothing of a phase
before the call, and the root logger has no handler that keeps records, since nobody asks for them.
"""

import functools
import inspect
import time
import unittest
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from _pytest import runner, threadexception, unraisableexception, warnings
from hypothesis import is_hypothesis_test

Phase = tuple[str, BaseException | None, float]
"""What came of a part of a test's run: its outcome, the error if there was one, and seconds."""

_HOOKS = (
    *("protocol", "logstart", "setup", "call", "teardown", "makereport", "logreport", "logfinish"),
    *("pyfunc_call", "exception_interact", "warning_recorded"),
)
_KNOWN = frozenset(
    f"_pytest.{name}"
    for name in (
        *("runner", "unittest", "assertion", "warnings", "logging", "threadexception", "unraisableexception"),
        *("skipping", "capture", "python", "tmpdir", "main"),
    )
) | {"_hypothesis_pytestplugin"}
"""Whose hooks do nothing for a test without marks, fixtures and instance, or what is done here too."""
_MARKS = frozenset({"skip", "skipif", "xfail", "usefixtures", "filterwarnings"})
_STOPS = (pytest.exit.Exception, KeyboardInterrupt)


def can_run(config: pytest.Config, ours: object) -> bool:
    """Return whether this pytest has only plugins of which it is known what they do around a test.

    Args:
        ours: our own plugin.
    """
    hooks = config.pluginmanager.hook
    for name in _HOOKS:
        caller = getattr(hooks, f"pytest_{name}", None) or getattr(hooks, f"pytest_runtest_{name}")
        for implementation in caller.get_hookimpls():
            plugin = implementation.plugin
            home = getattr(plugin, "__name__", None) or type(plugin).__module__
            if plugin is not ours and home not in _KNOWN:
                return False
    collects = all(_takes_one(module) for module in (threadexception, unraisableexception))
    return collects and not any(config.getoption(name, None) for name in ("setuponly", "setupshow", "setupplan"))


def _takes_one(module: Any) -> bool:
    """Return whether a plugin looks at what was raised elsewhere in a plain function of the test, as of pytest 8.4."""
    look = getattr(module, "pytest_runtest_call", None)
    return look is not None and not inspect.isgeneratorfunction(look)


def is_bare(item: pytest.Item) -> bool:
    """Return whether a test has nothing that pytest would do anything about: it is a function, and that is all."""
    if type(item) is not pytest.Function or item.cls is not None or item.fixturenames:
        return False
    if any(mark.name in _MARKS for mark in item.iter_markers()):
        return False
    if not is_hypothesis_test(item.obj) and any("hypothesis" in name for name in vars(item.obj)):
        return False  # a strategy, or settings for no property: the plugin has words for that
    packages = (node for node in item.listchain() if isinstance(node, pytest.Package))
    return not any(_has_setup(package.path) for package in packages)


@functools.cache
def _has_setup(package: Path) -> bool:
    """Return whether a package's ``__init__`` may speak of being set up or torn down."""
    try:
        text = (package / "__init__.py").read_text("utf-8")
    except (OSError, ValueError):
        return True
    return any(word in text for word in ("setup_module", "setUpModule", "teardown_module", "tearDownModule", "*"))


def run(item: pytest.Function, following: pytest.Item | None, call: Callable[[], object]) -> list[Phase]:
    """Run a bare test by ``call``, and return its phases: the call's, and the end's where that fails.

    Raises:
        BaseException: what stops pytest, such as ``KeyboardInterrupt``.
    """
    phases: list[Phase] = []
    filtered: Any = warnings.catch_warnings_for_item
    with filtered(item.config, item.ihook, "runtest", item):
        runner._update_current_test_var(item, "call")
        for step in (lambda: _called(item, call), lambda: _torn_down(item, following)):
            begun = time.perf_counter()
            error: BaseException | None = None
            try:
                step()  # type: ignore[no-untyped-call]
            except _STOPS:
                raise
            except BaseException as raised:
                error = raised
            phases.append((_outcome(error), error, time.perf_counter() - begun))
    return phases


def _called(item: pytest.Function, call: Callable[[], object]) -> None:
    call()
    threadexception.pytest_runtest_call(item)
    unraisableexception.pytest_runtest_call(item)


def _torn_down(item: pytest.Function, following: pytest.Item | None) -> None:
    runner.pytest_runtest_teardown(item, following)
    threadexception.pytest_runtest_teardown(item)
    unraisableexception.pytest_runtest_teardown(item)


def _outcome(error: BaseException | None) -> str:
    if error is None or isinstance(error, pytest.xfail.Exception):
        return "passed"
    return "skipped" if isinstance(error, pytest.skip.Exception | unittest.SkipTest) else "failed"
