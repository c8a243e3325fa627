"""Workers are served by threads of one process, and what those share must bear it."""

import threading

from acidtest.mutants.splice import function_source
from acidtest.mutants.workload import embedded


def test_syntax_trees_are_built_by_many_threads_at_once() -> None:
    source = embedded().read("tinyllm.prob.rejection")
    expected = function_source(source, "speculative_step")
    wrong: list[object] = []

    def work() -> None:
        try:
            for _ in range(40):
                if function_source(source, "speculative_step") != expected:
                    wrong.append("another text")
        except BaseException as error:
            wrong.append(error)

    threads = [threading.Thread(target=work) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
