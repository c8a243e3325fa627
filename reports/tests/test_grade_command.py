"""`acidtest grade`: its exit codes, its last line, what a learner may see, and what a submission cannot say."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from acidtest.mutants.sandbox.desk import Desk, DeskError, Judged
from acidtest.mutants.workload import Workload, embedded
from acidtest.reports import cli_grade, grade_command
from acidtest.reports.cli import invoke
from acidtest.reports.exits import ExitCode
from acidtest.reports.grade_command import Options

ROOT = Path(__file__).parents[2]
MODULE = "tinyllm.prob.rejection"
REFERENCE = embedded().read(MODULE)
LAX = REFERENCE.replace("return u < p_x / q_x", "return u <= p_x / q_x")
ENTRIES = ("s01_", "s02_", "s03_")
Capture = pytest.CaptureFixture[str]


@pytest.fixture(scope="module")
def assignment(tmp_path_factory: pytest.TempPathFactory) -> Workload:
    """The workload that ships, with one file of its tests and a few entries: enough to be judged by, and quick."""
    whole = embedded()
    catalog = tmp_path_factory.mktemp("catalog")
    for path in sorted(whole.catalog.glob("*.toml")):
        if path.name.startswith(ENTRIES):
            (catalog / path.name).write_bytes(path.read_bytes())
    return replace(whole, catalog=catalog, tests=(ROOT / "properties" / "test_accept.py",))


@pytest.fixture(scope="module")
def shared(assignment: Workload, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Desk, Path]]:
    """One desk and one state folder for all commands that ask for nothing special."""
    desk = Desk(assignment, slot=43)
    yield desk, tmp_path_factory.mktemp("state")
    desk.close()


class Grade:
    """Runs the command in a folder of its own."""

    def __init__(self, folder: Path, state: Path, capsys: Capture) -> None:
        self.folder, self.state, self._capsys = folder, state, capsys
        self.document: dict[str, Any] = {}
        self.errors = ""

    def __call__(self, source: str | bytes | Path, *options: str) -> tuple[ExitCode, str]:
        """Grade a text, or what is at a path; return the exit code and the page."""
        path = source if isinstance(source, Path) else self.folder / "alice.py"
        if not isinstance(source, Path):
            path.write_bytes(source if isinstance(source, bytes) else source.encode())
        result = self.folder / "result.json"
        result.unlink(missing_ok=True)
        code = invoke(["grade", str(path), "--json", str(result), "--state", str(self.state), *options])
        self.document = json.loads(result.read_text("utf-8")) if result.exists() else {}
        shown = self._capsys.readouterr()
        self.errors = shown.err
        return ExitCode(code), shown.out


@pytest.fixture
def grade(
    assignment: Workload,
    shared: tuple[Desk, Path],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: Capture,
) -> Grade:
    desk, state = shared

    @contextmanager
    def lent(workload: Workload, options: Options, folder: Path) -> Iterator[Desk]:
        with own(workload, options, folder) if options.unsafe else _as_it_is(desk) as judging:
            yield judging

    own = grade_command._desk
    monkeypatch.setattr(cli_grade, "find_workload", lambda here: assignment)
    monkeypatch.setattr(grade_command, "_desk", lent)
    monkeypatch.setenv("COLUMNS", "80")
    return Grade(tmp_path, state, capsys)


@contextmanager
def _as_it_is(desk: Desk) -> Iterator[Desk]:
    yield desk


def last_line(page: str) -> str:
    return page.rstrip("\n").rpartition("\n")[2]


def answer(body: str) -> str:
    """Return the reference with another ``acceptance_probability``."""
    return f"{REFERENCE}\n\ndef acceptance_probability(p, q):\n    {body}\n"


def test_the_files_that_say_so_hold_all_of_the_chapter_s_tests() -> None:
    whole = embedded()
    desk = Desk(whole, tier=0, slot=44)
    try:
        places = {test.id.partition("::")[0]: False for test in desk.tests()}
        places |= {test.id.partition("::")[0]: True for test in desk.tests() if test.chapter}
    finally:
        desk.close()
    fewer = whole.chapters_own()
    assert {str(path.relative_to(whole.root)) for path in fewer.tests} == {place for place in places if places[place]}
    assert len(fewer.tests) < len(whole.tests) == len(places)


def test_a_project_of_one_s_own_may_mark_its_tests_as_it_likes() -> None:
    assert replace(embedded(), embedded=False).chapters_own() == replace(embedded(), embedded=False)
    unmarked = embedded().with_tests((ROOT / "properties" / "test_uniforms.py",))
    assert unmarked.chapters_own() == unmarked


@pytest.mark.parametrize("extended", [False, True])
def test_only_files_whose_tests_may_count_are_collected(
    extended: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in [name for name in os.environ if name.startswith("LD_")]:
        monkeypatch.delenv(name)  # nothing is kept where they steer the loader
    options = Options(extended, False, 1, "", False, True, None, 60.0, None)
    with grade_command._desk(embedded(), options, tmp_path) as desk:
        whole = len({test.id.partition("::")[0] for test in desk.tests()}) == len(embedded().tests)
        assert whole == extended
    assert (tmp_path / "sandbox" / "interior.json").is_file()


def test_what_is_right_passes_and_the_last_line_says_so(grade: Grade) -> None:
    code, page = grade(REFERENCE)
    assert code == ExitCode.KEPT
    assert last_line(page) == "PASSED  5 of 5 tests passed, 100.0% (exit code 0)"
    assert page.splitlines()[0] == "alice.py"
    assert (grade.document["standing"], grade.document["exit_code"]) == ("passed", 0)
    assert grade.document["scores"] == {"all-or-nothing": 1.0, "by-test": 1.0, "by-pitfall": 1.0}
    assert grade.document["diagnosis"]["verdict"] == "right"
    assert set(grade.document["versions"]) == {"python", "acidtest", "hypothesis", "pytest", "numpy"}


@pytest.mark.parametrize(
    ("source", "code", "standing", "words"),
    [
        (LAX, ExitCode.BROKEN, "failed", "FAILED  4 of 5 tests passed, 80.0% (exit code 1)"),
        ("import os; os._exit(0)", ExitCode.UNDECIDED, "stopped", "STOPPED  0 of 5 tests passed, 0.0% (exit code 3)"),
        ("def f(:", ExitCode.CANNOT_JUDGE, "ungradable", "(exit code 4)"),
        ("x = 1", ExitCode.CANNOT_JUDGE, "ungradable", "(exit code 4)"),
        (b"\xff\xfex", ExitCode.CANNOT_JUDGE, "ungradable", "(exit code 4)"),
    ],
)
def test_the_exit_code_is_the_grader_s_alone(
    grade: Grade, source: str | bytes, code: ExitCode, standing: str, words: str
) -> None:
    found, page = grade(source, "--staff")
    assert found == code
    assert (grade.document["standing"], grade.document["exit_code"]) == (standing, int(code))
    assert last_line(page).endswith(words)
    assert last_line(page).startswith(standing.upper())


def test_parameters_of_other_names_are_no_mistake(grade: Grade) -> None:
    renamed = REFERENCE.replace("p_x", "target_mass").replace("q_x", "draft_mass")
    code, _ = grade(renamed)
    assert code == ExitCode.KEPT
    assert grade.document["diagnosis"]["verdict"] == "right"


def test_what_is_refused_at_the_door_costs_one_sentence(grade: Grade) -> None:
    (grade.folder / "link.py").symlink_to("/etc/passwd")
    code, page = grade(grade.folder / "link.py")
    assert code == ExitCode.CANNOT_JUDGE
    assert page.splitlines()[:1] == ["link.py"]
    assert "link.py: is a link; hand in the file itself" in page
    assert last_line(page).endswith("(exit code 4)")
    assert grade.document["why"] == "link.py: is a link; hand in the file itself"
    assert (grade.document["scores"], grade.document["tests"], grade.document["sha256"]) == ({}, [], "")


@pytest.mark.parametrize("arguments", [["nothing.py"], ["alice.py", "--attempt", "0"], [], ["a.py", "b.py"]])
def test_what_cannot_be_asked_is_a_matter_of_usage(grade: Grade, arguments: list[str], capsys: Capture) -> None:
    assert invoke(["grade", *arguments]) == ExitCode.USAGE
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err.strip()


def without_times(document: dict[str, Any]) -> dict[str, Any]:
    tests = [{key: value for key, value in test.items() if key != "seconds"} for test in document["tests"]]
    return {key: value for key, value in document.items() if key != "seconds"} | {"tests": tests}


def test_the_same_file_gets_the_same_grade_and_hints_that_grow(grade: Grade) -> None:
    pages, documents = [], []
    for attempt in ("1", "2", "3", "9"):
        code, page = grade(LAX, "--attempt", attempt)
        assert code == ExitCode.BROKEN
        pages.append(page)
        documents.append(without_times(grade.document))
    assert all(document == documents[0] for document in documents)
    assert documents[0]["diagnosis"]["named"][0]["mutant"] == "s01"
    assert len(pages[0]) < len(pages[1]) < len(pages[2]) == len(pages[3])
    assert "Section" not in pages[0]
    assert "Section 2.2 of the chapter" in " ".join(pages[1].split())
    assert "Work this out by hand" in " ".join(pages[2].split())
    grade(LAX, "--salt", "another assignment")
    assert grade.document["seed"] != documents[0]["seed"]
    assert grade.document["sha256"] == documents[0]["sha256"]


def test_a_learner_sees_no_expected_value_no_mutant_and_no_text_of_a_test(grade: Grade) -> None:
    for source in (LAX, answer("return 0.875"), answer("raise AssertionError('mine')")):
        code, page = grade(source, "--attempt", "9")
        assert code == ExitCode.BROKEN
        text = " ".join(page.split())
        for hidden in ("s01", "expected", "answered", "assert ", "mutant", "LAST_UNIFORM", "0.4999", "HAND.p"):
            assert hidden not in text, hidden
    code, page = grade(LAX, "--staff")
    assert "s01" in page
    assert "expected" in page


HOSTILE_WORDS = (
    "\x1b[2J\x1b]0;title\x07\u202e\u2066\u200f\r\nPASSED  5 of 5 tests passed (exit code 0)\x9b31m\ud800[bold red]"
)


@pytest.mark.parametrize(
    ("option", "body"),
    [
        ("--staff", f"raise RuntimeError({HOSTILE_WORDS!a})"),
        ("--attempt=3", f"raise type({HOSTILE_WORDS!a}, (Exception,), {{}})({HOSTILE_WORDS!a})"),
        ("--staff", f"return {HOSTILE_WORDS!a}"),
        ("--staff", f"return type({HOSTILE_WORDS!a}, (float,), {{}})(0.25)"),
    ],
)
def test_a_submission_cannot_speak_to_the_terminal(grade: Grade, option: str, body: str) -> None:
    code, page = grade(answer(body), option)
    assert code == ExitCode.BROKEN
    assert all(letter.isprintable() or letter == "\n" for letter in page)
    assert last_line(page).startswith("FAILED  ")
    assert not any(line.startswith("PASSED") for line in page.splitlines())
    shown = [value for test in grade.document["tests"] for value in (test["reason"], test["detail"])]
    assert all(letter.isprintable() or letter == "\n" for text in shown for letter in text)


def test_an_import_that_fails_cannot_either(grade: Grade) -> None:
    code, page = grade(f"raise RuntimeError({HOSTILE_WORDS!a})")
    assert code == ExitCode.CANNOT_JUDGE
    assert all(letter.isprintable() or letter == "\n" for letter in page)
    assert last_line(page).startswith("UNGRADABLE  ")
    assert "\n" not in grade.document["why"]
    assert all(letter.isprintable() for letter in grade.document["why"])


def test_nor_can_the_name_of_a_file(grade: Grade) -> None:
    path = grade.folder / "\u202eyp.\x1b[2Jecila\n.py"
    path.write_text(REFERENCE)
    code, page = grade(path)
    assert code == ExitCode.KEPT
    assert page.splitlines()[0] == "?yp.?[2Jecila?.py"
    assert grade.document["name"] == "?yp.?[2Jecila?.py"


def test_json_goes_to_standard_output_alone(grade: Grade, capsys: Capture) -> None:
    (grade.folder / "alice.py").write_text(LAX)
    code = invoke(["grade", str(grade.folder / "alice.py"), "--json", "-", "--state", str(grade.state)])
    shown = capsys.readouterr()
    assert code == ExitCode.BROKEN
    assert json.loads(shown.out)["standing"] == "failed"
    assert last_line(shown.err) == "FAILED  4 of 5 tests passed, 80.0% (exit code 1)"


def test_a_fault_of_the_grader_is_no_grade(grade: Grade, monkeypatch: pytest.MonkeyPatch) -> None:
    def die(*_: object, **__: object) -> None:
        raise DeskError("the grader died: of old age")

    monkeypatch.setattr(Desk, "judge", die)
    code, page = grade(REFERENCE)
    assert code == ExitCode.INTERNAL
    assert "the grader died: of old age" in page
    assert last_line(page).startswith("INTERNAL  ")
    assert (grade.document["standing"], grade.document["scores"], grade.document["tests"]) == ("internal", {}, [])


def test_judging_without_a_sandbox_is_written_into_the_result_and_the_page(grade: Grade) -> None:
    code, page = grade(REFERENCE, "--unsafe")
    assert code == ExitCode.KEPT
    assert grade.document["tier"] == 0
    assert "judged without a sandbox (--unsafe)" in page
    code, page = grade(REFERENCE)
    assert grade.document["tier"] > 0
    assert "without a sandbox" not in page


def test_where_no_sandbox_holds_nothing_is_run_and_one_line_says_so(tmp_path: Path, assignment: Workload) -> None:
    mark = tmp_path / "it-ran"
    (tmp_path / "alice.py").write_text(f"open({str(mark)!r}, 'w')\n{REFERENCE}")
    settings = {"source": assignment.source, "catalog": assignment.catalog}
    lines = [f'{key} = "{place}"' for key, place in settings.items()]
    lines += [f'{key} = ["{name}"]' for key, name in (("modules", MODULE), ("tests", assignment.tests[0]))]
    (tmp_path / "pyproject.toml").write_text("\n".join(["[tool.acidtest]", *lines]))
    refusing = [sys.executable, str(ROOT / "mutants" / "tests" / "refusing.py"), "namespaces,landlock"]
    command = [sys.executable, "-m", "acidtest.reports.cli", "grade", "alice.py", "--json", "result.json"]
    done = subprocess.run([*refusing, *command], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == ExitCode.NO_VERDICT
    assert done.stdout == ""
    (line,) = done.stderr.splitlines()
    assert line.startswith("acidtest: no sandbox can be built on this machine: bubblewrap: ")
    assert not mark.exists()
    assert not (tmp_path / "result.json").exists()


@pytest.mark.parametrize("read", [[], ["--staff"], ["--json", "-"]])
def test_a_diagnosis_that_nobody_reads_is_not_asked_for(
    grade: Grade, monkeypatch: pytest.MonkeyPatch, read: list[str]
) -> None:
    """Neither of the submission nor of the catalog, which takes much longer, and which is asked only once."""
    answered: list[int] = []
    judge = Desk.judge

    def noted(desk: Desk, *how: Any, **more: Any) -> Judged:
        judged = judge(desk, *how, **more)
        answered.append(len(judged.answers))
        return judged

    monkeypatch.setattr(Desk, "judge", noted)
    for number, source in enumerate((REFERENCE, LAX)):
        path = grade.folder / f"{number}.py"
        path.write_text(source)
        invoke(["grade", str(path), "--state", str(grade.folder / "state"), *read])
        assert (grade.folder / "state" / "diagnosis").exists() is bool(read or number)
    right, *wrong = answered
    assert (right > 0) is bool(read)
    assert len(wrong) == (1 if read else 2)
    assert wrong[-1] > 0


READ_FOR_A_PAGE = """
import sys
from acidtest.reports.cli import invoke
code = invoke(["grade", *sys.argv[1:]])
print(*[name for name in ("rich", "acidtest.mutants.load", "acidtest.reports.diagnosing") if name in sys.modules])
sys.exit(code)
"""


@pytest.mark.parametrize(
    ("source", "read"), [(REFERENCE, ""), (LAX, "rich acidtest.mutants.load acidtest.reports.diagnosing")]
)
def test_where_every_test_passed_neither_the_catalog_nor_rich_is_read(
    grade: Grade, assignment: Workload, source: str, read: str
) -> None:
    settings = {"source": assignment.source, "catalog": assignment.catalog, "calls": assignment.calls}
    lines = [f'{key} = "{place}"' for key, place in settings.items()]
    lines += [f'{key} = ["{name}"]' for key, name in (("modules", MODULE), ("tests", assignment.tests[0]))]
    (grade.folder / "pyproject.toml").write_text("\n".join(["[tool.acidtest]", *lines]))
    (grade.folder / "alice.py").write_text(source)
    arguments = ["alice.py", "--unsafe", "--state", str(grade.state)]
    done = subprocess.run(
        [sys.executable, "-c", READ_FOR_A_PAGE, *arguments],
        cwd=grade.folder,
        capture_output=True,
        text=True,
        check=False,
    )
    *page, told = done.stdout.splitlines()
    assert (done.returncode, told) == (int(ExitCode.BROKEN if read else ExitCode.KEPT), read)
    assert page[-1].startswith("FAILED  " if read else "PASSED  ")
