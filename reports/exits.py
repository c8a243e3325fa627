"""What the exit code of every command means: one enum, and the table that the README shows."""

from enum import IntEnum


class ExitCode(IntEnum):
    """The verdict as a number, the same for every command."""

    KEPT = 0
    BROKEN = 1
    USAGE = 2
    UNDECIDED = 3
    CANNOT_JUDGE = 4
    NO_VERDICT = 5
    INTERNAL = 70
    INTERRUPTED = 130


MEANINGS = {
    ExitCode.KEPT: "every promise kept: each mutant killed, by all the tests named for it",
    ExitCode.BROKEN: "a mutant survived, a promise is broken, or the score is below --fail-under",
    ExitCode.USAGE: "the command line or the project's settings are wrong; nothing ran",
    ExitCode.UNDECIDED: "a mutant only timed out, crashed or was left undecided, and nothing else is wrong",
    ExitCode.CANNOT_JUDGE: "the tests fail on the unchanged code, so a failure would prove nothing",
    ExitCode.NO_VERDICT: "nothing was tested, a control misbehaved, or the state folder cannot keep the run",
    ExitCode.INTERNAL: "a fault of acidtest itself; its message says where the traceback was written",
    ExitCode.INTERRUPTED: "stopped by Ctrl-C; finished trials are kept, the same command goes on",
}

PRECEDENCE = (
    ExitCode.INTERNAL,
    ExitCode.USAGE,
    ExitCode.CANNOT_JUDGE,
    ExitCode.NO_VERDICT,
    ExitCode.BROKEN,
    ExitCode.UNDECIDED,
)


def worst(codes: set[ExitCode]) -> ExitCode:
    """Return the code that speaks for all of them; ``KEPT`` where there is none."""
    return next((code for code in PRECEDENCE if code in codes), ExitCode.KEPT)
