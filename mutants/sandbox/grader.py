"""The process that judges submissions: it holds the tests, and a proxy where the module under test would be.

Run as ``python -P -m acidtest.mutants.sandbox.grader``; JSON lines on standard input and output, as for a worker. The
first line says what it is for: ``source``, ``pytest`` (arguments), ``calls``, ``tier`` (null: the first that holds),
``slot``, ``memory_mb``, ``seed``, ``core`` where it is to stay on one, ``keep`` where a folder keeps what saves work.
It collects once and says what, with the tier, or why it is ``refused``; then a forked child for each command judges
one submission:

- ``serial``; ``submission``: its files, base64 by name; ``own_deps``: whether modules that it brings count;
- ``seed``: of Hypothesis, of the global generators before each test, on both sides;
- ``tests``: ids, each run on a guest's fresh fork; ``explain``: make failing examples small, into ``detail``;
- ``battery``: calls, answered by one fork; null: those of the command before;
- ``limits``: ``call_seconds``, ``test_seconds``, ``seconds`` in all; ``memory_mb`` and ``cpu_seconds`` of a fork.

It sends ``trial`` records with ``model.Trial``'s fields, ``answers``, then ``end``; or ``ungradable`` and why.
A test during which the guest broke off is never passed, whatever the test made of it.
"""

import atexit
import gc
import os
import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from acidtest.mutants.channel import Channel, Record

if TYPE_CHECKING:
    from acidtest.mutants.sandbox.forerunner import Forerunner
    from acidtest.mutants.sandbox.proxy import Proxies
    from acidtest.mutants.session import Session


def main() -> None:
    """Serve whoever started this process until they close the line."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    channel = Channel.own()
    spec = channel.receive()
    if spec is None:
        return
    if spec.get("core") is not None:
        os.sched_setaffinity(0, {spec["core"]})
    sys.path.insert(0, spec["source"])
    gc.disable()  # what is imported and collected from here on stays: looking through it for garbage takes 0.1 s
    _collect(spec, channel)


def _collect(spec: Record, channel: Channel) -> None:
    """Put the proxy in place, let pytest collect while the first guest starts, and serve."""
    from acidtest.mutants.sandbox import interior
    from acidtest.mutants.sandbox.forerunner import Forerunner
    from acidtest.mutants.sandbox.launcher import Tier
    from acidtest.mutants.sandbox.limits import Limits
    from acidtest.mutants.sandbox.proxy import Proxies
    from acidtest.mutants.sandbox.subject import CHAPTER

    if spec.get("keep") is not None:
        interior.keep_in(Path(spec["keep"]))
    tier = None if spec["tier"] is None else Tier(spec["tier"])
    forerunner = Forerunner(spec["slot"], Limits().of_forks(), tier)

    from acidtest.mutants.session import Session  # pytest and Hypothesis, for half a second

    proxies = Proxies(CHAPTER)
    proxies.install()

    Session(spec["seed"], lambda session: _serve(spec, channel, session, proxies, forerunner)).main(spec["pytest"])


def _serve(spec: Record, channel: Channel, session: "Session", proxies: "Proxies", forerunner: "Forerunner") -> None:
    """Say what was collected, and judge one submission after another, each in a child."""
    from acidtest.mutants.children import serve
    from acidtest.mutants.sandbox.battery import Questions
    from acidtest.mutants.sandbox.judging import Judge
    from acidtest.mutants.sandbox.launcher import LaunchError, NoTierError
    from acidtest.mutants.sandbox.limits import Limits

    errors = [f"{node}: {why}" for node, why in session.collection_errors.items()]
    refused = ""
    try:
        spec["tier"] = int(forerunner.settle())
    except (NoTierError, LaunchError) as error:
        refused = str(error)
    channel.send(kind="collected", tests=session.describe(), errors=errors, tier=spec["tier"], refused=refused)
    if errors or refused or not session.items:
        _end(forerunner)
    import numpy.random  # noqa: F401 - seeded before every test: imported once here, and not in every child

    gc.freeze()
    gc.enable()
    questions = Questions(None, ())
    while (command := channel.receive()) is not None:
        if "kill" not in command:  # one for a child that has ended by itself meanwhile
            if (battery := command.pop("battery", None)) is not None:
                questions = Questions(spec["calls"], battery)
                if battery:
                    questions.make()  # here, and not in each child
                    gc.freeze()
            judge = Judge(spec, channel, session, proxies, command, forerunner, questions)
            forerunner.open(Limits(**command.get("limits", {})).of_forks())
            serve(channel, spec["memory_mb"], command, judge.run, forerunner.clear)
    _end(forerunner)


def _end(forerunner: "Forerunner") -> NoReturn:
    """End this process without ado: to take down pytest and all that was imported takes longer than a test."""
    forerunner.close()
    atexit._run_exitfuncs()
    os._exit(0)


if __name__ == "__main__":
    main()
