"""The baseline, inside a worker that forks: what each test comes to, executes, draws and starts.

The worker that later forks a child for each variant never runs a test itself, so that no cache, counter or fixture of
the unchanged target is there for a variant to inherit. Each test runs twice in children: alone, from the collected
state, and after the tests before it; what it can reach is what it executed either time. One of the two times pytest
runs it in full, and the other time by such short cuts as it has; one that does not pass so has none from then on.
"""

import _thread
import contextlib
import functools
import importlib
import os
import pickle
import sys
from collections.abc import Callable, Collection, Iterable
from types import ModuleType
from typing import TYPE_CHECKING, Any

from acidtest.mutants import children, install
from acidtest.mutants.channel import Channel, Record
from acidtest.mutants.collecting import Lines
from acidtest.mutants.probes import NoProbesError, Probes
from acidtest.mutants.repeats import Repeats
from acidtest.mutants.session import Session

if TYPE_CHECKING:
    from acidtest.mutants.reach import Reach

_TELLS = {"sys.settrace", "sys.setprofile", "sys.addaudithook", "sys.monitoring.register_callback"}
_TOUCHES = {"object.__getattr__", "object.__setattr__", "object.__delattr__"}
_GIVEN = {"__defaults__", "__kwdefaults__"}
_STARTS = {"subprocess.Popen", "os.fork", "os.forkpty", "os.posix_spawn", "os.system", "os.exec"}
_FINE = ("passed", "skipped")
_HEARD = frozenset({*_STARTS, *_TELLS, *_TOUCHES, "exec", "open"})


def record(spec: Record, channel: Channel, session: Session, opaque: Lines) -> bool:
    """Send a trial for each test, and then what the schedule needs to know; return False where a process died.

    Args:
        opaque: the lines that were executed before any test.

    Raises:
        LabGoneError: nobody waits for it.
    """
    probes = None
    with contextlib.suppress(NoProbesError):
        probes = Probes({module: path for module, path in spec["files"].items() if module in sys.modules})
    files = tuple(spec["files"].values())
    found: dict[str, Record] = {}
    marks = _tracer(spec) if probes is None else probes
    repeats = session.repeats = Repeats(list(spec["files"]), probes)
    alone = [functools.partial(_alone, session, marks, files, test) for test in session.items]
    results = children.call(channel, spec["memory_mb"], alone, spec["jobs"])
    for test, (result, code) in zip(session.items, results, strict=True):
        if result is None:
            channel.send(**_died(test, code))
            return False
        if result["directly"] and result["trial"]["outcome"] not in _FINE:
            session.refuse_short_cuts(test)
            ((result, code),) = children.call(channel, spec["memory_mb"], [alone[len(found)]], 1)
            if result is None:
                channel.send(**_died(test, code))
                return False
        found[test] = result
        if result["examples"] is not None:
            session.examples.keep(test, pickle.loads(result["examples"]))
        repeats.keep(test, None if result["calls"] is None else pickle.loads(result["calls"]))
        channel.send(**result["trial"])
    in_sequence = functools.partial(_in_sequence, session, marks)
    works: list[Callable[[], Any]] = [in_sequence, repeats.answered]
    (after, code), answered = children.call(channel, spec["memory_mb"], works, spec["jobs"])
    if after is None:
        channel.send(**_died("the whole suite in sequence", code))
        return False
    for test in after["in_full"]:
        session.refuse_short_cuts(test)
    for test in found:
        repeats.keep(test, after["calls"][test])
    while True:
        answers, code = answered
        if answers is None:
            channel.send(**_died("the calls of the whole suite, repeated", code))
            return False
        repeats.keep_answers(answers)
        if not repeats.wait_for_answers():
            break
        (answered,) = children.call(channel, spec["memory_mb"], [repeats.answered], 1)
    channel.send(
        kind="baseline",
        reach={test: _merged((found[test]["lines"], after["lines"].get(f"test|{test}", {}))) for test in found},
        opaque=opaque,
        hookable={module: sorted(install.plain_functions(module)) for module in spec["files"] if module in sys.modules},
        opaque_tests=[test for test, result in found.items() if result["starts"]],
        unbounded=[test for test, result in found.items() if result["unbounded"]],
        work={test: repeats.total(test) for test in found},
        failures=after["failures"],
    )
    return True


def record_here(spec: Record, channel: Channel, session: Session, reach: "Reach") -> None:
    """Send a trial for each test, run in this process, where there is no fork: nothing is pruned on such a road."""
    opaque = reach.lines().get("", {})
    session.switch = session.examples.switch = reach.switch
    reach.start()
    tests = list(session.items)
    for test, following in zip(tests, [*tests[1:], None], strict=True):
        channel.send(**session.run(test, following))
    reach.stop()
    lines = reach.lines()
    channel.send(
        kind="baseline",
        reach={test: _merged(lines.get(f"{kind}|{test}", {}) for kind in ("test", "draw")) for test in tests},
        opaque=opaque,
        hookable={},
        opaque_tests=[],
        unbounded=tests,
        work={},
        failures=[],
    )


def _tracer(spec: Record) -> "Reach":
    """Return what records lines where the target cannot do so itself."""
    from acidtest.mutants.reach import Reach  # a tenth of a second, and seldom needed

    return Reach(spec["files"])


def _alone(session: Session, reach: "Reach | Probes", files: Collection[str], test: str) -> Record:
    """Run one test from the collected state: directly, or with all of pytest and Hypothesis."""
    session.examples.recording = session.directly = True
    session.switch = session.examples.switch = reach.switch
    reach.start()
    with session.repeats.recording() as recorder, _Witness(files) as witness:
        recorder.begin()
        trial = session.run(test, None)
    reach.stop()
    lines = reach.lines()
    drawn_from_target = bool(lines.get(f"draw|{test}"))
    kept = None if drawn_from_target else session.examples.kept(test)
    return {
        "trial": trial,
        "directly": session.ran_directly,
        "lines": _merged(lines.get(context, {}) for context in (f"test|{test}", f"draw|{test}")),
        "unbounded": reach.lost() or witness.threads + witness.readings > 0,
        "starts": witness.processes > 0,
        "examples": _pickled(kept) if kept and trial["outcome"] == "passed" else None,
        "calls": None if witness.threads or witness.processes or witness.readings else _pickled(recorder.record()),
    }


def _in_sequence(session: Session, reach: "Reach | Probes") -> Record:
    """Run all tests in order, by pytest in full those that were called directly alone.

    The others' short cuts are tried on the way, and those by which a test does not pass are given up.
    """
    session.switch = session.examples.switch = reach.switch
    session.replay = True
    reach.start()
    failures, in_full, calls = [], [], {}
    tests = list(session.items)
    with session.repeats.recording() as recorder:
        for test, following in zip(tests, [*tests[1:], None], strict=True):
            recorder.begin()
            session.directly = session.examples.kept(test) is not None
            trial = session.run(test, following)
            if trial["outcome"] not in _FINE and session.has_short_cut(test):
                in_full.append(test)
                session.refuse_short_cuts(test)
                trial = session.run(test, following)
            if trial["outcome"] not in _FINE:
                failures.append(trial)
            calls[test] = recorder.record()
    reach.stop()
    lines = reach.lines()
    merged = {f"test|{test}": _merged(lines.get(f"{kind}|{test}", {}) for kind in ("test", "draw")) for test in tests}
    return {"lines": merged, "failures": failures, "in_full": in_full, "calls": calls}


class _Witness:
    """Counts the processes that start meanwhile, the threads that no tracer follows, and who reads the target anew.

    A reader, too, is who asks for a function's code or an error's frames, and who is told of each line or call.

    Args:
        files: the target's.
    """

    def __init__(self, files: Collection[str]) -> None:
        self.processes = self.threads = self.readings = 0
        self._files = frozenset(files)
        self._here = False
        sys.addaudithook(functools.partial(_pass_on, self._hear))
        # threading keeps a name of its own for this; whoever calls it by this name starts a thread that is not traced
        self._count(_thread, "start_new_thread", "threads")
        with contextlib.suppress(ImportError):  # multiprocessing spawns by it, and no audit event tells
            self._count(importlib.import_module("_posixsubprocess"), "fork_exec", "processes")

    def __enter__(self) -> "_Witness":
        self._here = True
        return self

    def __exit__(self, *_: object) -> None:
        self._here = False

    def _hear(self, event: str, args: tuple[Any, ...]) -> None:
        if not self._here:
            return
        self.processes += event in _STARTS
        self.readings += event in _TELLS
        if event in _TOUCHES:
            self.readings += args[1] == "tb_frame"
            if args[1] == "__code__" or (event == "object.__setattr__" and args[1] in _GIVEN):
                home = sys.modules.get(getattr(args[0], "__module__", None) or "")
                self.readings += getattr(home, "__file__", None) in self._files
        elif event == "exec":
            self.readings += getattr(args[0], "co_filename", None) in self._files
        elif event == "open":
            path = args[0]
            self.readings += isinstance(path, str) and path.endswith(".py") and os.path.abspath(path) in self._files

    def _count(self, module: ModuleType, name: str, what: str) -> None:
        real = getattr(module, name)

        def counted(*args: Any, **kwargs: Any) -> Any:
            setattr(self, what, getattr(self, what) + 1)
            return real(*args, **kwargs)

        setattr(module, name, counted)


def _pass_on(hear: Callable[[str, tuple[Any, ...]], None], event: str, args: tuple[Any, ...]) -> None:
    """Tell of the few events that matter; Python asks at every ``id()`` too."""
    if event in _HEARD:
        hear(event, args)


def _merged(many: Iterable[Lines]) -> Lines:
    merged: dict[str, set[int]] = {}
    for lines in many:
        for module, numbers in lines.items():
            merged.setdefault(module, set()).update(numbers)
    return {module: sorted(numbers) for module, numbers in merged.items()}


def _pickled(kept: object) -> bytes | None:
    try:
        return pickle.dumps(kept)
    except Exception:  # whatever cannot be pickled is drawn anew each time
        return None


def _died(test: str, code: int) -> Record:
    return {"kind": "died", "test": test, "status": code}


def warm_up() -> None:
    """Let Hypothesis import and build what it needs once, here, so that no child has to.

    Only to draw and to fail: making a failure small takes long, and no child does that.
    """
    from hypothesis import Phase, given, settings
    from hypothesis import strategies as st

    def quietly(body: Callable[[int], None]) -> None:
        test = settings(database=None, max_examples=2, phases=[Phase.generate])(given(st.integers())(body))
        try:
            test()
        except ArithmeticError:
            return

    def fail(value: int) -> None:
        raise ArithmeticError

    quietly(lambda value: None)
    quietly(fail)
