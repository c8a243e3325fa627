"""What the tests of pages share: one browser a file, and the page that shows everything."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from acidtest.reports.tests.browsing import Machine, Visit


@pytest.fixture(scope="module")
def machine(tmp_path_factory: pytest.TempPathFactory) -> "Iterator[Machine]":
    """Return one browser for all tests of a file."""
    from acidtest.reports.tests.browsing import Machine, browser  # only where a test asks for a browser

    with browser() as started:
        yield Machine(started, tmp_path_factory.mktemp("pages"))


@pytest.fixture(scope="module")
def shared(machine: "Machine") -> "Visit":
    """Return the page with everything, open."""
    return machine.open("everything")


@pytest.fixture
def full(shared: "Visit") -> "Visit":
    """Return the page with everything, just loaded."""
    shared.page.reload()
    return shared
