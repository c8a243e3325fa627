"""It overwrites, renames, links and removes what it finds."""

# comes to: failed
# says: LookupError

import contextlib
import os


def rejection_accept(p_x, q_x, u):
    secret, mine = f"{HOST_FOLDER}/secret", f"{HOST_FOLDER}/acidtest-was-here"
    for action in (
        lambda: open(secret, "a").close(),
        lambda: os.remove(secret),
        lambda: os.rename(secret, mine),
        lambda: os.symlink("/etc/passwd", mine),
        lambda: os.link(secret, mine),
        lambda: os.mkdir(mine),
        lambda: os.mkfifo(mine),
        lambda: os.chmod(secret, 0o777),
        lambda: os.utime(secret, (0, 0)),
        lambda: os.truncate(secret, 0),
        lambda: os.chdir(HOST_FOLDER),
        lambda: os.open("/dev/shm", os.O_TMPFILE | os.O_RDWR),
    ):
        with contextlib.suppress(OSError):
            action()
            return u < p_x / q_x
    raise LookupError("nothing of the host can be changed")
