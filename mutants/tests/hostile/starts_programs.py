"""A program, by each of the ways there are."""

# comes to: failed
# says: PermissionError

import contextlib
import multiprocessing
import os
import subprocess


def rejection_accept(p_x, q_x, u):
    for action in (
        lambda: subprocess.run(["/bin/sh", "-c", f"touch {HOST_FOLDER}/acidtest-was-here"], check=True),
        lambda: os.posix_spawn("/bin/sh", ["sh", "-c", f"touch {HOST_FOLDER}/acidtest-was-here"], {}),
        lambda: multiprocessing.get_context("fork").Process(target=os.getpid).start(),
        lambda: os.popen("true").read(),
    ):
        with contextlib.suppress(OSError):
            action()
            return True
    os.fork()
    return True
