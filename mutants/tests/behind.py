"""A guest for tests: it runs the lines it is sent, in the zygote or in a fork behind the last walls, and answers."""

import json
import os
import socket
from typing import Any

from acidtest.mutants.sandbox.walls import Walls


def main(control: socket.socket, walls: Walls) -> None:
    """Answer each ``{"code", "fork"}`` with ``{"value"}``, what the code left in ``value``, or ``{"error"}``."""
    walls.measure()
    with control.makefile("rwb") as lines:
        for line in lines:
            task = json.loads(line)
            if not task["fork"]:
                answer = _run(task["code"])
            else:
                read, write = os.pipe()
                child = os.fork()
                if child == 0:
                    walls.enter_fork()
                    os.write(write, json.dumps(_run(task["code"])).encode())
                    os._exit(0)
                os.close(write)
                with os.fdopen(read, "rb") as answers:
                    words = answers.read()
                status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
                answer = json.loads(words) if words else {"status": status}
            lines.write(json.dumps(answer).encode() + b"\n")
            lines.flush()


def _run(code: str) -> dict[str, Any]:
    names: dict[str, Any] = {}
    try:
        exec(code, names)
    except BaseException as error:
        return {"error": type(error).__name__}
    return {"value": names.get("value")}
