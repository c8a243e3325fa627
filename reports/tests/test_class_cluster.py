"""The same class on a Dask cluster of two workers, one of which is killed in the middle."""

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from acidtest.reports.tests import class_of
from acidtest.reports.tests.class_runs import LONG, grade, graders, is_alive, kept

NUMBER, LOSS = (60, 20) if LONG else (14, 4)


@dataclass(frozen=True)
class LocalCluster:
    """A scheduler and its workers, on this machine."""

    address: str
    workers: "list[subprocess.Popen[bytes]]"


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[LocalCluster]:
    """Start a scheduler and two workers of one thread each; all are killed in the end."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"tcp://127.0.0.1:{free.getsockname()[1]}"
    place = ["--host", "127.0.0.1", "--no-dashboard"]
    port = address.rpartition(":")[2]
    alone = ["--nthreads", "1", "--no-nanny", "--no-dashboard", "--local-directory", str(tmp_path / "dask")]
    scheduler = _start("dask_scheduler", *place, "--port", port)
    workers = [_start("dask_worker", address, *alone) for _ in range(2)]
    try:
        yield LocalCluster(address, workers)
    finally:
        for process in (*workers, scheduler):
            process.kill()
            process.wait()


def _start(module: str, *arguments: str) -> "subprocess.Popen[bytes]":
    null = subprocess.DEVNULL
    command = [sys.executable, "-m", f"distributed.cli.{module}", *arguments]
    return subprocess.Popen(command, stdout=null, stderr=null, env=os.environ | {"PYTHONWARNINGS": "ignore"})


def test_a_cluster_that_loses_a_worker_comes_to_the_same(cluster: LocalCluster, tmp_path: Path) -> None:
    project = tmp_path / "project"
    project.mkdir()
    class_of.small(project)
    handed_in = class_of.write(tmp_path / "handed-in", NUMBER, looping=0)
    here = grade(project, handed_in, tmp_path / "here")
    page = here.page()
    there = grade(project, handed_in, tmp_path / "there", "--cluster", cluster.address)
    there.until(LOSS)
    assert there.process.poll() is None, "it ended before a worker could be killed"
    graders_lost = graders(cluster.workers[0].pid)
    assert graders_lost, "the worker had nothing to lose"
    cluster.workers[0].kill()
    assert there.page() == page
    assert not any(is_alive(pid) for pid in graders_lost)
    assert kept(tmp_path / "there") == kept(tmp_path / "here")


def test_nobody_at_the_address_is_said_in_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    handed_in = class_of.write(tmp_path / "handed-in", 1, looping=0)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"tcp://127.0.0.1:{free.getsockname()[1]}"
    begun = time.monotonic()
    run = grade(None, handed_in, tmp_path / "state", "--cluster", address)
    _, complaint = run.process.communicate(timeout=300)
    assert run.process.returncode == 5, (complaint, time.monotonic() - begun)
    assert f"--cluster {address}: no scheduler answers there" in complaint.splitlines()[-1]
