"""What a terminal shows: the matrix in its columns, survivors as blocks, how far a run is; at any width."""

import io
from dataclasses import replace

import pytest

from acidtest.mutants.model import Edit
from acidtest.reports.context import terminal
from acidtest.reports.render import text
from acidtest.reports.render.grid_text import ROWS, carriers, grid
from acidtest.reports.render.progress import Bar, duration, pace
from acidtest.reports.render.survivor_text import BLOCKS
from acidtest.reports.render.terminal import to_text
from acidtest.reports.summary import Summary, summarize
from acidtest.reports.tests.format_runs import placed
from acidtest.reports.tests.hand_made import matrix, mutant, run_of
from acidtest.reports.tests.test_text import agrees_with_golden, mixed


class Screen(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


def summary_of(tests: str, **rows: str) -> Summary:
    run = run_of(matrix(tests, **rows))
    return summarize(run, [mutant(name) for name in rows], "/home/demo", "tests", own_suite=True)


@pytest.mark.parametrize("width", [40, 80, 200])
def test_a_run_is_shown_as_it_was_looked_at_at_any_width(width: int) -> None:
    page = text.run_page(placed()[0].summary, width, colour=False)
    agrees_with_golden(page, f"run-placed-{width}.txt")
    assert max(map(len, page.splitlines())) <= width


def test_the_matrix_has_a_column_for_each_mutant_and_a_mark_for_each_outcome() -> None:
    lines = [line.plain for line in grid(mixed(), 80)]
    assert lines[:3] == [" " * 18 + row for row in ("ssssssss", "00000000", "12345678")]
    cells = {line[:15].strip(): line[18:] for line in lines[3:6]}
    assert cells == {"a": "●○●!!···", "b": "·●·○·t··", "1 other test": "·○!···!·"}
    assert [int(line[15:17]) for line in lines[3:6]] == [3, 2, 1]


def test_the_tests_with_a_row_kill_all_that_is_killed() -> None:
    found = summary_of("abcd", s01="K...", s02="KK..", s03="..K.", s04=".KK.", s05="....")
    assert [test.name for test in carriers(found)] == ["test_a", "test_c"]
    killed = {v for test in carriers(found) for v in found.run.matrix.kills_of(test.id)}
    assert killed == {"s01", "s02", "s03", "s04"}


def test_at_most_twenty_tests_have_a_row_and_the_others_share_one() -> None:
    names = "abcdefghijklmnopqrstuvwxy"
    found = summary_of(names, **{f"s{n:02}": "." * n + "K" + "." * (len(names) - n - 1) for n in range(len(names))})
    assert len(carriers(found)) == ROWS
    (last,) = (line.plain for line in grid(found, 80) if f"{len(names) - ROWS} other tests" in line.plain)
    assert "●" not in last
    assert last.count("○") == len(names) - ROWS


def test_a_matrix_wider_than_the_terminal_goes_on_below() -> None:
    found = summary_of("ab", **{f"s{n:02}": "K." for n in range(60)})
    lines = [line.plain for line in grid(found, 40)]
    assert max(map(len, lines)) <= 40
    assert sum(line.count("●") for line in lines[:-2]) == 60


def test_there_is_no_matrix_where_there_is_nothing_to_see() -> None:
    assert grid(summary_of("ab", s01="K."), 80) == []
    assert grid(summary_of("ab", s01="..", s02=".."), 80) == []
    assert grid(summary_of("a", s01="K", s02="K"), 80) == []
    spoiled = summary_of("ab", s01="K.", s02="K.")
    assert grid(replace(spoiled, run=replace(spoiled.run, problems=("a worker died",))), 80) == []


def test_many_survivors_are_named_and_only_the_first_ones_shown_in_full() -> None:
    page = text.conclusions(summary_of("ab", **{f"s{n:02}": ".." for n in range(40)}), 80, colour=False)
    assert page.count("    witness    ") == BLOCKS
    assert "and 28 more (`acidtest show s12`): s12, s13," in page
    assert len(page.splitlines()) < 140


def test_an_edit_of_many_lines_is_cut() -> None:
    entry = mutant("s01", edits=(Edit(after="a\nb\nc\nd\ne\nf"),))
    page = text.conclusions(summarize(run_of(matrix("a", s01=".")), [entry], "w", "t", True), 80, colour=False)
    assert "+ d\n" in page
    assert "+ e\n" not in page


def test_colour_needs_a_terminal_and_no_wish_to_be_without(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    assert terminal(Screen()).colour
    assert not terminal(io.StringIO()).colour
    monkeypatch.setenv("NO_COLOR", "1")
    assert not terminal(Screen()).colour
    monkeypatch.delenv("NO_COLOR")
    monkeypatch.setenv("TERM", "dumb")
    assert not terminal(Screen()).colour


def test_the_width_is_the_terminals_and_never_under_forty(monkeypatch: pytest.MonkeyPatch) -> None:
    for columns, width in ((200, 200), (40, 40), (12, 40)):
        monkeypatch.setenv("COLUMNS", str(columns))
        assert terminal(io.StringIO()).width == width


def test_text_from_outside_moves_no_cursor() -> None:
    assert to_text(["a\x1b[2Jb\u202ec\x9bd"], 80, colour=False) == "a[U+001B][2Jb[U+202E]c[U+009B]d\n"
    assert "\x07" not in to_text(["a\x07"], 80, colour=False)


@pytest.mark.parametrize(
    ("seconds", "words"), [(0.2, "0 s"), (59.4, "59 s"), (60, "1:00 min"), (125, "2:05 min"), (3725, "1:02 h")]
)
def test_a_time_is_written_for_people(seconds: float, words: str) -> None:
    assert duration(seconds) == words


def test_the_pace_is_a_rate_and_the_time_left() -> None:
    assert pace(3.0, None, None) == "3 s so far"
    assert pace(3.0, 21.4, 12.0) == "21/s, 12 s left"
    assert pace(3.0, 0.51, 725.0) == "0.5/s, 12:05 min left"
    assert pace(300.0, 0.05, 60.0) == "3.0/min, 1:00 min left"


@pytest.mark.parametrize("columns", [40, 80])
def test_progress_fits_its_terminal_and_leaves_nothing_behind(monkeypatch: pytest.MonkeyPatch, columns: int) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("NO_COLOR", "1")
    screen = Screen()
    bar = Bar(screen, show=True)
    bar._progress.start()
    bar.phase("the tests on the unchanged code")
    bar.start(346)
    for _ in range(123):
        bar.advance("s01")
    bar._progress.refresh()
    bar._progress.stop()
    shown = screen.getvalue()
    assert "123 of 346 mutants" in shown
    assert " left" in shown
    assert ("━" in shown) == (columns == 80)
    assert shown.rstrip().endswith("\x1b[2K")


def test_progress_is_silent_in_a_pipe() -> None:
    stream = io.StringIO()
    with Bar(stream, show=False) as bar:
        bar.start(2)
        bar.advance("s01")
    assert stream.getvalue() == ""
