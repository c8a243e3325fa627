"""The page of a run as text: what it says first, that its data is the run's, that no text from outside steers it."""

import json
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from acidtest.mutants.limits import LabError
from acidtest.mutants.load import load_catalog
from acidtest.mutants.model import KillMatrix, Outcome, Trial, Variant
from acidtest.mutants.workload import embedded, find_workload
from acidtest.reports.cli import invoke
from acidtest.reports.context import UsageError, variant_for
from acidtest.reports.exits import ExitCode
from acidtest.reports.kept_examples import KeptExamples, drawn_kills
from acidtest.reports.render.html.clean import clean
from acidtest.reports.render.html.document import script_data
from acidtest.reports.render.html.matrix_data import ALPHABET, EMPTY, ROOM, buckets, matrix_data
from acidtest.reports.render.html.run_page import SCRIPTS, failed_page, run_page
from acidtest.reports.run_pages import Place, page_of_run, page_without_verdict, put
from acidtest.reports.run_report import RunReport
from acidtest.reports.store import Store
from acidtest.reports.summary import summarize
from acidtest.reports.tests import page_runs
from acidtest.reports.tests.demo import write_demo
from acidtest.reports.tests.hand_made import matrix, mutant, run_of

Capture = pytest.CaptureFixture[str]


class Page(HTMLParser):
    """A parsed page: elements with attributes, the text of each, and what scripts hold."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str]]] = []
        self.scripts: list[str] = []
        self.words: list[str] = []
        self.lines: list[tuple[str, str]] = []
        self._open: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, {name: value or "" for name, value in attrs}))
        self._open.append(tag)
        if tag == "script":
            self.scripts.append("")

    def handle_endtag(self, tag: str) -> None:
        while self._open and self._open.pop() != tag:
            pass

    def handle_data(self, data: str) -> None:
        if self._open and self._open[-1] == "script":
            self.scripts[-1] += data
        elif not self._open or self._open[-1] != "style":
            self.words.append(data)
            self.lines.append((self._open[-1] if self._open else "", data))

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.words).split())

    def first(self, tag: str) -> str:
        return next(data for name, data in self.lines if name == tag)


def data_of(page: str) -> dict[str, Any]:
    """Return the data that the page hands its scripts."""
    found: dict[str, Any] = json.loads(Page(page).scripts[0])
    return found


@pytest.mark.parametrize(
    ("make", "headline", "alert"),
    [
        (page_runs.green, "Every promise kept", None),
        (page_runs.survived, "Broken promises: s02, s03", "1 mutant survived: no test noticed."),
        (page_runs.timed_out, "A mutant only timed out", "1 mutant only timed out: neither killed nor survived."),
        (page_runs.failed_baseline, "No verdict: the tests fail on the unchanged code", "The tests fail on"),
        (page_runs.misbehaved, "No verdict: a control misbehaved", "A control misbehaved"),
        (page_runs.no_mutants, "No verdict: no mutant was tried", "No mutant was tried"),
        (page_runs.no_tests, "No verdict: there is no test", "There is no test"),
    ],
)
def test_a_page_begins_with_what_went_wrong(make: Callable[[], RunReport], headline: str, alert: str | None) -> None:
    page = Page(run_page(make()))
    assert page.first("h1").startswith(headline)
    start = page.text[page.text.index(headline) :]
    if alert is None:
        assert not any(attributes.get("class") == "alert" for tag, attributes in page.tags if tag == "div")
    else:
        assert start.index(alert) < start.index("strict score")


def test_a_run_that_never_came_to_a_mutant_has_a_page_too() -> None:
    page = Page(failed_page("/home/me", "tests", 3, "the unchanged target fails test_a <1 != 2>", {"python": "3.11"}))
    assert page.first("h1") == "No verdict"
    assert "the unchanged target fails test_a <1 != 2>" in page.text


@pytest.mark.parametrize("make", [page_runs.everything, page_runs.survived, page_runs.hostile, page_runs.no_tests])
def test_the_cells_of_a_page_are_the_trials_of_the_run(make: Callable[[], RunReport]) -> None:
    report = make()
    found, data = report.summary.run.matrix, data_of(run_page(report))["matrix"]
    codes = dict(zip(data["alphabet"], data["codes"], strict=True))
    assert [row["id"] for row in data["mutants"]] == [clean(name) for name in found.variants]
    assert [test["id"] for test in data["tests"]] == [clean(test.id) for test in found.tests]
    for row, variant in zip(data["mutants"], found.variants, strict=True):
        times = str(row["times"]).split(",")
        for number, test in enumerate(found.tests):
            trial, cell = found.trial(variant, test.id), str(row["cells"])[number]
            if trial is None:
                assert cell == EMPTY
                continue
            assert codes[cell] == [trial.outcome.value, clean(trial.reason)]
            shown = times[number] if number < len(times) else ""
            assert int(shown or 0) == (max(1, round(trial.seconds * 10_000)) if trial.seconds else 0)
            detail, examples, small = row["notes"].get(str(number), [None, None, None])
            example = report.examples.get((variant, test.id))
            if example is None:
                assert small is None
            else:
                assert clean(example).startswith(data["details"][small][:-1])
            assert examples == trial.examples
            if trial.detail:
                assert clean(trial.detail).startswith(str(data["details"][detail])[:-1])
            else:
                assert detail is None


def test_more_reasons_than_there_are_characters_keep_their_outcome() -> None:
    base = matrix("a")
    suite = tuple(replace(base.tests[0], id=f"t.py::test_{n}", name=f"test_{n}") for n in range(len(ALPHABET) + 40))
    trials = [Trial("s01", test.id, Outcome.FAILED, f"Error{n}") for n, test in enumerate(suite)]
    trials[-1] = replace(trials[-1], outcome=Outcome.TIMED_OUT, reason="late")
    report = page_runs.report_of(run_of(KillMatrix(suite, ("s01",), tuple(trials))), [mutant("s01")])
    data = matrix_data(report)
    codes = dict(zip(data["alphabet"], data["codes"], strict=True))
    outcomes = [codes[cell][0] for cell in data["mutants"][0]["cells"]]
    assert outcomes == [trial.outcome.value for trial in trials]
    assert codes[data["mutants"][0]["cells"][-1]] == ["timed_out", "another reason"]


@pytest.mark.parametrize("make", [page_runs.hostile, page_runs.everything])
def test_no_text_from_outside_becomes_markup_or_steers(make: Callable[[], RunReport]) -> None:
    text = run_page(make())
    page = Page(text)
    assert not [
        tag for tag, _ in page.tags if tag in ("img", "b", "iframe", "object", "embed", "base", "link", "form ")
    ]
    types = [attributes.get("type") for tag, attributes in page.tags if tag == "script"]
    assert types == ["application/json", *[None] * len(SCRIPTS)]
    assert not [name for _, attributes in page.tags for name in attributes if name.startswith("on")]
    allowed = {"\n", "\t"}
    assert not [c for c in text if (ord(c) < 32 and c not in allowed) or c in "\x7f\x9b\u061c\u200e\u200f\ufeff"]
    assert not [c for c in text if "\u2028" <= c <= "\u202e" or "\u2066" <= c <= "\u2069"]
    text.encode("utf-8")


def test_the_hostile_text_itself_can_still_be_read() -> None:
    words = Page(run_page(page_runs.hostile())).text
    assert "<b>x</b></script><img src=x onerror=alert(1)>[U+001B][31mred[U+0007][U+202E]gnp.exe[U+2066]" in words


def test_half_a_pair_of_surrogates_does_not_keep_a_page_from_being_written() -> None:
    assert clean("a\ud800b\udfff\r\n") == "a[U+D800]b[U+DFFF]\n"
    run_page(replace(page_runs.green(), notes=("odd \ud800 file",))).encode("utf-8")


def test_data_in_a_script_comes_back_as_it_went_in() -> None:
    data = {"<!--": ["</script>", "<script>", "&lt;", "\u2028", "a\\b", '"', "é"], "n": [1, None, True, 0.5]}
    text = str(script_data(data))
    assert not set("<>&\u2028") & set(text)
    assert json.loads(text) == {**data, "<!--": ["</script>", "<script>", "&lt;", "[U+2028]", "a\\b", '"', "é"]}


@pytest.mark.parametrize("make", [page_runs.everything, page_runs.no_mutants])
def test_a_page_refers_to_nothing_but_itself(make: Callable[[], RunReport]) -> None:
    page = Page(run_page(make()))
    ids = {attributes["id"] for _, attributes in page.tags if "id" in attributes}
    for tag, attributes in page.tags:
        assert not {"src", "srcset", "action"} & set(attributes), tag
        if "href" in attributes:
            assert attributes["href"] in {f"#{name}" for name in ids}
        for name in ("for", "aria-labelledby", "aria-describedby", "data-copy"):
            assert set(attributes.get(name, "").split()) <= ids, (tag, name)
    counts = Counter(attributes["id"] for _, attributes in page.tags if "id" in attributes)
    assert not [name for name, count in counts.items() if count > 1]
    policy = [a["content"] for tag, a in page.tags if a.get("http-equiv") == "Content-Security-Policy"]
    assert [text.split("; ")[0] for text in policy] == ["default-src 'none'"]


def test_what_was_not_computed_is_said_with_the_command_that_fills_it() -> None:
    bare = Page(run_page(page_runs.survived())).text
    assert "The output laws of the mutants were not computed. This fills the section: acidtest report 7" in bare
    assert "A test to paste for each survivor, and how bad each is, takes a search: acidtest report 7" in bare
    report = page_runs.everything()
    assert report.strength is not None
    unasked = replace(report.strength, triggers=None, ledgers=None, confidence=None)
    page = Page(run_page(replace(report, strength=unasked))).text
    assert "This asks for them and keeps the answers: acidtest strength" in page
    assert "This runs the matrix under twenty: acidtest strength --seeds 20" in page
    assert "This computes it and keeps the answers: acidtest strength" in page


def test_a_full_page_leaves_no_section_empty() -> None:
    page = Page(run_page(page_runs.everything())).text
    for words in (
        "def test_s05_is_noticed() -> None:",
        "math-wrong: the share kept is off by 1/8",
        "made a call that is answered differently, and did not look at the difference",
        "No call of the bounded domain D tells it from the reference",
        "20 of 20",
        "cells killed under all 2 seeds",
        "40 calls, drawn from each family",
        "killed by test_b, test_d, test_e, not by test_a",
    ):
        assert words in page
    assert "Not measured yet" not in page
    assert "Not computed yet" not in page


def test_buckets_hold_every_count_once() -> None:
    counts = [1, 1, 2, 3, 5, 6, 10, 11, 20, 21, 50, 51, 100, 101, 5000]
    found = buckets(counts)
    assert sum(count for _, count in found) == len(counts)
    assert dict(found) == {
        "1": 2, "2": 1, "3 to 5": 2, "6 to 10": 2, "11 to 20": 2, "21 to 50": 2, "51 to 100": 2, "over 100": 2,
    }  # fmt: skip


def test_a_thousand_mutants_by_sixty_tests_stay_under_five_megabytes() -> None:
    report = page_runs.large()
    page = run_page(report)
    assert len(page.encode("utf-8")) < 5_000_000
    details = data_of(page)["matrix"]["details"]
    assert len(details) > 15_000
    assert sum(map(len, details)) <= ROOM


def test_pages_lie_in_the_checkout_or_else_with_the_state(tmp_path: Path) -> None:
    shipped = embedded()
    places = [Place(shipped, shipped, state, here, 1).page for state, here in (
        (None, shipped.root), (tmp_path / "mine", shipped.root), (None, tmp_path))]  # fmt: skip
    usual = shipped.root / "reports" / "out" / "run.html"
    assert places == [
        usual,
        tmp_path / "mine" / "reports" / "run.html",
        tmp_path / ".acidtest" / "reports" / "run.html",
    ]


def test_a_page_is_replaced_at_once_and_nothing_else_is_left(tmp_path: Path) -> None:
    path = tmp_path / "new" / "page.html"
    put("one", path)
    put("two", path)
    assert [(file.name, file.read_text("utf-8")) for file in path.parent.iterdir()] == [("page.html", "two")]
    with pytest.raises(UsageError, match="name a file that can be written"):
        put("three", path / "page.html")


@pytest.fixture(scope="module")
def tried(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a project of which one mutant survives, with a kept run."""
    test = "from demo.gate import accept\n\ndef test_accept_is_strict():\n    assert not accept(0.25, 0.25)\n"
    folder = write_demo(tmp_path_factory.mktemp("demo"), {"tests/test_gate.py": test})
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        assert invoke(["run", "--quiet", "--no-generated", "--jobs", "1"]) == ExitCode.BROKEN
    return folder


@pytest.fixture
def project(tried: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the same, and stand in it."""
    monkeypatch.chdir(tried)
    return tried


def nobody(*args: object, **more: object) -> None:
    """Stand in for a worker that must not be started."""
    raise AssertionError("a worker was started")


def test_a_kept_run_becomes_a_page_with_a_test_for_its_survivor(project: Path, capsys: Capture) -> None:
    capsys.readouterr()
    assert invoke(["report", "--jobs", "1"]) == ExitCode.KEPT
    assert capsys.readouterr().out == ".acidtest/reports/run.html\n"
    text = (project / ".acidtest" / "reports" / "run.html").read_text("utf-8")
    page = Page(text)
    with Store(project / ".acidtest") as store:
        run = store.load(1)
    data = data_of(text)["matrix"]
    kills = sum(trial.outcome is Outcome.FAILED for trial in run.matrix.trials)
    codes = dict(zip(data["alphabet"], data["codes"], strict=True))
    cells = [codes[cell] for row in data["mutants"] for cell in str(row["cells"])]
    assert [code[0] for code in cells].count("failed") == kills == 1
    assert page.first("h1") == "Broken promise: s02"
    assert "def test_s02_forgets_the_upper_end_is_noticed" in page.text
    assert "clamp(x=2.0)" in page.text


def test_a_quick_page_asks_nobody_and_says_what_is_missing(
    project: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("acidtest.mutants.executors.WorkerProcess.__init__", nobody)
    assert invoke(["report", "1", "--quick", "--html", "page.html"]) == ExitCode.KEPT
    page = Page((project / "page.html").read_text("utf-8"))
    assert "takes a search: acidtest report 1" in page.text
    assert "clamp(x=2.0)" in page.text  # the catalog's own witness


def test_a_run_that_is_not_there_is_named_with_those_that_are(project: Path, capsys: Capture) -> None:
    assert invoke(["report", "9"]) == ExitCode.USAGE
    assert "no finished run 9; there are 1" in capsys.readouterr().err
    assert invoke(["report", "--html", "nowhere/page.html"]) == ExitCode.USAGE
    assert "no such folder" in capsys.readouterr().err


def test_files_that_changed_since_the_run_are_said_to_have_changed(project: Path) -> None:
    gate = project / "demo" / "gate.py"
    before = gate.read_text("utf-8")
    gate.write_text(before + "\n\ndef more() -> int:\n    return 1\n", "utf-8")
    try:
        code = invoke(["report", "--quick", "--html", "page.html"])
    finally:
        gate.write_text(before, "utf-8")
    assert code == ExitCode.KEPT
    assert "Files have changed since this run" in Page((project / "page.html").read_text("utf-8")).text


def test_a_run_leaves_its_page_without_asking_anybody(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("acidtest.mutants.executors.WorkerProcess.__init__", nobody)
    workload = find_workload(project)
    mutants = load_catalog(workload.catalog)
    variants = [variant_for(workload, mutant) for mutant in mutants]
    place = Place(workload, workload, None, project, 1)
    with Store(project / ".acidtest") as store:
        summary = summarize(store.load(1), mutants, str(project), "tests", True)
        path = page_of_run(place, summary, variants, 1, store)
    page = Page(path.read_text("utf-8"))
    assert path == project / ".acidtest" / "reports" / "run.html"
    assert page.first("h1") == "Broken promise: s02"
    assert "Run 1" in page.text
    assert Page(page_without_verdict(place, 0, "no test").read_text("utf-8")).first("h1") == "No verdict"


def test_failing_inputs_are_made_small_once_and_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    report = page_runs.everything()
    kills = drawn_kills(report.summary.run.matrix, list(report.variants.values()))
    drawn = [trial for trial in report.summary.run.matrix.trials if trial.examples is not None]
    assert [(variant.id, test) for variant, test in kills] == [(trial.variant, trial.test) for trial in drawn]
    assert {trial.outcome for trial in drawn} == {Outcome.FAILED}
    asked: list[tuple[str, str]] = []

    def answer(
        workload: object, cells: Sequence[tuple[Variant, str]], seed: int, fork: bool
    ) -> Iterator[str | LabError]:
        for variant, test in cells:
            asked.append((variant.id, test))
            yield {"s01": "u=0.25", "s02": LabError("it ended")}.get(variant.id, "")  # type: ignore[misc]

    monkeypatch.setattr("acidtest.reports.kept_examples.examples", answer)
    kept = KeptExamples(embedded(), tmp_path, 7, 2)
    assert kept.of(kills, ask=False) == {}
    wanted = {(variant.id, test): "u=0.25" for variant, test in kills if variant.id == "s01"}
    assert kept.of(kills, ask=True) == wanted
    assert sorted(asked) == sorted((variant.id, test) for variant, test in kills)
    asked.clear()
    assert kept.of(kills, ask=True) == wanted
    assert {name for name, _ in asked} == {"s02"}  # the one that gave no answer
    assert replace(kept, seed=8).of(kills, ask=False) == {}
