"""A pytest plugin that mutmut is given in its staged copy: it writes down what became of each test on each mutant.

mutmut keeps one exit code a mutant; a difference cannot be explained from that. Copied there by its text, so it
imports nothing of ours.
"""

import json
import os
import time
from collections.abc import Generator
from pathlib import Path

import pytest


class Reporter:
    """Appends a line when a test begins and one when it has ended, each with the name of the active mutant."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._begun = 0.0

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logstart(self, nodeid: str) -> None:
        self._begun = time.perf_counter()
        self._write({"test": nodeid, "begun": True})

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: "pytest.CallInfo[None]"
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        report = yield
        error = call.excinfo.value if call.excinfo is not None else None
        if report.failed:
            text = " ".join(str(error).split())[:300]
            self._end(item.nodeid, "failed", type(error).__name__, text)
        elif call.when == "teardown":
            self._end(item.nodeid, "passed", "", "")
        return report

    def _end(self, test: str, outcome: str, error: str, text: str) -> None:
        seconds = time.perf_counter() - self._begun
        self._write({"test": test, "outcome": outcome, "error": error, "text": text, "seconds": seconds})

    def _write(self, record: dict[str, object]) -> None:
        mutant = os.environ.get("MUTANT_UNDER_TEST", "")
        if "__mutmut_" in mutant:
            line = json.dumps({"mutant": mutant, **record}) + "\n"
            file = os.open(self._path, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
            try:
                os.write(file, line.encode())
            finally:
                os.close(file)


def pytest_configure(config: pytest.Config) -> None:
    """Report to a file beside mutmut's folder, in which this plugin lies."""
    config.pluginmanager.register(Reporter(str(Path(__file__).resolve().parents[1] / "tests.jsonl")))
