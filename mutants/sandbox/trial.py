"""The guest of a trial: it raises the last walls in a fork, and says whether they stand."""

import importlib.util
import os
import socket

from acidtest.mutants.sandbox.walls import Walls


def main(control: socket.socket, walls: Walls) -> None:
    """Answer ``ok``, or why the last walls cannot be raised, or what cannot be imported behind them."""
    import fcntl  # noqa: F401 - an extension module, found behind the walls

    if importlib.util.find_spec("numpy") is None:
        control.send(b"numpy cannot be found behind the walls")
        return
    walls.measure()
    child = os.fork()
    if child == 0:
        try:
            walls.enter_fork()
            control.send(b"ok")
        except OSError as error:
            control.send(f"in the fork: {error}".encode())
        os._exit(0)
    os.waitpid(child, 0)
