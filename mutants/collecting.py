"""What is executed of the target while tests are imported and collected: that cannot be changed in place any more.

A tracer is asked at each call of anything, and costs more than what it watches. So there is none before the first
import of the target: nothing of it can be executed by then.
"""

import sys
import threading
import types
from collections.abc import Mapping, Sequence
from typing import Any

Lines = dict[str, list[int]]


class Collecting:
    """Records the executed lines of the given files, from the first import of one of their modules on.

    Where something may have been missed, all lines of a file count as executed: its module was there before, or it was
    found by somebody who did not let us know; or a thread imported it, whose tracer is no other thread's; or another
    tracer stands in the place of ours at the end.

    Args:
        files: the modules' files, by module.
    """

    def __init__(self, files: Mapping[str, str]) -> None:
        self._files = files
        self._lines: dict[str, set[int]] = {path: set() for path in files.values()}
        self._noticed: set[str] = set()
        self._missed = False
        self._tracer = self._called
        self._over = False

    def start(self) -> None:
        """Wait for the target's first import."""
        sys.meta_path.insert(0, self)
        threading.settrace(self._tracer)

    def stop(self) -> None:
        """Stop recording."""
        self._over = True
        if sys.gettrace() is self._tracer:
            sys.settrace(None)
        else:
            self._missed = self._missed or bool(self._noticed)
        if threading.gettrace() is self._tracer:
            threading.settrace(None)
        if self in sys.meta_path:
            sys.meta_path.remove(self)

    def find_spec(self, fullname: str, path: Sequence[str] | None, target: types.ModuleType | None = None) -> None:
        """Find nothing, as a finder of modules, but begin to trace where it is the target that is looked for."""
        if fullname in self._files and not self._over:
            if not self._noticed:
                self._missed = threading.current_thread() is not threading.main_thread()
                sys.settrace(self._tracer)
            self._noticed.add(fullname)

    def lines(self) -> Lines:
        """Return the executed lines, by module."""
        found = {}
        for module, path in self._files.items():
            if module not in sys.modules:
                continue
            if self._missed or module not in self._noticed:
                with open(path, "rb") as file:
                    found[module] = list(range(1, len(file.readlines()) + 1))
            elif self._lines[path]:
                found[module] = sorted(self._lines[path])
        return found

    def _called(self, frame: types.FrameType, event: str, argument: Any) -> Any:
        """Go along with a call in the target, and with no other."""
        if self._over:
            sys.settrace(None)
            return None
        return self._stepped if frame.f_code.co_filename in self._lines else None

    def _stepped(self, frame: types.FrameType, event: str, argument: Any) -> Any:
        if event == "line":
            self._lines[frame.f_code.co_filename].add(frame.f_lineno)
        return self._stepped
