"""The command line: reads what was asked for, calls, prints. Nothing is decided here."""

import os
import signal
import sys
import tempfile
import traceback
from typing import NoReturn

import click

from acidtest.mutants.certificates import CertificateError
from acidtest.mutants.generated import GeneratedError
from acidtest.mutants.lab import BaselineFailedError, LabError
from acidtest.mutants.load import CatalogError
from acidtest.mutants.sandbox.desk import DeskError, SandboxRefusedError
from acidtest.mutants.splice import SpliceError
from acidtest.mutants.workload import WorkloadError
from acidtest.reports import cli_catalog, cli_grade, cli_measure, cli_run
from acidtest.reports.cli_group import acidtest
from acidtest.reports.context import UsageError, say
from acidtest.reports.doctor_command import NoSandboxError
from acidtest.reports.exits import ExitCode
from acidtest.reports.store import StoreError

__all__ = ["acidtest", "cli_catalog", "cli_grade", "cli_measure", "cli_run", "invoke", "main"]

_CODES: tuple[tuple[type[Exception], ExitCode], ...] = (
    (UsageError, ExitCode.USAGE),
    (WorkloadError, ExitCode.USAGE),
    (CatalogError, ExitCode.USAGE),
    (CertificateError, ExitCode.USAGE),
    (GeneratedError, ExitCode.NO_VERDICT),
    (SpliceError, ExitCode.CANNOT_JUDGE),
    (StoreError, ExitCode.NO_VERDICT),
    (BaselineFailedError, ExitCode.CANNOT_JUDGE),
    (LabError, ExitCode.NO_VERDICT),
    (NoSandboxError, ExitCode.NO_VERDICT),
    (SandboxRefusedError, ExitCode.NO_VERDICT),
    (DeskError, ExitCode.CANNOT_JUDGE),
)


def main() -> NoReturn:
    """Run the command line and exit with its code; whatever goes wrong is said in one line."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # as Ctrl-C: no worker stays behind
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")
    sys.exit(int(invoke(sys.argv[1:])))


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
    except tuple(kind for kind, _ in _CODES) as error:
        return _fail(str(error), next(code for kind, code in _CODES if isinstance(error, kind)))
    except Exception:  # a fault of ours, whatever it is: one line for the person, the traceback in a file
        return _internal()


def _fail(message: str, code: ExitCode) -> ExitCode:
    say(f"acidtest: {' '.join(message.split())}\n", sys.stderr)
    return code


def _internal() -> ExitCode:
    error = sys.exception() if hasattr(sys, "exception") else sys.exc_info()[1]
    handle, name = tempfile.mkstemp(prefix="acidtest-", suffix=".txt")
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        file.write(traceback.format_exc())
    return _fail(f"internal fault: {type(error).__name__}: {error}; the traceback is in {name}", ExitCode.INTERNAL)


if __name__ == "__main__":
    main()
