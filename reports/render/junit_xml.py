"""JUnit's XML: suites of cases as plain data, and the text that Jenkins, GitLab and the others read.

The elements and attributes are those that Jenkins' xUnit plugin and Surefire agree on. There is no ``properties``
element: readers disagree on where it may stand.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from xml.sax.saxutils import escape, quoteattr

from acidtest.reports.render.fields import block, line


class Ended(StrEnum):
    """How a case ended; the value is the name of the element that says so, if one does."""

    PASSED = ""
    FAILED = "failure"
    ERROR = "error"
    SKIPPED = "skipped"


@dataclass(frozen=True, slots=True)
class Case:
    """One test.

    Attributes:
        place: what it belongs to, with dots, as a class would be written. seconds: its time.
        message: one line on why it did not pass. kind: in a word, such as an outcome. text: all that is known.
    """

    name: str
    place: str
    ended: Ended = Ended.PASSED
    message: str = ""
    kind: str = ""
    text: str = ""
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Suite:
    """Some tests that ran together."""

    name: str
    cases: tuple[Case, ...]

    def count(self, ended: Ended) -> int:
        """Return how many cases ended so."""
        return sum(case.ended is ended for case in self.cases)

    @property
    def seconds(self) -> float:
        """Return the time of all cases."""
        return sum(case.seconds for case in self.cases)


def junit_xml(name: str, suites: Sequence[Suite]) -> str:
    """Return a whole document; every text in it may come from anywhere."""
    totals = {
        "name": name,
        "tests": str(sum(len(suite.cases) for suite in suites)),
        "failures": str(sum(suite.count(Ended.FAILED) for suite in suites)),
        "errors": str(sum(suite.count(Ended.ERROR) for suite in suites)),
        "time": _seconds(sum(suite.seconds for suite in suites)),
    }
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', f"<testsuites{_attributes(totals)}>"]
    for suite in suites:
        lines += _suite(suite)
    return "\n".join([*lines, "</testsuites>", ""])


def _suite(suite: Suite) -> Iterator[str]:
    counts = {
        "name": suite.name,
        "tests": str(len(suite.cases)),
        "failures": str(suite.count(Ended.FAILED)),
        "errors": str(suite.count(Ended.ERROR)),
        "skipped": str(suite.count(Ended.SKIPPED)),
        "time": _seconds(suite.seconds),
    }
    yield f"  <testsuite{_attributes(counts)}>"
    for case in suite.cases:
        facts = {"name": case.name, "classname": case.place, "time": _seconds(case.seconds)}
        if case.ended is Ended.PASSED:
            yield f"    <testcase{_attributes(facts)}/>"
            continue
        why = {"message": case.message} | ({"type": case.kind} if case.kind else {})
        yield f"    <testcase{_attributes(facts)}>"
        yield f"      <{case.ended}{_attributes(why)}>{escape(block(case.text))}</{case.ended}>"
        yield "    </testcase>"
    yield "  </testsuite>"


def _attributes(facts: Mapping[str, str]) -> str:
    return "".join(f" {name}={quoteattr(line(value))}" for name, value in facts.items())


def _seconds(seconds: float) -> str:
    return f"{max(seconds, 0.0):.3f}"
