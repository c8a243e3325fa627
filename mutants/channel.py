"""The line between the lab and a worker: one JSON object a line, over the worker's own standard input and output."""

import json
import os
import select
import sys
from typing import Any

Record = dict[str, Any]


class Channel:
    """The worker's end of a line.

    Args:
        commands: where commands are read. records: where records are written. Both are file descriptors.

    Attributes:
        others: descriptors of lines that are not for whoever forks from here; a child closes them.
    """

    def __init__(self, commands: int, records: int) -> None:
        self.commands = commands
        self.records = records
        self.others: set[int] = set()
        self._pending = b""

    @classmethod
    def own(cls) -> "Channel":
        """Return the process's own line, its stdin and stdout, moved away so that tests cannot write there."""
        channel = cls(os.dup(0), os.dup(1))
        null = os.open(os.devnull, os.O_RDWR)
        os.dup2(null, 0)
        os.dup2(null, 1)
        os.close(null)
        sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115 - it lives as long as the process
        return channel

    def close(self) -> None:
        """Close both ends, and the lines of others."""
        for descriptor in (self.commands, self.records, *self.others):
            os.close(descriptor)
        self.others = set()

    def send(self, **record: Any) -> None:
        """Write one record; a leading newline ends whatever a killed child left half written."""
        data = b"\n" + json.dumps(record).encode() + b"\n"
        while data:
            data = data[os.write(self.records, data) :]

    def receive(self) -> Record | None:
        """Return the next command, or None where the lab is gone."""
        while b"\n" not in self._pending:
            chunk = os.read(self.commands, 1 << 16)
            if not chunk:
                return None
            self._pending += chunk
        line, self._pending = self._pending.split(b"\n", 1)
        return dict(json.loads(line))

    def waiting(self, seconds: float, wake: int) -> bool:
        """Return whether a command (or the lab's end) is there, after at most ``seconds`` or a byte on ``wake``."""
        ready, _, _ = select.select([self.commands, wake], [], [], seconds)
        if wake in ready:
            os.read(wake, 512)
        return self.commands in ready
