"""What several files of tests begin with: a guest that does whatever it is told, and a talk with one fork of it."""

from collections.abc import Iterator

import pytest

from acidtest.mutants.sandbox.hosting import Host
from acidtest.mutants.tests.talks import ANYTHING, Talk, host_of


@pytest.fixture(scope="module")
def host() -> Iterator[Host]:
    """Yield the guest, one for each file."""
    host = host_of(ANYTHING)
    yield host
    host.close()


@pytest.fixture
def talk(host: Host) -> Iterator[Talk]:
    """Yield a conversation with a fresh fork."""
    conversation = host.converse(5.0, 20.0, 1)
    yield Talk(conversation)
    host.finish(conversation)
