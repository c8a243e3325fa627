"""Desks on other machines: the same tasks, given to a Dask scheduler. Only who asks writes anything down.

A task is plain data: a submission's bytes, ids of tests, a seed, a budget; and two parts that all tasks share and that
are named by their hash, the files of the workload and the battery. The scheduler keeps both, so that they and every
task can be given to another worker when one is lost.
"""

import dataclasses
import os
import tempfile
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import distributed

from acidtest.mutants.bundles import Data, bundle_of, digest_of, unpacked
from acidtest.mutants.model import Outcome, Test, Trial
from acidtest.mutants.sandbox.desk import Budget, Desk, DeskError, Judged, SandboxRefusedError
from acidtest.mutants.sandbox.intake import Submission
from acidtest.mutants.workload import Workload

_PATIENCE = 20.0
_AHEAD = 2
"""Tasks under way for each thread of a worker: one at work, one waiting beside it."""
_SLOTS = 63


class ClusterError(SandboxRefusedError):
    """The cluster cannot be used; one line with the reason and the remedy."""


class Cluster:
    """A connection to a scheduler.

    Args:
        address: of the scheduler, ``tcp://host:port``. workload: whose tests judge.

    Raises:
        ClusterError: nobody is there. BundleError: the workload cannot be sent.
    """

    def __init__(self, address: str, workload: Workload) -> None:
        self.bundle = bundle_of(workload)
        self._shared: dict[str, distributed.Future[Any]] = {}
        self._sharing = threading.Lock()
        try:
            self.client = distributed.Client(address, timeout=_PATIENCE, set_as_default=False)  # type: ignore[no-untyped-call]
        except (OSError, ValueError) as error:
            raise ClusterError(f"--cluster {address}: no scheduler answers there: {error}; start one") from error
        self.address = address

    def desks(self) -> list["RemoteDesk"]:
        """Return desks enough to keep all workers busy.

        Raises:
            ClusterError: there are no workers.
        """
        try:
            self.client.wait_for_workers(1, timeout=_PATIENCE)
        except TimeoutError as error:
            raise ClusterError(f"--cluster {self.address}: the scheduler has no workers; start one") from error
        threads = sum(self.client.nthreads().values())  # type: ignore[no-untyped-call]
        return [RemoteDesk(self) for _ in range(_AHEAD * threads)]

    def share(self, data: Any, name: str) -> "distributed.Future[Any]":
        """Return a handle on data that the scheduler keeps under a name, whatever becomes of the workers."""
        with self._sharing:
            if name not in self._shared:
                self._shared[name] = self.client.submit(_same, data, key=name, pure=True)
            return self._shared[name]

    def ask(self, task: Data, *shared: "distributed.Future[Any]") -> Data:
        """Return what a worker answers.

        Raises:
            ClusterError: the scheduler is gone. DeskError: the task's workers died, one after the other.
        """
        bundle = self.share(self.bundle, f"acidtest-{self.bundle['digest']}")
        try:
            answer: Data = self.client.submit(_answer, bundle, task, *shared, pure=False).result()
        except distributed.KilledWorker as error:
            raise DeskError("the workers that had it died, one after the other") from error
        except Exception as error:
            if self.client.status != "running":
                raise ClusterError(
                    f"--cluster {self.address}: the scheduler is gone; give the same command again"
                ) from error
            raise DeskError(f"the cluster failed: {type(error).__name__}: {error}") from error
        if "refused" in answer:
            raise ClusterError(f"a worker of {self.address} can run nothing: {answer['refused']}")
        if "fault" in answer:
            raise DeskError(answer["fault"])
        return answer

    def close(self) -> None:
        """Hang up; the workers' tasks are dropped."""
        self._shared.clear()
        self.client.close(timeout=_PATIENCE)  # type: ignore[no-untyped-call]

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()


class RemoteDesk(Desk):
    """A desk whose grader is wherever the scheduler finds a worker."""

    def __init__(self, cluster: Cluster) -> None:
        self.tier = -1
        self._cluster = cluster
        self._known: tuple[Test, ...] | None = None

    def begin(self) -> None:
        """Do nothing: workers start what they need."""

    def tests(self) -> tuple[Test, ...]:
        """Return the workload's tests.

        Raises:
            ClusterError: nothing can be run. DeskError: they cannot be collected.
        """
        if self._known is None:
            answer = self._cluster.ask({"tier": None})
            self.tier = int(answer["tier"])
            self._known = tuple(Test(**fields) for fields in answer["tests"])
        return self._known

    def judge(
        self,
        submission: Submission,
        seed: int,
        tests: Sequence[str],
        battery: Sequence[Mapping[str, Any]] = (),
        budget: Budget | None = None,
        *,
        own_deps: bool = False,
        explain: bool = False,
    ) -> Judged:
        """Put a submission to the tests and to the battery.

        Raises:
            ClusterError: nothing can be run. DeskError: the grader failed.
        """
        task = {
            "tier": self.tier,
            "name": submission.name,
            "sha256": submission.sha256,
            "files": dict(submission.files),
            "seed": seed,
            "tests": list(tests),
            "budget": dataclasses.asdict(budget or Budget()),
            "own_deps": own_deps,
            "explain": explain,
        }
        calls = [dict(call) for call in battery]
        answer = self._cluster.ask(
            task, self._cluster.share(calls, f"acidtest-battery-{digest_of(repr(calls).encode())}")
        )
        trials = tuple(Trial(**{**fields, "outcome": Outcome(fields["outcome"])}) for fields in answer.pop("trials"))
        return Judged(trials, tuple(answer.pop("answers")), **answer)

    def close(self, patience: float = 5.0) -> None:
        """Do nothing: the cluster is hung up on as a whole."""


# --- on a worker --------------------------------------------------------------------------------------------------

_mine = threading.local()
"""The desk of this thread of this worker, kept from one task to the next."""


def _same(data: Any) -> Any:
    return data


def _answer(bundle: Data, task: Data, battery: Sequence[Data] = ()) -> Data:
    """Do one task: judge a submission, or without one say which tests there are."""
    try:
        desk = _desk(bundle, task["tier"])
        tests = desk.tests()
        _mine.name = (bundle["digest"], desk.tier)
        if "files" not in task:
            return {"tier": desk.tier, "tests": [dataclasses.asdict(test) for test in tests]}
        submission = Submission(task["name"], task["files"], task["sha256"])
        budget = Budget(**task["budget"])
        switches = {name: task[name] for name in ("own_deps", "explain")}
        judged = desk.judge(submission, task["seed"], task["tests"], battery, budget, **switches)
        return dataclasses.asdict(judged)
    except SandboxRefusedError as error:
        return {"refused": str(error)}
    except DeskError as error:
        return {"fault": str(error)}


def _desk(bundle: Data, tier: int | None) -> Desk:
    """Return this thread's desk for a workload, a new one where the last was for another."""
    digest, last = getattr(_mine, "name", ("", None))
    if digest != bundle["digest"] or (tier is not None and tier != last):
        if digest:
            _mine.desk.close(0.5)
            _mine.folder.cleanup()
        _mine.folder = tempfile.TemporaryDirectory(prefix="acidtest-bundle-", ignore_cleanup_errors=True)
        _mine.name = ("", None)
        workload = unpacked(bundle, Path(_mine.folder.name))
        _mine.desk = Desk(workload, tier, hash((os.getpid(), threading.get_ident())) % _SLOTS)
        _mine.name = (bundle["digest"], tier)
    desk: Desk = _mine.desk
    return desk
