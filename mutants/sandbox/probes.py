"""The guest of `acidtest doctor`: fork after fork tries to break out, and tells what it managed.

Every attempt is harmless where it succeeds: a file that could be written is removed, a signal that could be sent is 0.
"""

import json
import os
import signal
import socket
import time
from collections.abc import Callable
from typing import Any

from acidtest.mutants.sandbox import try_files, try_processes, try_resources
from acidtest.mutants.sandbox.tally import Tally
from acidtest.mutants.sandbox.walls import Walls

PROBES: dict[str, Callable[..., None]] = {
    action.__name__: action
    for action in (
        *(try_files.read_host, try_files.write_outside, try_files.fill_disk),
        *(try_files.leave_note, try_files.find_note),
        *(try_processes.use_network, try_processes.reach_others, try_processes.multiply),
        *(try_processes.become_more, try_processes.read_environment),
        *(try_resources.eat_memory, try_resources.eat_processor, try_resources.calculate),
    )
}


def main(control: socket.socket, walls: Walls) -> None:
    """Answer each line ``{"probe", "arguments"}`` with what a fork managed: ``{"tried", "managed", "status"}``."""
    __import__("numpy")
    walls.measure()
    with control.makefile("rwb") as lines:
        for line in lines:
            task = json.loads(line)
            if task["probe"] == "leave_daemon":
                answer = _leave_daemon()
            else:
                answer = _in_fork(walls, control, PROBES[task["probe"]], task["arguments"])
            lines.write(json.dumps(answer).encode() + b"\n")
            lines.flush()


def _in_fork(
    walls: Walls, control: socket.socket, probe: Callable[..., None], arguments: dict[str, Any]
) -> dict[str, Any]:
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        tally = Tally()
        try:
            os.close(read)
            os.close(control.fileno())
            walls.enter_fork()
            probe(tally, **arguments)
        except BaseException as error:
            tally.managed.append(f"{probe.__name__} itself failed: {type(error).__name__}: {error}")
        os.write(write, json.dumps({"tried": tally.tried, "managed": tally.managed}).encode())
        os._exit(0)
    os.close(write)
    with os.fdopen(read, "rb") as answers:
        words = answers.read()
    _, status = os.waitpid(child, 0)
    told = json.loads(words) if words else {"tried": 0, "managed": []}
    return {**told, "status": os.waitstatus_to_exitcode(status)}


def _leave_daemon() -> dict[str, Any]:
    """Leave a process without a parent that keeps the control stream open and ignores what it can.

    A walled fork cannot do that. The zygote does, so that the doctor sees such a process found and ended.
    """
    child = os.fork()
    if child == 0:
        if os.fork() == 0:
            for number in (signal.SIGHUP, signal.SIGINT, signal.SIGTERM, signal.SIGPIPE):
                signal.signal(number, signal.SIG_IGN)
            while True:
                time.sleep(60)
        os._exit(0)
    os.waitpid(child, 0)
    return {"tried": 1, "managed": [], "status": 0}
