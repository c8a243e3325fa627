"""The process that imports target and tests, and forks a child for each variant. Text in, data out.

Run as ``python -P -m acidtest.mutants.worker``; the first line on standard input says what it is for:

- ``hot``: collect once, run the baseline once, then a forked child for each ``run`` command installs the variant
  into the living functions;
- ``cold``: import the libraries only; a forked child for each command imports the mutated source and collects;
- ``fresh``: one command, in this process, installed cold: where there is no fork;
- ``answers``: as ``cold`` or ``fresh``, and the command asks for answers to calls in place of trials.
"""

import contextlib
import gc
import importlib
import os
import select
import signal
import sys
import tempfile
import threading
import warnings
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from acidtest.mutants import install
from acidtest.mutants.channel import Channel, Record
from acidtest.mutants.reach import Reach, by_test
from acidtest.mutants.session import Session, started_processes


def main() -> None:
    """Serve the lab until it closes the line."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    channel = Channel()
    spec = channel.receive()
    if spec is None:
        return
    sys.path.insert(0, spec["source"])
    _show_to_children(spec["source"])
    {"hot": _hot, "cold": _cold, "fresh": _fresh}[spec["install"]](spec, channel)


def _hot(spec: Record, channel: Channel) -> None:
    reach = Reach(spec["files"])
    reach.start()
    Session(spec["seed"], lambda session: _serve_hot(spec, channel, session, reach), switch=reach.switch).main(
        spec["pytest"]
    )


def _serve_hot(spec: Record, channel: Channel, session: Session, reach: Reach) -> None:
    reach.stop()
    channel.send(kind="collected", tests=session.describe(), errors=session.collection_errors)
    if session.collection_errors or not session.items or spec.get("collect"):
        return
    with _watched(channel):
        _baseline(spec, channel, session, reach)
    session.switch = session.examples.switch = None
    while (command := channel.receive()) is not None:
        _in_child(spec, channel, command, lambda command: _run_hot(spec, channel, session, command))


def _baseline(spec: Record, channel: Channel, session: Session, reach: Reach) -> None:
    """Run every test once on the unchanged target; say what it executed and what it left behind."""
    modules = [module for module in spec["files"] if module in sys.modules]
    before = {module: install.fingerprint(module) for module in modules}
    started = [0]
    sys.addaudithook(started_processes(started))
    opaque: list[str] = []
    reach.start()
    tests = list(session.items)
    session.examples.recording = True
    for test, following in zip(tests, [*tests[1:], None], strict=True):
        count = started[0]
        channel.send(**session.run(test, following))
        if started[0] != count:
            opaque.append(test)
    session.examples.recording = False
    reach.stop()
    lines = reach.lines()
    _try_replays(session, lines)
    clean = all(before[module] is not None and install.fingerprint(module) == before[module] for module in modules)
    channel.send(
        kind="baseline",
        reach=by_test(lines, {test: session.shared_fixtures(test) for test in tests}),
        opaque=lines.get("", {}),
        hookable={module: sorted(install.plain_functions(module)) for module in modules if clean},
        opaque_tests=opaque,
    )


def _try_replays(session: Session, lines: Mapping[str, object]) -> None:
    """Keep for replay only what passes when replayed here, and was drawn without entering the target."""
    session.switch = session.examples.switch = None
    session.replay = True
    for test in session.examples.replayable():
        if lines.get(f"draw|{test}") or session.run(test, None)["outcome"] != "passed":
            session.examples.refuse(test)
    session.replay = False


def _run_hot(spec: Record, channel: Channel, session: Session, command: Record) -> None:
    variant = command["variant"]
    if variant is not None:
        module = variant["module"]
        try:
            install.install_hot(module, variant["functions"], spec["files"][module])
        except install.RefusedError as error:
            channel.send(kind="refused", why=str(error))
            return
    session.replay = bool(command["replay"])
    _run_tests(channel, session, command)


def _run_tests(channel: Channel, session: Session, command: Record) -> None:
    channel.send(kind="ready")
    known = [test for test in command["tests"] if test in session.items]
    for test, following in zip(known, [*known[1:], None], strict=True):
        record = session.run(test, following)
        if command.get("explain"):
            record["example"] = session.example()
        channel.send(**record)
        if command["bail"] and record["outcome"] == "failed":
            break
    channel.send(kind="end", missing=[test for test in command["tests"] if test not in session.items])


def _cold(spec: Record, channel: Channel) -> None:
    import hypothesis  # noqa: F401 - imported once here, inherited by every child
    import numpy  # noqa: F401
    import pytest  # noqa: F401

    while (command := channel.receive()) is not None:
        _in_child(spec, channel, command, lambda command: _run_cold(spec, channel, command))


def _fresh(spec: Record, channel: Channel) -> None:
    command = channel.receive()
    if command is not None:
        _limit_memory(spec["memory_mb"])
        with _watched(channel):
            _run_cold(spec, channel, command)


def _run_cold(spec: Record, channel: Channel, command: Record) -> None:
    variant = command["variant"]
    with tempfile.TemporaryDirectory(prefix="acidtest-") as overlay:
        if variant is not None and not _installed(spec, channel, variant, Path(overlay)):
            return
        if "calls" in command:
            _answer(spec, channel, command)
            return

        def loop(session: Session) -> None:
            if session.collection_errors:
                channel.send(kind="uncollectable", why=session.collection_errors[0])
                return
            _run_tests(channel, session, command)

        Session(spec["seed"], loop, shrink=bool(command.get("explain"))).main(spec["pytest"])


def _installed(spec: Record, channel: Channel, variant: Record, overlay: Path) -> bool:
    module = variant["module"]
    path = spec["files"][module]
    install.install_cold(module, path, variant["source"])
    install.write_overlay(overlay, module, Path(path), variant["source"])
    _show_to_children(str(overlay))
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            importlib.import_module(module)
    except BaseException as error:
        channel.send(kind="unviable", why=f"{type(error).__name__}: {error}")
        return False
    return True


def _show_to_children(folder: str) -> None:
    """Let Python processes that a test starts import from ``folder`` first."""
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [folder, os.environ.get("PYTHONPATH")]))


def _answer(spec: Record, channel: Channel, command: Record) -> None:
    """Answer calls: those in the command, or with ``"domain"`` all of D, as digests."""
    from acidtest.mutants.calling import domain_digests, load_calls, say

    calls = load_calls(spec["calls"])
    if command["calls"] != "domain":
        answers = [say(calls, call["module"], call["function"], call["args"]) for call in command["calls"]]
    else:
        answers = domain_digests(calls) if calls is not None else []
    channel.send(kind="answers", answers=answers)


def _in_child(spec: Record, channel: Channel, command: Record, work: Callable[[Record], None]) -> None:
    """Fork, let the child work, and wait for its end, for the order to kill it, or for the end of the lab."""
    wake_read, wake_write = os.pipe()
    os.set_blocking(wake_write, False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.set_wakeup_fd(wake_write)
    gc.freeze()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        child = os.fork()
    if child == 0:
        _child(spec, channel, command, work)
    with contextlib.suppress(OSError):
        os.setpgid(child, child)
    status = _wait(channel, child, wake_read)
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    os.close(wake_read)
    os.close(wake_write)
    if status is None:
        os._exit(0)
    channel.send(kind="exit", status=status)


def _child(spec: Record, channel: Channel, command: Record, work: Callable[[Record], None]) -> None:
    code = 1
    try:
        os.setpgid(0, 0)
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        os.close(channel.commands)
        _limit_memory(spec["memory_mb"])
        work(command)
        code = 0
    finally:
        os._exit(code)


def _wait(channel: Channel, child: int, wake: int) -> int | None:
    """Return the child's exit code, negative for a signal; None where the lab is gone."""
    gone = False
    while True:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            _sweep(child)
            return None if gone else os.waitstatus_to_exitcode(status)
        if gone:
            select.select([wake], [], [], 1.0)
        elif channel.waiting(1.0, wake):
            gone = channel.receive() is None
            _sweep(child)


@contextlib.contextmanager
def _watched(channel: Channel) -> Iterator[None]:
    """End this process as soon as the lab is gone, though a test may loop. Windows cannot wait on a pipe: no watch."""
    if os.name == "nt":
        yield
        return
    over = threading.Event()

    def watch() -> None:
        while not over.wait(0.2):
            if select.select([channel.commands], [], [], 0)[0] and channel.receive() is None:
                os._exit(1)

    thread = threading.Thread(target=watch, daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def _sweep(group: int) -> None:
    """Kill the child and whatever it started and left in its process group."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(group, signal.SIGKILL)


def _limit_memory(megabytes: int) -> None:
    """Let the process take this much address space on top of what it has; without ``resource``, nothing is limited."""
    try:
        import resource
    except ImportError:
        return
    statm = Path("/proc/self/statm")
    held = int(statm.read_text().split()[0]) * resource.getpagesize() if statm.exists() else 0
    limit: Any = held + megabytes * 2**20
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    if hard != resource.RLIM_INFINITY:
        limit = min(limit, hard)
    resource.setrlimit(resource.RLIMIT_AS, (limit, hard))


if __name__ == "__main__":
    main()
