"""The process that imports target and tests, and forks a child for each variant. Text in, data out.

Run as ``python -P -m acidtest.mutants.worker``; the first line on standard input says what it is for:

- ``hot``: collect once, record the baseline in children, then a forked child for each command installs the variant
  into the living functions. For each further *lane*, a line of its own, a copy of the process does the same: *hot*
  ones made after the baseline, *cold* ones before the target is imported;
- ``cold``: import the libraries only; a forked child for each command imports the mutated source and collects;
- ``fresh``: one command, in this process, installed cold: where there is no fork;
- ``answers``: as ``cold`` or ``fresh``, and the command asks for answers to calls in place of trials;
- ``pairs``: hold the reference; a forked child for each command compares two implementations, call by call.
"""

import contextlib
import importlib
import os
import signal
import sys
import tempfile
import warnings
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from acidtest.mutants import install, recording
from acidtest.mutants.channel import Channel, Record
from acidtest.mutants.children import LabGoneError, clone, limit_memory, limit_processor, serve, watched
from acidtest.mutants.collecting import Collecting
from acidtest.mutants.model import REPEATED
from acidtest.mutants.session import Session

if TYPE_CHECKING:
    from acidtest.mutants.reach import Reach


def main() -> None:
    """Serve the lab until it closes the line."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    channel = Channel.own()
    spec = channel.receive()
    if spec is None:
        return
    sys.path.insert(0, spec["source"])
    _show_to_children(spec["source"])
    {"hot": _hot, "cold": _cold, "fresh": _fresh, "pairs": _pairs}[spec["install"]](spec, channel)


def _hot(spec: Record, channel: Channel) -> None:
    clones = []
    if spec["fork"] and not spec.get("collect"):
        _import_libraries()
        lanes = {kind: [Channel(*ends) for ends in spec["lanes"][kind]] for kind in ("hot", "cold")}
        for lane in (*lanes["hot"], *lanes["cold"]):
            channel.others |= {lane.commands, lane.records}
            for descriptor in (lane.commands, lane.records):
                os.set_inheritable(descriptor, False)
        for lane in lanes["cold"]:
            clones.append(clone(channel, lane, lambda lane: _serve_cold(spec, lane)))
    if not spec["fork"] and not spec.get("collect"):
        _here(spec, channel)
        return
    collecting = Collecting(spec["files"])
    collecting.start()

    def loop(session: Session) -> None:
        collected = _collected(spec, channel, session, collecting)
        if not collected or not _recorded(spec, channel, session, collecting):
            return
        for lane in lanes["hot"]:
            clones.append(clone(channel, lane, lambda lane: _serve_hot(spec, lane, session)))
        _serve_hot(spec, channel, session)

    Session(spec["seed"], loop).main(spec["pytest"])
    for process in clones:
        os.waitpid(process, 0)


def _here(spec: Record, channel: Channel) -> None:
    """Record the baseline in this process."""
    from acidtest.mutants.reach import Reach  # a tenth of a second, and no need of it where there are children

    reach = Reach(spec["files"])
    reach.start()

    def loop(session: Session) -> None:
        if _collected(spec, channel, session, reach):
            with watched(channel):
                recording.record_here(spec, channel, session, reach)

    Session(spec["seed"], loop).main(spec["pytest"])


def _collected(spec: Record, channel: Channel, session: Session, reach: "Collecting | Reach") -> bool:
    """Tell the lab what was collected; return whether there is anything to run."""
    for module in spec["files"]:
        with contextlib.suppress(Exception):  # a module that cannot be imported is for the tests to complain about
            importlib.import_module(module)
    reach.stop()
    errors = [f"{node}: {why}" for node, why in session.collection_errors.items()]
    channel.send(kind="collected", tests=session.describe(), errors=errors)
    return not errors and bool(session.items) and not spec.get("collect")


def _recorded(spec: Record, channel: Channel, session: Session, collecting: Collecting) -> bool:
    """Tell the lab what the baseline came to, in children; return whether variants may be put to it."""
    recording.warm_up()
    try:
        return recording.record(spec, channel, session, collecting.lines())
    except LabGoneError:
        return False


def _serve_hot(spec: Record, channel: Channel, session: Session) -> None:
    while (command := channel.receive()) is not None:
        if "kill" not in command:  # one for a child that has ended by itself meanwhile
            serve(channel, spec["memory_mb"], command, lambda command: _run_hot(spec, channel, session, command))


def _run_hot(spec: Record, channel: Channel, session: Session, command: Record) -> None:
    variant = command["variant"]
    if variant is not None:
        module = variant["module"]
        try:
            install.install_hot(module, variant["functions"], spec["files"][module], variant["source"])
        except install.RefusedError as error:
            channel.send(kind="refused", why=str(error))
            return
    session.replay = session.directly = bool(command["replay"])
    known = [test for test in command["tests"] if test in session.items]
    if (
        variant is not None
        and command["repeat"]
        and session.repeats.apply(variant["module"], list(variant["functions"]), variant["lines"])
    ):
        _run_tests(channel, session, command, _seeing(channel, session, variant, known))
    else:
        _run_tests(channel, session, command, known)


def _seeing(channel: Channel, session: Session, variant: Record, tests: Sequence[str]) -> Iterator[str]:
    """Yield the tests to which the variant answers some call otherwise; the others pass without being run."""
    for test in tests:
        alike = False
        with session.repeats.in_time():
            alike = session.repeats.alike(test, variant["module"], list(variant["functions"]))
        if alike:
            channel.send(**session.not_run(test, REPEATED))
        else:
            yield test


def _run_tests(channel: Channel, session: Session, command: Record, tests: Iterable[str]) -> None:
    channel.send(kind="ready")
    for test, following in _with_next(tests):
        channel.send(kind="running", test=test)
        record = session.run(test, following)
        if command.get("explain"):
            record["example"] = session.example()
        channel.send(**record)
        if command["bail"] and record["outcome"] == "failed":
            break
    missing = {test: session.why_missing(test) for test in command["tests"] if test not in session.items}
    channel.send(kind="end", missing=missing)


def _with_next(tests: Iterable[str]) -> Iterator[tuple[str, str | None]]:
    """Yield each test and the one after it, which is asked for first."""
    following = iter(tests)
    test = next(following, None)
    while test is not None:
        after = next(following, None)
        yield test, after
        test = after


def _cold(spec: Record, channel: Channel) -> None:
    _import_libraries()
    _serve_cold(spec, channel)


def _import_libraries() -> None:
    """Import once, for every child, what it will need."""
    import hypothesis  # noqa: F401
    import numpy  # noqa: F401
    import pytest  # noqa: F401


def _serve_cold(spec: Record, channel: Channel) -> None:
    while (command := channel.receive()) is not None:
        if "kill" not in command:
            serve(channel, spec["memory_mb"], command, lambda command: _run_cold(spec, channel, command))


def _fresh(spec: Record, channel: Channel) -> None:
    command = channel.receive()
    if command is not None:
        limit_memory(spec["memory_mb"])
        limit_processor(command["processor"])
        with watched(channel):
            _run_cold(spec, channel, command)


def _pairs(spec: Record, channel: Channel) -> None:
    from acidtest.mutants.comparing import Comparer

    comparer = Comparer(spec, channel)
    while (command := channel.receive()) is not None:
        if "kill" in command:
            continue
        if not spec["fork"]:
            limit_memory(spec["memory_mb"])
            with watched(channel):
                comparer.serve(command)
            return
        comparer.prepare(command)
        serve(channel, spec["memory_mb"], command, comparer.serve)


def _run_cold(spec: Record, channel: Channel, command: Record) -> None:
    variant = command["variant"]
    with tempfile.TemporaryDirectory(prefix="acidtest-") as overlay:
        if variant is not None and not _installed(spec, channel, variant, Path(overlay)):
            return
        if "calls" in command:
            _answer(spec, channel, command)
            return

        def loop(session: Session) -> None:
            _run_tests(channel, session, command, [test for test in command["tests"] if test in session.items])

        Session(spec["seed"], loop, shrink=bool(command.get("explain"))).main(spec["pytest"])


def _installed(spec: Record, channel: Channel, variant: Record, overlay: Path) -> bool:
    module = variant["module"]
    path = spec["files"][module]
    install.install_cold(module, path, variant["source"])
    install.write_overlay(overlay, module, Path(path), variant["source"])
    sys.path.insert(0, str(overlay))
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
    """Answer calls: those in the command, or with ``"domain"`` all of D, as digests; or say D's hash.

    With ``"battery"`` the digests are over the workload's small selection of calls. With ``"diagnostics"`` or
    ``"candidates"`` the answers are those calls of the workload themselves, one JSON text each.

    A call marked ``written`` is answered by how its arguments are written in Python.
    """
    from acidtest.mutants.calling import battery_digests, domain_digests, listed, load_calls, say
    from acidtest.mutants.written import written

    calls = load_calls(spec["calls"])
    if command["calls"] == "domain hash":
        answers = [calls.domain_hash()] if calls is not None else [""]
    elif command["calls"] == "battery":
        answers = battery_digests(calls) if calls is not None else []
    elif command["calls"] in ("diagnostics", "candidates"):
        answers = listed(calls, command["calls"])
    elif command["calls"] != "domain":
        how = {True: written, False: say}
        answers = [
            how[bool(call.get("written"))](calls, call["module"], call["function"], call["args"])
            for call in command["calls"]
        ]
    else:
        answers = domain_digests(calls) if calls is not None else []
    channel.send(kind="answers", answers=answers)


if __name__ == "__main__":
    main()
