"""What grading one submission leaves for Gradescope, PrairieLearn, GitHub Classroom and JUnit's readers; the bundle."""

import base64
import hashlib
import importlib.metadata
import io
import json
import os
import subprocess
import sys
import xml.etree.ElementTree as ET
import zipfile
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from acidtest.mutants.workload import embedded
from acidtest.reports.cli import invoke
from acidtest.reports.context import UsageError
from acidtest.reports.exits import ExitCode
from acidtest.reports.feedback import Feedback, feedback_of
from acidtest.reports.grade_files import Formats, write_formats
from acidtest.reports.gradescope_bundle import BundleOptions, bundle
from acidtest.reports.grading import Assessment, Scheme, Standing
from acidtest.reports.hints import LEVELS, Ladder, Rungs
from acidtest.reports.render.classroom import classroom_document, classroom_result
from acidtest.reports.render.grade_junit import grade_junit
from acidtest.reports.render.gradescope import gradescope_document
from acidtest.reports.render.prairielearn import prairielearn_document
from acidtest.reports.tests.class_cases import (
    CALLS,
    EXPECTED,
    HOSTILE,
    MUTANTS,
    TESTS,
    assessed,
    broken_grader,
    hostile_submission,
    refused,
    told,
)
from acidtest.reports.tests.strict import read_json, read_junit, strings
from acidtest.reports.tests.test_packaging import shipped
from acidtest.reports.tests.test_text import agrees_with_golden
from acidtest.reports.wheel import own_wheel

ROOT = Path(__file__).resolve().parents[2]
MIXED = assessed("rejection.py", "PFTC", ["s01", "s02"], range(5, 8))
STANDINGS = {
    "passed": assessed("a.py", "PPPP"),
    "failed": MIXED,
    "stopped": assessed("a.py", "PPTU"),
    "ungradable": refused("a.py", "a.py: is empty; did you save your file?"),
    "internal": broken_grader("a.py", "the grader's process ended: exit status 1"),
}
OF_TEST = {"name", "status", "score", "max_score", "output", "visibility"}
OF_RESULT = {"score", "execution_time", "output", "output_format", "test_output_format", "test_name_format"} | {
    *("visibility", "stdout_visibility", "tests")
}


def read_gradescope(feedback: Feedback, points: Fraction = Fraction(100), staff: str = "") -> dict[str, Any]:
    """Return Gradescope's document, once it is what Gradescope documents."""
    document: dict[str, Any] = read_json(json.dumps(gradescope_document(feedback, points, staff)))
    assert set(document) == OF_RESULT
    assert 0 <= document["score"] <= points
    assert {document[f"{name}_format"] for name in ("output", "test_output", "test_name")} == {"text"}
    assert (document["visibility"], document["stdout_visibility"]) == ("visible", "hidden")
    for test in document["tests"]:
        assert set(test) <= OF_TEST
        assert {"name", "output", "visibility"} <= set(test)
        assert test["visibility"] in ("visible", "hidden")
        assert test.get("status") in ("passed", "failed") or test["visibility"] == "hidden"
        assert ("score" in test) == ("max_score" in test)
        assert test.get("score", 0) in (0, test.get("max_score", 0))
    return document


def read_prairielearn(feedback: Feedback) -> dict[str, Any]:
    """Return PrairieLearn's document, once it is what PrairieLearn documents."""
    document: dict[str, Any] = read_json(json.dumps(prairielearn_document(feedback)))
    assert type(document["gradable"]) is bool
    assert ("score" in document) == ("tests" in document) == document["gradable"]
    assert ("format_errors" in document) != document["gradable"]
    assert 0 <= document.get("score", 0) <= 1
    for test in document.get("tests", ()):
        assert set(test) == {"name", "description", "points", "max_points", "message"}
        assert test["points"] in (0, 1)
        assert test["max_points"] == 1
    assert len(json.dumps(document)) < 1_000_000
    return document


def read_classroom(feedback: Feedback, points: Fraction = Fraction(100)) -> dict[str, Any]:
    """Return what the reporter makes of the environment variable, once it is what its runners write."""
    found = classroom_result(classroom_document(feedback, points))
    document: dict[str, Any] = read_json(base64.b64decode(found, validate=True).decode("ascii"))
    assert set(document) == {"version", "status", "max_score", "tests"}
    assert document["version"] == 1
    assert document["status"] in ("pass", "fail", "error")
    for test in document["tests"]:
        assert set(test) == {
            *("name", "status", "score", "message", "test_code", "filename", "line_no", "execution_time")
        }
        assert test["status"] in ("pass", "fail", "error")
    assert not [text for text in strings(document) if "::" in text or "##[" in text]
    return document


def junit_of(feedback: Feedback) -> ET.Element:
    return read_junit(grade_junit(feedback))


# --- what a file says -----------------------------------------------------------------------------------------------


def test_the_files_of_a_submission_are_as_they_were_when_somebody_looked_at_them() -> None:
    feedback = told(MIXED, attempt=3)
    documents = {
        "gradescope.json": gradescope_document(feedback, staff="the staff's page\nin two lines"),
        "prairielearn.json": prairielearn_document(feedback),
        "classroom.json": classroom_document(feedback),
    }
    for name, document in documents.items():
        agrees_with_golden(json.dumps(document, indent=1) + "\n", f"grade-{name}")
    agrees_with_golden(grade_junit(feedback), "grade-junit.xml")


@pytest.mark.parametrize("standing", [name for name in STANDINGS if name != "internal"])
@pytest.mark.parametrize("scheme", Scheme)
def test_every_format_gives_the_score_of_the_scheme(standing: str, scheme: Scheme) -> None:
    assessment = STANDINGS[standing]
    share = assessment.scores.get(scheme, Fraction(0))
    feedback = told(assessment, scheme=scheme)
    for points in (Fraction(100), Fraction(7), Fraction(1, 2)):
        document = read_gradescope(feedback, points)
        assert document["score"] == pytest.approx(float(share * points), abs=1e-4)
        if scheme is Scheme.BY_TEST and document["tests"]:
            assert sum(test["score"] for test in document["tests"]) == pytest.approx(document["score"], abs=1e-3)
            assert sum(test["max_score"] for test in document["tests"]) == pytest.approx(float(points), abs=1e-3)
        else:
            assert not [test for test in document["tests"] if "score" in test]
        reported = read_classroom(feedback, points)
        assert sum(test["score"] for test in reported["tests"]) == pytest.approx(float(share * points), abs=0.0051)
        assert reported["max_score"] == points
    if standing != "ungradable":
        assert read_prairielearn(feedback)["score"] == float(share)


def test_full_marks_are_full_marks_in_a_sum_of_floats() -> None:
    tests = [TESTS[0]] * 19
    trials = assessed("a", "PPPP").trials[:1] * 19
    assessment = Assessment("a", "0" * 64, 1, 1, Standing.PASSED, trials=trials, scores={Scheme.BY_TEST: Fraction(1)})
    document = read_classroom(feedback_of(assessment, tests, Ladder(), (), 1))
    total = 0.0
    for test in document["tests"]:
        total += test["score"]
    assert total == document["max_score"] == 100


def test_every_format_has_every_test_and_how_it_went() -> None:
    feedback = told(MIXED)
    names = [test.name for test in TESTS]
    gradescope, prairielearn, classroom = (
        read_gradescope(feedback),
        read_prairielearn(feedback),
        read_classroom(feedback),
    )
    assert [(test["name"], test["status"]) for test in gradescope["tests"]] == list(
        zip(names, ["passed", "failed", "failed", "failed"], strict=True)
    )
    assert [(test["name"], test["points"]) for test in prairielearn["tests"]] == list(
        zip(names, [1, 0, 0, 0], strict=True)
    )
    assert [(test["name"], test["status"]) for test in classroom["tests"][:-1]] == list(
        zip(names, ["pass", "fail", "error", "error"], strict=True)
    )
    (suite,) = junit_of(feedback)
    assert [(case.attrib["name"], [part.tag for part in case]) for case in suite] == list(
        zip(names, [[], ["failure"], ["error"], ["error"]], strict=True)
    )


def test_each_attempt_adds_a_hint_to_the_failed_test_alone() -> None:
    for attempt in range(1, LEVELS + 2):
        texts = [test["output"] for test in read_gradescope(told(MIXED, attempt))["tests"]]
        assert [text.count("Hint: ") for text in texts] == [0, min(attempt, LEVELS), 0, 0]


# --- what a file must not say -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("attempt", [1, LEVELS, 99])
def test_a_learner_reads_no_expected_value_no_mutant_and_no_reason_of_a_failed_test(attempt: int) -> None:
    feedback = told(MIXED, attempt)
    texts = {
        "gradescope": list(strings(read_gradescope(feedback))),
        "prairielearn": list(strings(read_prairielearn(feedback))),
        "classroom": list(strings(read_classroom(feedback))),
        "junit": [grade_junit(feedback)],
    }
    secrets = [*EXPECTED.split(" == "), *(one.id for one in MUTANTS), *(one.title for one in MUTANTS), "assertion"]
    for name, found in texts.items():
        for text in found:
            assert not [secret for secret in secrets if secret in text], (name, text)


def test_the_staff_s_page_is_hidden_and_only_there_if_it_was_asked_for() -> None:
    page = f"{EXPECTED}: s01 accepts on equality"
    document = read_gradescope(told(MIXED), staff=page)
    *visible, hidden = document["tests"]
    assert hidden == {"name": "For the staff", "output": page, "visibility": "hidden"}
    assert {test["visibility"] for test in visible} == {"visible"}
    without = read_gradescope(told(MIXED))
    assert without == document | {"tests": visible}


def test_a_fault_of_the_grader_is_no_score_anywhere_and_tells_learners_no_reason(tmp_path: Path) -> None:
    feedback = told(STANDINGS["internal"])
    assert gradescope_document(feedback) is None
    assert read_prairielearn(feedback)["gradable"] is False
    classroom = read_classroom(feedback)
    assert (classroom["status"], classroom["max_score"], [one["score"] for one in classroom["tests"]]) == (
        "error",
        0,
        [0],
    )
    assert [part.tag for part in junit_of(feedback)[0][0]] == ["error"]
    formats = Formats(tmp_path / "g.json", tmp_path / "j.xml", tmp_path / "p.json", tmp_path / "c.json")
    (tmp_path / "g.json").write_text("an earlier score", "utf-8")
    write_formats(formats, feedback)
    assert (tmp_path / "g.json").read_text("utf-8") == "an earlier score"
    for name in ("j.xml", "p.json", "c.json"):
        assert "exit status" not in (tmp_path / name).read_text("utf-8")
        assert "not your doing" in (tmp_path / name).read_text("utf-8")


def test_what_cannot_be_graded_says_why_and_costs_no_attempt_where_a_format_has_them() -> None:
    feedback = told(STANDINGS["ungradable"])
    why = STANDINGS["ungradable"].why
    assert why in read_gradescope(feedback)["output"]
    assert read_gradescope(feedback)["score"] == 0
    assert read_prairielearn(feedback) == {
        "gradable": False,
        "message": feedback.headline,
        "format_errors": [why],
    }
    assert why in read_classroom(feedback)["tests"][-1]["message"]
    assert junit_of(feedback)[0][0][0].attrib["message"] == why


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_text_in_every_field_is_read_by_every_strict_reader(text: str) -> None:
    ladder = Ladder(tests={test.name: Rungs(("accept",), text, text, text) for test in TESTS})
    for assessment in (hostile_submission(text), refused(text, text), broken_grader(text, text)):
        for scheme in Scheme:
            feedback = feedback_of(assessment, TESTS, ladder, CALLS, LEVELS, scheme)
            if assessment.standing is not Standing.INTERNAL:
                read_gradescope(feedback, staff=text or "-")
            document = read_prairielearn(feedback)
            assert not [one for one in document.get("format_errors", ()) if "<" in one or "&" in one]
            read_classroom(feedback)
            junit_of(feedback)


# --- the bundle ---------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def unpacked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a bundle, unpacked as Gradescope does it."""
    root = tmp_path_factory.mktemp("autograder")
    data = bundle(BundleOptions(points=Fraction(20), salt="hw 3"))
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        archive.extractall(root / "source")
        for entry in archive.infolist():
            (root / "source" / entry.filename).chmod(entry.external_attr >> 16 & 0o777)
    (root / "source" / "run_autograder").rename(root / "run_autograder")
    return root


def run_autograder(root: Path, acidtest: str) -> "subprocess.CompletedProcess[str]":
    """Run the bundle's script with a command in acidtest's place."""
    folder = root / "acidtest" / "bin"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "acidtest").write_text(f"#!/bin/sh\n{acidtest}\n", "utf-8")
    (folder / "acidtest").chmod(0o755)
    (folder / "python").unlink(missing_ok=True)
    (folder / "python").symlink_to(sys.executable)
    return subprocess.run(
        [root / "run_autograder"],
        env={**os.environ, "AUTOGRADER": str(root)},
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_bundle_has_what_gradescope_wants_at_the_top_of_the_zip(unpacked: Path) -> None:
    data = bundle(BundleOptions())
    assert data == bundle(BundleOptions()), "the same options give the same bytes"
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        modes = {entry.filename: oct(entry.external_attr >> 16 & 0o777) for entry in archive.infolist()}
    wheel = own_wheel().name
    assert modes == {"setup.sh": "0o755", "run_autograder": "0o755", "options": "0o644", wheel: "0o644"}
    for script in (unpacked / "source" / "setup.sh", unpacked / "run_autograder"):
        assert subprocess.run(["bash", "-n", script], check=False).returncode == 0
        assert script.read_bytes().startswith(b"#!/usr/bin/env bash\n")
    options = (unpacked / "source" / "options").read_text("utf-8").splitlines()
    assert options == ["--scheme=by-test", "--points=20", "--seconds=60", "--salt=hw 3"]


def test_the_wheel_holds_what_the_rooms_hold_and_says_what_it_needs(tmp_path: Path) -> None:
    wheel = own_wheel()
    assert wheel.data == own_wheel().data
    with zipfile.ZipFile(io.BytesIO(wheel.data)) as archive:
        archive.extractall(tmp_path)
        names = set(archive.namelist())
    (info,) = tmp_path.glob("*.dist-info")
    about = {f"{info.name}/{name}" for name in ("METADATA", "WHEEL", "entry_points.txt", "RECORD")}
    expected = {f"acidtest/{name}" for name in shipped()} | about
    assert names >= expected
    assert all("/LICENSE" in name for name in names - expected)
    for line in (info / "RECORD").read_text("utf-8").splitlines():
        path, digest, size = line.rsplit(",", 2)
        if digest:
            data = (tmp_path / path).read_bytes()
            found = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            assert (digest, size) == (f"sha256={found}", str(len(data)))
    distribution = importlib.metadata.Distribution.at(info)
    needs = " ".join(distribution.requires or [])
    assert all(name in needs for name in ("click", "hypothesis", "jinja2", "numpy", "pytest", "rich", "scipy"))
    (script,) = distribution.entry_points
    assert (script.name, script.value) == ("acidtest", "acidtest.reports.cli:main")
    assert f"acidtest-{distribution.version}-py3-none-any.whl" == wheel.name
    again = own_wheel(tmp_path / "acidtest")  # from what is installed, where there is no pyproject.toml
    with zipfile.ZipFile(io.BytesIO(again.data)) as archive:
        assert set(archive.namelist()) == names


def test_a_bundle_takes_wheels_for_an_image_that_is_built_without_the_network(tmp_path: Path) -> None:
    (tmp_path / "numpy-2.1.0-py3-none-any.whl").write_bytes(b"a wheel")
    with zipfile.ZipFile(io.BytesIO(bundle(BundleOptions(wheels=tmp_path)))) as archive:
        assert archive.read("wheels/numpy-2.1.0-py3-none-any.whl") == b"a wheel"
    own = tmp_path / own_wheel().name
    own.write_bytes(own_wheel().data)
    with zipfile.ZipFile(io.BytesIO(bundle(BundleOptions(wheel=own, wheels=tmp_path)))) as archive:
        assert [name for name in archive.namelist() if name.endswith(".whl")] == [
            own.name,
            "wheels/numpy-2.1.0-py3-none-any.whl",
        ]


@pytest.mark.parametrize(("folder", "said"), [("wheels", "--no-index --find-links"), ("", "")])
def test_setup_installs_from_wheels_where_there_are_any(unpacked: Path, tmp_path: Path, folder: str, said: str) -> None:
    source, binaries = tmp_path / "source", tmp_path / "bin"
    for path in (source, source / folder, binaries, tmp_path / "acidtest" / "bin"):
        path.mkdir(parents=True, exist_ok=True)
    for path in (unpacked / "source").iterdir():
        (source / path.name).write_bytes(path.read_bytes())
    log = tmp_path / "log"
    for name in ("bin/python3.13", "acidtest/bin/pip", "acidtest/bin/python", "acidtest/bin/acidtest"):
        (tmp_path / name).write_text(f'#!/bin/sh\necho "$(basename "$0") $*" >>"{log}"\n', "utf-8")
        (tmp_path / name).chmod(0o755)
    environment = {"PATH": f"{binaries}:/usr/bin:/bin", "AUTOGRADER": str(tmp_path)}
    result = subprocess.run(["bash", source / "setup.sh"], env=environment, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    calls = log.read_text("utf-8").splitlines()
    pip = next(call for call in calls if call.startswith("pip "))
    assert said in pip
    assert ("--no-index" in pip) == bool(said)
    assert pip.endswith(own_wheel().name)
    assert [call.split()[1] for call in calls if call.startswith("acidtest ")] == ["doctor", "grade"]


@pytest.mark.parametrize("wrong", ["x.zip", "acidtest-9.whl", "missing.whl"])
def test_what_is_no_wheel_of_acidtest_is_refused(tmp_path: Path, wrong: str) -> None:
    with zipfile.ZipFile(tmp_path / "x.zip", "w") as archive:
        archive.writestr("a.txt", "a")
    (tmp_path / "acidtest-9.whl").write_bytes(b"no zip")
    with pytest.raises(UsageError, match="--wheel"):
        bundle(BundleOptions(wheel=tmp_path / wrong))
    with pytest.raises(UsageError, match="--wheels"):
        bundle(BundleOptions(wheels=tmp_path / "nothing"))
    with pytest.raises(UsageError, match="--salt"):
        bundle(BundleOptions(salt="a\n--unsafe"))


@pytest.mark.parametrize("code", [2, 5, 70, 137])
def test_a_fault_of_the_grader_leaves_gradescope_nothing(unpacked: Path, code: int) -> None:
    results = unpacked / "results" / "results.json"
    results.parent.mkdir(exist_ok=True)
    results.write_text("an earlier submission's", "utf-8")
    half = f'for one; do case $one in *results.json) echo half >"$one";; esac; done; exit {code}'
    found = run_autograder(unpacked, half)
    assert found.returncode == 1
    assert f"exit code {code}" in found.stderr
    assert not results.exists()


@pytest.mark.parametrize(
    ("metadata", "attempt"),
    [
        (None, 1),
        ("no json", 1),
        ("[]", 1),
        ('{"previous_submissions": 3}', 1),
        ('{"previous_submissions": []}', 1),
        ('{"previous_submissions": [{"score": 0.0}, {"autograder_error": true}, {"autograder_error": false}]}', 3),
    ],
)
def test_an_attempt_that_the_grader_failed_on_is_not_counted(
    unpacked: Path, metadata: str | None, attempt: int
) -> None:
    (unpacked / "submission_metadata.json").unlink(missing_ok=True)
    if metadata is not None:
        (unpacked / "submission_metadata.json").write_text(metadata, "utf-8")
    found = run_autograder(unpacked, 'printf "%s\\n" "$@"')
    assert found.returncode == 0, found.stderr
    arguments = found.stdout.splitlines()
    assert arguments[arguments.index("--attempt") + 1] == str(attempt)
    assert arguments[:3] == ["grade", str(unpacked / "submission"), "--one"]
    assert arguments[-4:] == ["--scheme=by-test", "--points=20", "--seconds=60", "--salt=hw 3"]
    (unpacked / "submission_metadata.json").unlink(missing_ok=True)


def test_the_bundle_grades_a_submission_and_every_other_format_agrees(unpacked: Path, tmp_path: Path) -> None:
    source = (embedded().source / "tinyllm" / "prob" / "rejection.py").read_text("utf-8")
    (unpacked / "submission").mkdir(exist_ok=True)
    (unpacked / "submission" / "rejection.py").write_text(source.replace("return u < ", "return u <= "), "utf-8")
    others = f"--junit={tmp_path}/j.xml --prairielearn={tmp_path}/p.json --classroom={tmp_path}/c.json"
    main = f'"{sys.executable}" -c "from acidtest.reports.cli import main; main()" "$@" {others}'
    found = run_autograder(unpacked, main)
    assert found.returncode == 0, found.stdout + found.stderr
    document = read_json((unpacked / "results" / "results.json").read_text("utf-8"))
    failed = [test["name"] for test in document["tests"] if test["status"] == "failed"]
    passed = len(document["tests"]) - len(failed)
    assert "test_accept_is_strict" in failed
    assert document["score"] == pytest.approx(20 * passed / len(document["tests"]), abs=1e-4)
    staff = read_json(found.stdout)
    assert [match["mutant"] for match in staff["diagnosis"]["named"]] == ["s01"]
    assert "s01" not in json.dumps(document)
    root = read_junit((tmp_path / "j.xml").read_text("utf-8"))
    assert [case.attrib["name"] for case in root.iter("testcase") if len(case)] == failed
    prairielearn = read_json((tmp_path / "p.json").read_text("utf-8"))
    assert prairielearn["score"] == staff["scores"]["by-test"]
    classroom = read_json((tmp_path / "c.json").read_text("utf-8"))
    assert classroom["tests"][-1]["score"] == pytest.approx(document["score"], abs=0.005)


# --- the commands ----------------------------------------------------------------------------------------------------


def test_files_for_one_submission_are_refused_for_a_class(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "class").mkdir()
    for name in ("a.py", "b.py"):
        (tmp_path / "class" / name).write_text("x = 1\n", "utf-8")
    assert invoke(["grade", str(tmp_path / "class"), "--gradescope", "x.json"]) == ExitCode.USAGE
    assert "--out is for a class" in capsys.readouterr().err
    assert invoke(["grade", str(tmp_path / "a.py"), "--points", "0"]) == ExitCode.USAGE
    assert "is not between 0 and a million" in capsys.readouterr().err


def test_a_bundle_is_written_where_it_was_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert invoke(["gradescope", "autograder.zip", "--points", "12.5", "--staff"]) == ExitCode.KEPT
    assert "autograder.zip" in capsys.readouterr().out
    with zipfile.ZipFile(tmp_path / "autograder.zip") as archive:
        assert archive.read("options").decode().splitlines() == [
            "--scheme=by-test",
            "--points=25/2",
            "--seconds=60",
            "--staff",
        ]
    assert invoke(["gradescope", str(tmp_path / "missing" / "a.zip")]) == ExitCode.USAGE
    (tmp_path / "pyproject.toml").write_text(
        '[tool.acidtest]\nmodules = ["a"]\ntests = ["t"]\ncatalog = "c"\n', "utf-8"
    )
    (tmp_path / "a.py").touch()
    (tmp_path / "t").mkdir()
    (tmp_path / "c").mkdir()
    assert invoke(["gradescope", "autograder.zip"]) == ExitCode.USAGE
    assert "a workload of its own" in capsys.readouterr().err
