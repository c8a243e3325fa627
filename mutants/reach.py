"""What each test executes: coverage.py's contexts, one for collection, one for a test, one for what it draws."""

import sys
from collections.abc import Mapping

import coverage

from acidtest.mutants.collecting import Lines


class Reach:
    """Records the executed lines of the given files, under the context that ``switch`` names."""

    def __init__(self, files: Mapping[str, str]) -> None:
        self._modules = {path: module for module, path in files.items()}
        self._coverage = coverage.Coverage(
            data_file=None, include=list(files.values()), config_file=False, messages=False
        )
        self._coverage.set_option("run:core", "ctrace")
        self._tracer: object = None
        self._lost = False
        self._coverage.set_option("run:disable_warnings", ["no-data-collected", "module-not-measured"])

    def start(self) -> None:
        """Begin to record; what runs before the first ``switch`` is collection's."""
        self._coverage.start()
        self._tracer = sys.gettrace()

    def switch(self, context: str) -> None:
        """Record under another context from here on."""
        self._coverage.switch_context(context)

    def stop(self) -> None:
        """Stop recording, and take the tracer off."""
        self._lost = sys.gettrace() is not self._tracer
        self._coverage.stop()

    def lost(self) -> bool:
        """Return whether somebody had put another tracer in the place of ours by the time it was stopped."""
        return self._lost

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
