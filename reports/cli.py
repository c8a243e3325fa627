"""The command line: reads what was asked for, calls, prints. Nothing is decided here."""

import atexit
import contextlib
import os
import signal
import sys
import tempfile
import threading
import traceback
from typing import NoReturn

import click

from acidtest.reports.cli_group import acidtest
from acidtest.reports.context import say
from acidtest.reports.exits import ExitCode

__all__ = ["FAULTS", "acidtest", "invoke", "main"]

FAULTS = {
    "acidtest.reports.context.UsageError": ExitCode.USAGE,
    "acidtest.mutants.workload.WorkloadError": ExitCode.USAGE,
    "acidtest.mutants.load.CatalogError": ExitCode.USAGE,
    "acidtest.mutants.certificates.CertificateError": ExitCode.USAGE,
    "acidtest.mutants.generated.GeneratedError": ExitCode.NO_VERDICT,
    "acidtest.mutants.syntax.SpliceError": ExitCode.CANNOT_JUDGE,
    "acidtest.reports.database.StoreError": ExitCode.NO_VERDICT,
    "acidtest.mutants.limits.BaselineFailedError": ExitCode.CANNOT_JUDGE,
    "acidtest.mutants.limits.LabError": ExitCode.NO_VERDICT,
    "acidtest.reports.doctor_command.NoSandboxError": ExitCode.NO_VERDICT,
    "acidtest.mutants.sandbox.desk.SandboxRefusedError": ExitCode.NO_VERDICT,
    "acidtest.mutants.sandbox.desk.DeskError": ExitCode.CANNOT_JUDGE,
}
"""What a command may raise, and its exit code; by name, since few of the modules are imported for one command."""


def main() -> NoReturn:
    """Run the command line and exit with its code; whatever goes wrong is said in one line."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # as Ctrl-C: no worker stays behind
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")
    _end(int(invoke(sys.argv[1:])))


def _end(code: int) -> NoReturn:
    """End this process without taking down all that was imported: that would be a tenth of a command's own time."""
    if threading.active_count() > 1:  # somebody is waited for
        sys.exit(code)
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError):  # nobody reads any more
            stream.flush()
    os._exit(code)


def invoke(arguments: list[str]) -> int:
    """Run one command and return its exit code."""
    try:
        code = acidtest.main(arguments, prog_name="acidtest", standalone_mode=False)
        return int(code or 0)
    except click.exceptions.NoArgsIsHelpError as error:
        say(error.format_message() + "\n")
        return ExitCode.USAGE
    except click.ClickException as error:
        command = error.ctx.command_path if isinstance(error, click.UsageError) and error.ctx else "acidtest"
        return _fail(f"{error.format_message()} (see {command} --help)", ExitCode.USAGE)
    except (click.Abort, KeyboardInterrupt):
        return _fail("interrupted", ExitCode.INTERRUPTED)
    except Exception as error:
        code = _code_of(error)
        return _fail(str(error), code) if code is not None else _internal()


def _code_of(error: Exception) -> ExitCode | None:
    """Return the exit code of a fault that a command may raise; None for a fault of ours, whatever it is."""
    names = (f"{kind.__module__}.{kind.__qualname__}" for kind in type(error).__mro__)
    return next((FAULTS[name] for name in names if name in FAULTS), None)


def _fail(message: str, code: ExitCode) -> ExitCode:
    say(f"acidtest: {' '.join(message.split())}\n", sys.stderr)
    return code


def _internal() -> ExitCode:
    """Say the fault in one line for the person, and leave the traceback in a file."""
    error = sys.exception() if hasattr(sys, "exception") else sys.exc_info()[1]
    handle, name = tempfile.mkstemp(prefix="acidtest-", suffix=".txt")
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        file.write(traceback.format_exc())
    return _fail(f"internal fault: {type(error).__name__}: {error}; the traceback is in {name}", ExitCode.INTERNAL)


if __name__ == "__main__":
    main()
