"""Workers are served by threads of one process, and what those share must bear it."""

import gc
import sys
import threading
import time
from collections.abc import Iterator

import pytest

from acidtest.mutants.splice import function_source
from acidtest.mutants.workload import embedded


@pytest.fixture
def restless() -> Iterator[None]:
    """Let other threads in whenever garbage is collected, and collect often: also while a tree is being built."""

    def pause(phase: str, info: dict[str, int]) -> None:
        time.sleep(0)

    interval, threshold = sys.getswitchinterval(), gc.get_threshold()
    gc.callbacks.append(pause)
    sys.setswitchinterval(1e-6)
    gc.set_threshold(20)
    yield
    gc.set_threshold(*threshold)
    sys.setswitchinterval(interval)
    gc.callbacks.remove(pause)


@pytest.mark.usefixtures("restless")
def test_syntax_trees_are_built_by_many_threads_at_once() -> None:
    source = embedded().read("tinyllm.prob.categorical")
    expected = function_source(source, "sample_categorical")
    wrong: list[object] = []

    def work() -> None:
        try:
            for _ in range(3):
                if function_source(source, "sample_categorical") != expected:
                    wrong.append("another text")
        except BaseException as error:
            wrong.append(error)

    threads = [threading.Thread(target=work) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
