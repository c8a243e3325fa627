"""`acidtest doctor` on this machine, on one that refuses namespaces, on one that refuses all, and without walls."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from acidtest.mutants.sandbox import doctor
from acidtest.mutants.sandbox.doctor import SUBJECTS, Examination, Probe, examine
from acidtest.mutants.sandbox.launcher import Tier
from acidtest.reports import doctor_command
from acidtest.reports.cli import invoke
from acidtest.reports.exits import ExitCode

REFUSING = [sys.executable, str(Path(__file__).with_name("refusing.py"))]
DOCTOR = [sys.executable, "-m", "acidtest.reports.cli", "doctor", "--json"]


def run(*command: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.mark.parametrize(("prefix", "tier"), [([], 1), ([*REFUSING, "namespaces"], 2)])
def test_every_probe_holds_in_the_tier_that_this_machine_can_have(prefix: list[str], tier: int) -> None:
    done = run(*prefix, *DOCTOR)
    document = json.loads(done.stdout)
    assert [probe["name"] for probe in document["probes"]] == list(SUBJECTS)
    assert {probe["name"]: probe["managed"] for probe in document["probes"] if not probe["held"]} == {}
    assert all(probe["tried"] > 0 for probe in document["probes"])
    assert document["tier"] == tier
    assert list(document["refused"]) == [str(before) for before in range(1, tier)]
    assert document["held"]
    assert done.returncode == ExitCode.KEPT


def test_a_machine_that_refuses_every_wall_is_told_so_in_one_line() -> None:
    done = run(*REFUSING, "namespaces,landlock", *DOCTOR)
    assert done.returncode == ExitCode.NO_VERDICT
    assert done.stdout == ""
    (line,) = done.stderr.splitlines()
    assert line.startswith("acidtest: no sandbox can be built on this machine: bubblewrap: ")
    assert "; landlock: OSError: [Errno 38] Landlock is not available here" in line


def test_a_tier_that_is_asked_for_and_refused_is_no_other_tier() -> None:
    done = run(*REFUSING, "namespaces", *DOCTOR, "--tier", "1")
    assert done.returncode == ExitCode.NO_VERDICT
    assert done.stdout == ""
    assert done.stderr.startswith("acidtest: tier 1 cannot be built on this machine: ")


def test_without_walls_the_probes_fail(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(doctor, "_FOLDERS", (str(tmp_path),))
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "something").touch()
    examination = examine(Tier.UNSAFE)
    failed = {probe.name for probe in examination.probes if not probe.held}
    # What is left: the limits of processor time and disk, an empty environment, and the sweep, none of them a wall.
    assert failed == set(SUBJECTS) - {"calculate", "fill_disk", "read_environment", "eat_processor", "leave_daemon"}
    assert not examination.held


def test_a_fork_that_dies_at_a_probe_did_not_hold() -> None:
    told = {"tried": 3, "managed": [], "status": 0}
    assert doctor._probe("read_host", told).held
    assert not doctor._probe("read_host", told | {"status": -11}).held
    assert not doctor._probe("read_host", told | {"managed": ["read /etc/passwd"]}).held
    assert not doctor._probe("read_host", told | {"tried": 0}).held
    assert doctor._probe("eat_processor", told | {"tried": 0, "status": -9}).held
    assert not doctor._probe("eat_processor", told).held


def test_what_failed_is_named_and_the_exit_code_says_so(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    ways = tuple(f"way {number}" for number in range(7))
    probes = (Probe("read_host", 50, (), True), Probe("use_network", 9, ways, False))
    examination = Examination(Tier.LANDLOCK, {Tier.BUBBLEWRAP: "no namespaces"}, probes)
    monkeypatch.setattr(doctor, "examine", lambda tier: examination)
    assert invoke(["doctor"]) == ExitCode.NO_VERDICT
    assert (
        capsys.readouterr().out
        == f"""tier 2  {doctor_command._WAYS[2]}
refused 1: no namespaces

held    reads no file of the host                    50 ways
FAILED  has no network                                9 ways
          way 0
          way 1
          way 2
          way 3
          way 4
          and 2 more

1 of 2 probes held
"""
    )
