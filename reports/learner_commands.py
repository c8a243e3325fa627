"""The commands for a learner: start, diff."""

import difflib
from pathlib import Path

from acidtest.mutants.splice import SpliceError, function_source, functions_of
from acidtest.mutants.workload import Workload
from acidtest.reports.context import UsageError, say
from acidtest.reports.exits import ExitCode


def start(workload: Workload, folder: Path) -> ExitCode:
    """Copy the workload's start files into ``folder``."""
    files = sorted((workload.source / "start").glob("*.py"))
    if not files:
        raise UsageError(f"{workload.source / 'start'}: this workload has no file to begin from")
    for file in files:
        copy = folder / file.name
        if copy.exists():
            raise UsageError(f"{copy} is there already; nothing was written, name another folder")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for file in files:
            with (folder / file.name).open("xb") as target:
                target.write(file.read_bytes())
    except OSError as error:
        raise UsageError(f"{folder}: {error.strerror}; name a folder that can be written") from error
    for file in files:
        say(f"{folder / file.name}: fill in each function; `acidtest diff {folder / file.name}` compares\n")
    return ExitCode.KEPT


def diff(workload: Workload, file: Path) -> ExitCode:
    """Print, function by function, what differs from the reference."""
    try:
        learner = file.read_bytes().decode("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{file}: cannot be read as text: {error}; name a Python file") from error
    try:
        written = functions_of(learner)
    except SpliceError as error:
        raise SpliceError(f"{file}: {str(error).removeprefix('the source ')}") from error
    module = module_for(workload, file, written)
    reference = workload.read(module)
    wanted = functions_of(reference)
    for name in wanted:
        say(_compared(name, function_source(learner, name), function_source(reference, name) or "", file, module))
    for name in written:
        if name not in wanted:
            say(f"{name}: only in {file}\n")
    return ExitCode.KEPT


def _compared(name: str, mine: str | None, reference: str, file: Path, module: str) -> str:
    if mine is None:
        private = name.rsplit(".", 1)[-1].startswith("_")
        return f"{name}: only in the reference{'' if private else '; it is missing'}\n"
    if mine == reference:
        return f"{name}: the same\n"
    lines = difflib.unified_diff(mine.splitlines(), reference.splitlines(), str(file), module, lineterm="", n=2)
    return f"{name}:\n" + "".join(f"  {line}\n" for line in lines)


def module_for(workload: Workload, file: Path, written: tuple[str, ...]) -> str:
    """Return the module of the file's name, else the one that shares the most functions with it."""
    for module in workload.modules:
        if module.rsplit(".", 1)[-1] == file.stem:
            return module
    shared = {name: len(set(functions_of(workload.read(name))) & set(written)) for name in workload.modules}
    best = max(shared, key=lambda name: shared[name])
    if not shared[best]:
        raise UsageError(f"{file}: has no function of {', '.join(workload.modules)}; name a learner's file")
    return best
