"""pytest inside a worker: collects once, runs any test on demand, keeps the exception and not the traceback."""

import random
import re
import sys
import unittest
import zlib
from collections.abc import Callable, Generator, Sequence
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import Phase, is_hypothesis_test, settings

from acidtest.mutants import directly
from acidtest.mutants.channel import Record
from acidtest.mutants.plainness import UNDECIDED, empty_constants_pool, make_plain
from acidtest.mutants.replay import Examples, takes_only_examples

if TYPE_CHECKING:
    from acidtest.mutants.repeats import Repeats

_KINDS = ("unit", "boundary", "property", "statistical")
_WITHOUT = (
    "cacheprovider",
    "faulthandler",
    "xdist",
    "randomly",
    "random_order",
    "pytest_cov",
    "rerunfailures",
    "timeout",
)
_QUIETLY = ("-q", "-s", "--tb=no", "--assert=plain", "-o", "addopts=")
_LOOKED_AT = 300
_ADDRESS = re.compile(r" at 0x[0-9a-f]+\b")
"""Where an object lies is another place each time, and says nothing to people."""


class Session:
    """The plugin. ``loop`` gets control where pytest would run its tests, with ``items`` collected.

    Args:
        seed: of Hypothesis, and of ``random`` and ``numpy.random`` before each test.
        loop: what to do with the collected tests.
        shrink: make failing examples small, for a person to read.
        switch: called with a context's name when a phase of a test begins, for the record of executed lines.

    Attributes:
        replay: call properties on examples that are known. directly: call tests without most of pytest.
        ran_directly: the last test was called so.
    """

    def __init__(
        self,
        seed: int,
        loop: Callable[["Session"], None],
        *,
        shrink: bool = False,
        switch: Callable[[str], None] | None = None,
    ) -> None:
        self.seed = seed
        self.items: dict[str, pytest.Item] = {}
        self.collection_errors: dict[str, str] = {}
        self._loop = loop
        self._shrink = shrink
        self.switch = switch
        self.examples = Examples(switch)
        self.replay = False
        self._repeats: Repeats | None = None
        self.directly = self.ran_directly = False
        self._bare: set[str] = set()
        self._phases: list[directly.Phase] = []

    def main(self, arguments: Sequence[str]) -> None:
        """Run pytest with this plugin over what ``arguments`` name; ``loop`` has returned when this does."""
        empty_constants_pool()
        arguments = [*arguments, *_QUIETLY, f"--hypothesis-seed={self.seed}"]
        for plugin in _WITHOUT:
            arguments += ["-p", f"no:{plugin}"]
        pytest.main(arguments, plugins=[self])

    @property
    def repeats(self) -> "Repeats":
        """The calls that are known of each test: none, until the baseline has recorded them."""
        if self._repeats is None:
            from acidtest.mutants.repeats import Repeats  # a tenth of a second, and a grader has no use for it

            self._repeats = Repeats(())
        return self._repeats

    @repeats.setter
    def repeats(self, repeats: "Repeats") -> None:
        self._repeats = repeats

    # --- what pytest calls -------------------------------------------------------------------------------------

    def pytest_configure(self, config: pytest.Config) -> None:
        config.addinivalue_line("markers", "timeout: pytest-timeout's, which is off here: the lab has its own clock")

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            lines = [line for line in str(report.longrepr).strip().splitlines() if line.strip()]
            self.collection_errors[report.nodeid] = lines[-1].strip() if lines else "cannot be collected"

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        for item in items:
            if not is_hypothesis_test(getattr(item, "obj", None)):
                continue
            owner = make_plain(item, shrink=self._shrink)
            if owner is not None:
                self.examples.watch(owner)
            if not takes_only_examples(item):
                self.examples.refuse(item.nodeid)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        # with a terminal to tell it to, Hypothesis turns every failing example into a patch, a second or more each
        session.config.pluginmanager.unregister(name="terminalreporter")
        self.items = {item.nodeid: item for item in session.items}
        for item in session.items:
            item.location  # noqa: B018 - a line looked up once, here, and not in every child
        if directly.can_run(session.config, self):
            self._bare = {item.nodeid for item in session.items if directly.is_bare(item)}
        self._loop(self)
        return True

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_makereport(self, item: pytest.Item, call: pytest.CallInfo[None]) -> pytest.TestReport:
        if kept := getattr(item, "_excinfo", None):  # where a unittest.TestCase keeps what it raised
            call.excinfo = kept.pop(0)
            kept.clear()
        error = call.excinfo.value if call.excinfo is not None else None
        outcome: Any = "passed"
        longrepr: Any = None
        when: Any = call.when
        if isinstance(error, pytest.skip.Exception | unittest.SkipTest):
            outcome, longrepr = "skipped", (str(item.path), 0, str(error))
        elif error is not None:
            outcome, longrepr = "failed", type(error).__name__
        return pytest.TestReport(
            item.nodeid, item.location, {}, outcome, longrepr, when, (), call.duration, call.start, call.stop
        )

    @pytest.hookimpl(tryfirst=True)
    def pytest_pyfunc_call(self, pyfuncitem: pytest.Function) -> bool | None:
        return True if self.replay and self.examples.replay(pyfuncitem) else None

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:
        self._phases = []
        return (yield)

    def pytest_exception_interact(self, call: pytest.CallInfo[None], report: pytest.TestReport) -> None:
        if isinstance(report, pytest.TestReport) and call.excinfo is not None:
            self._phases.append((report.outcome, call.excinfo.value, 0.0))

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        outcome = "passed" if hasattr(report, "wasxfail") and report.outcome == "skipped" else report.outcome
        self._phases.append((outcome, None, report.duration))

    # --- what the worker calls ---------------------------------------------------------------------------------

    def describe(self) -> list[Record]:
        """Return each collected test as ``model.Test``'s fields."""
        return [_described(item) for item in self.items.values()]

    def run(self, test: str, following: str | None) -> Record:
        """Run one test and return its trial; ``following`` lets shared fixtures live on."""
        item = self.items[test]
        _seed_everything(f"{self.seed}:{test}")
        self.examples.begin(test)
        if self.switch is not None:
            self.switch(f"{'draw' if self.examples.watches(item) else 'test'}|{test}")
        nextitem = self.items[following] if following is not None else None
        self.ran_directly = self._ran_directly(item, nextitem)
        if not self.ran_directly:
            item.ihook.pytest_runtest_protocol(item=item, nextitem=nextitem)
        seconds = sum(seconds for _, _, seconds in self._phases)
        outcome, reason, detail = self._verdict()
        return {
            "kind": "trial",
            "test": test,
            "outcome": outcome,
            "reason": reason,
            "detail": detail,
            "seconds": seconds,
            "examples": self.examples.failed_at if outcome == "failed" else None,
            "ran": True,
        }

    def has_short_cut(self, test: str) -> bool:
        """Return whether ``run`` may call a test directly, or on examples that are known."""
        return (self.directly and test in self._bare) or self.examples.kept(test) is not None

    def refuse_short_cuts(self, test: str) -> None:
        """Leave a test to pytest and Hypothesis, in full."""
        self._bare.discard(test)
        self.examples.refuse(test)

    def _ran_directly(self, item: pytest.Item, following: pytest.Item | None) -> bool:
        """Run a test without most of pytest where that comes to the same; return whether it was run."""
        if not self.directly or item.nodeid not in self._bare or not isinstance(item, pytest.Function):
            return False
        if not is_hypothesis_test(item.obj):
            self._phases = directly.run(item, following, item.runtest)
            return True
        if not self.replay or self.examples.kept(item.nodeid) is None:
            return False
        replayed = []
        self._phases = directly.run(item, following, lambda: replayed.append(self.examples.replay(item)))
        return replayed != [False]

    def not_run(self, test: str, reason: str) -> Record:
        """Return the trial of a test that passes without being run, and why it does."""
        return {
            "kind": "trial",
            "test": test,
            "outcome": "passed",
            "reason": reason,
            "detail": "",
            "seconds": 0.0,
            "examples": None,
            "ran": False,
        }

    def why_missing(self, test: str) -> str:
        """Return the error for which a test's file was not collected; empty where the file was."""
        errors = (why for node, why in self.collection_errors.items() if test.startswith(f"{node}::") or not node)
        return next(errors, "")

    def let_shrink(self, test: str) -> bool:
        """Let a property's failing example be made small from here on; return False for what is no property."""
        function: Any = getattr(self.items[test], "obj", None)
        owner: Any = getattr(function, "__func__", function)
        if not is_hypothesis_test(function) or not hasattr(owner, "_hypothesis_internal_use_settings"):
            return False
        given = owner._hypothesis_internal_use_settings
        owner._hypothesis_internal_use_settings = settings(given, phases=[*given.phases, Phase.shrink])
        return True

    def example(self) -> str:
        """Return what Hypothesis reported for the last failure: the falsifying example, as it prints it."""
        errors = [error for _, error, _ in self._phases if error is not None]
        return _ADDRESS.sub("", "\n".join(getattr(errors[0], "__notes__", ()))) if errors else ""

    def _verdict(self) -> tuple[str, str, str]:
        outcomes = [outcome for outcome, _, _ in self._phases]
        errors = [error for _, error, _ in self._phases if error is not None]
        if "failed" in outcomes:
            error = errors[0] if errors else None
            if isinstance(error, UNDECIDED):
                return "undecided", type(error).__name__, _one_line(error)
            if isinstance(error, MemoryError):
                return "crashed", type(error).__name__, _one_line(error)
            return "failed", _reason(error), _one_line(error) if error is not None else "expected to fail, and passed"
        if "skipped" in outcomes:
            return "skipped", "", ""
        return "passed", "", ""


def _reason(error: BaseException | None) -> str:
    if error is None or isinstance(error, AssertionError | pytest.fail.Exception):
        return "assertion"
    return type(error).__name__


def _one_line(error: BaseException) -> str:
    try:
        text = " ".join(str(error).split()).encode("utf-8", "backslashreplace").decode()
    except Exception:  # its own __str__ fails: the class must do
        return ""
    text = _ADDRESS.sub("", text)
    return text if len(text) <= _LOOKED_AT else text[: _LOOKED_AT - 1] + "…"


def _described(item: pytest.Item) -> Record:
    function = getattr(item, "obj", None)
    paragraphs = (getattr(function, "__doc__", None) or "").strip().split("\n\n")
    matters = [text for text in paragraphs if text.strip().startswith("Matters:")]
    return {
        "id": item.nodeid,
        "name": getattr(item, "originalname", None) or item.name,
        "kind": next((kind for kind in _KINDS if item.get_closest_marker(kind)), ""),
        "expected_to_fail": item.get_closest_marker("xfail") is not None,
        "chapter": item.get_closest_marker("chapter") is not None,
        "checks": " ".join(paragraphs[0].split()),
        "matters": " ".join(matters[0].split()).removeprefix("Matters: ") if matters else "",
    }


def _seed_everything(text: str) -> None:
    number = zlib.crc32(text.encode())
    random.seed(number)
    numpy = sys.modules.get("numpy")
    if numpy is not None:
        numpy.random.seed(number)
