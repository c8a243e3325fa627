"""What each test executes: coverage.py's contexts, asked per test, per shared fixture and for collection."""

from collections.abc import Iterable, Mapping

import coverage

Lines = dict[str, list[int]]


class Reach:
    """Records the executed lines of the given files, under the context that ``switch`` names."""

    def __init__(self, files: Mapping[str, str]) -> None:
        self._modules = {path: module for module, path in files.items()}
        self._coverage = coverage.Coverage(
            data_file=None, include=list(files.values()), config_file=False, messages=False
        )
        self._coverage.set_option("run:core", "ctrace")
        self._coverage.set_option("run:disable_warnings", ["no-data-collected", "module-not-measured"])

    def start(self) -> None:
        """Begin to record; what runs before the first ``switch`` is collection's."""
        self._coverage.start()

    def switch(self, context: str) -> None:
        """Record under another context from here on."""
        self._coverage.switch_context(context)

    def stop(self) -> None:
        """Stop recording, and take the tracer off."""
        self._coverage.stop()

    def lines(self) -> dict[str, Lines]:
        """Return the executed lines: context -> module -> sorted line numbers."""
        data = self._coverage.get_data()
        found: dict[str, Lines] = {}
        for path in data.measured_files():
            module = self._modules.get(path)
            if module is None:
                continue
            for line, contexts in sorted(data.contexts_by_lineno(path).items()):
                for context in contexts:
                    found.setdefault(context, {}).setdefault(module, []).append(line)
        return found


def by_test(lines: Mapping[str, Lines], fixtures: Mapping[str, Iterable[str]]) -> dict[str, Lines]:
    """Return each test's lines: its own, its shared fixtures', and all teardowns that a shared fixture may be in.

    Args:
        lines: as ``Reach.lines`` gives them. fixtures: each test's fixture names.
    """
    shared = {context.removeprefix("fixture|") for context in lines if context.startswith("fixture|")}
    teardowns = [context for context in lines if context.startswith("teardown|")]
    result: dict[str, Lines] = {}
    for test, names in fixtures.items():
        used = shared & set(names)
        contexts = [f"test|{test}", f"draw|{test}", f"teardown|{test}", *(f"fixture|{name}" for name in sorted(used))]
        if used:
            contexts += teardowns
        merged: dict[str, set[int]] = {}
        for context in contexts:
            for module, numbers in lines.get(context, {}).items():
                merged.setdefault(module, set()).update(numbers)
        result[test] = {module: sorted(numbers) for module, numbers in merged.items()}
    return result
