# ruff: noqa: RUF001, RUF003 - the pages write × and α, and so do their tests
"""Pages in a real browser: they are silent, ask nobody, work by mouse and by keyboard, and their numbers are exact."""

from fractions import Fraction

import pytest

pytest.importorskip("playwright", reason="no browser driver is installed")
from playwright.sync_api import expect

from acidtest.mutants.model import KillMatrix, Outcome
from acidtest.reports.kills import kills_in
from acidtest.reports.render.html.run_page import run_page
from acidtest.reports.subsumption import classes
from acidtest.reports.tests import page_runs
from acidtest.reports.tests.browsing import CHROMIUM, PAGES, Machine, Visit, violations, wide_elements

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium is installed")

KILLS = sum(trial.outcome is Outcome.FAILED for trial in page_runs.everything().summary.run.matrix.trials)


@pytest.mark.parametrize("name", PAGES)
def test_a_page_asks_for_nothing_says_nothing_and_fits_a_phone(machine: Machine, name: str) -> None:
    seen = machine.open(name, width=390)
    seen.page.wait_for_timeout(50)
    assert seen.asked == [(machine.folder / f"{name}.html").as_uri()]
    assert seen.said == []
    assert wide_elements(seen.page) == []
    assert seen.page.evaluate("document.documentElement.scrollWidth") <= 390
    seen.page.context.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", ["everything", "failed"])
def test_an_accessibility_engine_finds_nothing(machine: Machine, name: str, scheme: str) -> None:
    seen = machine.open(name, scheme=scheme)
    if name == "everything":
        seen.page.click('.mx-c.k[data-at="1 1"]')
        seen.page.fill("#coin-p", "0.75")
        seen.page.fill("#coin-n", "1")
        seen.page.click("#coin-form button[type=submit]")
        seen.page.click("#promises summary")
        seen.page.click("#promises summary")
    assert violations(seen.page) == []
    seen.page.context.close()


def test_the_engine_would_find_something(full: Visit) -> None:
    full.page.evaluate(
        "document.getElementById('mx-find').parentElement.replaceWith(document.getElementById('mx-find'))"
    )
    full.page.evaluate("document.getElementById('mx-find').placeholder = ''")
    assert any(found.startswith("label: ") for found in violations(full.page))


def kills_of(found: KillMatrix, names: list[str]) -> int:
    return sum(trial.outcome is Outcome.FAILED and trial.variant in names for trial in found.trials)


def rows_of(seen: Visit) -> list[str]:
    return seen.page.locator(".mx-body .mx-name b").all_inner_texts()


def test_the_matrix_counts_what_the_run_counts(full: Visit) -> None:
    found = page_runs.everything().summary.run.matrix
    assert full.text("#mx-count") == f"{len(found.variants)} mutants, {len(found.tests)} tests, {KILLS} kills"
    assert full.page.locator(".mx-c.k[data-at]").count() == KILLS
    assert full.page.locator(".mx-c.o[data-at]").count() == 1
    assert rows_of(full) == list(found.variants)
    for number, name in enumerate(found.variants, start=1):
        cells = full.page.locator(f'.mx-row[aria-rowindex="{number + 1}"] .mx-c')
        killed = [test.id for test in found.killers_of(name)]
        shown = [
            place for place in range(cells.count()) if "k" in (cells.nth(place).get_attribute("class") or "").split()
        ]
        assert [found.tests[place].id for place in shown] == killed


def test_the_matrix_is_filtered_and_counts_again(full: Visit) -> None:
    found = page_runs.everything().summary.run.matrix
    full.page.select_option("#mx-status", "survived")
    assert rows_of(full) == ["s05", "demo.accept.2"]
    assert full.text("#mx-count") == "2 mutants, 6 tests, 0 kills shown"
    full.page.select_option("#mx-kind", "generated")
    assert rows_of(full) == ["demo.accept.2"]
    full.page.click("#mx-tools button[type=reset]")
    expect(full.page.locator(".mx-body .mx-row")).to_have_count(9, timeout=30_000)
    full.page.fill("#mx-find", "s07")
    assert rows_of(full) == ["s07"]
    assert full.text("#mx-count") == f"1 mutant, 6 tests, {kills_of(found, ['s07'])} kills shown"
    full.page.fill("#mx-find", "test_d")
    assert rows_of(full) == [name for name in found.variants if any(t.name == "test_d" for t in found.killers_of(name))]
    full.page.fill("#mx-find", "nothing is called so")
    assert full.text("#mx") == "Nothing matches."
    full.page.fill("#mx-find", "")
    full.page.check("#mx-idle")
    killing = sum(bool(found.kills_of(test.id)) for test in found.tests)
    assert full.page.locator(".mx-col").count() == killing < len(found.tests)


def test_the_matrix_is_sorted_by_each_of_its_orders(full: Visit) -> None:
    report = page_runs.everything()
    found = report.summary.run.matrix
    count = {name: len(found.killers_of(name)) for name in found.variants}
    full.page.select_option("#mx-sort", "killers")
    assert rows_of(full) == sorted(found.variants, key=lambda name: count[name])
    full.page.select_option("#mx-sort", "verdict")
    assert rows_of(full)[:3] == ["s05", "demo.accept.2", "s06"]
    full.page.select_option("#mx-sort", "kind")
    assert rows_of(full)[-2:] == ["demo.accept.1", "demo.accept.2"]
    full.page.select_option("#mx-sort", "pitfall")
    assert rows_of(full)[-2:] == ["demo.accept.1", "demo.accept.2"]
    full.page.select_option("#mx-sort", "subsumption")
    assert report.strength is not None
    dominating = [name for group in report.strength.dominators for name in group.mutants]
    shown = [name for name in rows_of(full) if count[name]]
    assert set(shown[: len(dominating)]) == set(dominating)
    full.page.select_option("#mx-tests", "kills")
    heads = full.page.locator(".mx-col").all_inner_texts()
    by_kills = sorted(found.tests, key=lambda test: -len(found.kills_of(test.id)))
    assert heads == [test.name.removeprefix("test_") for test in by_kills]


def test_dominators_and_named_killers_are_marked_in_place(full: Visit) -> None:
    report = page_runs.everything()
    assert report.strength is not None
    dominating = {name for group in report.strength.dominators for name in group.mutants}
    marked = {row.split()[1] for row in full.page.locator(".mx-name").all_inner_texts() if row.startswith("◆")}
    assert marked == dominating
    named = full.page.locator(".mx-c.n[data-at]")
    pairs = {(place.get_attribute("data-at") or "") for place in named.all()}
    found = report.summary.run.matrix
    wanted = {
        f"{found.variants.index(verdict.mutant.id) + 1} {place + 1}"
        for verdict in report.summary.verdicts
        for place, test in enumerate(found.tests)
        if test.name in verdict.mutant.killers
    }
    assert pairs == wanted


def test_a_click_opens_what_happened_in_a_cell(full: Visit) -> None:
    found = page_runs.everything().summary.run.matrix
    trial = found.trial("s01", found.tests[0].id)
    assert trial is not None
    full.page.click('[data-at="1 1"]')
    told = full.text("#mx-cell")
    for words in (
        "s01 × test_a",
        "failed: assertion",
        "250.0 ms",
        f"{trial.examples} inputs",
        "1 != 2",
        "+    return u <= r",
    ):
        assert words in told
    assert "a named killer, as promised" in told
    assert "Failing test case: test_a(\n    u=0.25,\n)" in told
    full.page.click('[data-at="3 0"]')
    assert "wrong in the way of s03" in full.text("#mx-cell")
    full.page.click('[data-at="0 2"]')
    assert "tests/test_gate.py::test_b" in full.text("#mx-cell")
    full.page.click("#mx-cell .close")
    assert not full.page.locator("#mx-cell").is_visible()


def test_the_matrix_is_walked_and_opened_by_keys_alone(full: Visit) -> None:
    full.page.focus("#mx-idle")
    full.page.keyboard.press("Tab")
    full.page.keyboard.press("Tab")
    assert full.focused("role") == "gridcell"
    assert full.focused("data-at") == "1 1"
    walk = "ArrowDown 2 1, ArrowRight 2 2, End 2 6, Home 2 0, ArrowUp 1 0, ArrowUp 0 0, Control+End 9 6, PageUp 1 6"
    for step in [*walk.split(", "), "Control+Home 0 0"]:
        key, place = step.split(" ", 1)
        full.page.keyboard.press(key)
        assert full.focused("data-at") == place, key
    full.page.keyboard.press("ArrowDown")
    full.page.keyboard.press("ArrowRight")
    assert "s01 × test_a" in full.text("#mx-under")
    full.page.keyboard.press("Enter")
    assert full.focused("id") == "mx-cell"
    assert "failed: assertion" in full.text("#mx-cell")
    full.page.keyboard.press("Escape")
    assert full.focused("data-at") == "1 1"
    assert full.page.locator('#mx [tabindex="0"]').count() == 1


def test_a_thousand_mutants_are_there_though_few_are_drawn(machine: Machine) -> None:
    report = page_runs.large()
    (machine.folder / "large.html").write_text(run_page(report), "utf-8")
    seen = machine.open("large")
    found = report.summary.run.matrix
    assert (
        seen.text("#mx-count")
        == f"1000 mutants, 60 tests, {sum(t.outcome is Outcome.FAILED for t in found.trials)} kills"
    )
    assert 20 < seen.page.locator(".mx-body .mx-row").count() < 90
    seen.page.evaluate("document.getElementById('mx').scrollTop = 1e9")
    seen.page.wait_for_selector('.mx-row[aria-rowindex="1001"]')
    assert rows_of(seen)[-1] == found.variants[-1]
    assert seen.page.locator(".mx-body .mx-row").count() < 90
    seen.page.focus('[data-at="1000 0"]')
    seen.page.keyboard.press("Control+Home")
    assert seen.focused("data-at") == "0 0"
    assert rows_of(seen)[0] == found.variants[0]
    assert seen.said == []
    seen.page.context.close()


def test_law_bars_are_the_measured_fractions_and_the_reference_is_p(full: Visit) -> None:
    known = {law.mutant: law.data for law in page_runs.laws() if law.data}
    shown = full.page.locator(".law").all()
    assert [card.get_attribute("data-mutant") for card in shown] == ["s07", "s02"]
    looked = 0
    for card in shown:
        data = known[card.get_attribute("data-mutant") or ""]
        for where in ("hand", "worst"):
            bars = card.locator(f'figure[data-place="{where}"] .plot button')
            place, found = data[where], [bars.nth(i) for i in range(bars.count())]
            whole = Fraction(0)
            for bar in found:
                outcome = bar.get_attribute("data-outcome") or ""
                p, reference, mutant = (
                    Fraction(bar.get_attribute(f"data-{name}") or "") for name in ("p", "reference", "mutant")
                )
                index = int(outcome) if outcome.isdigit() else None
                assert p == (Fraction(place["p"][index]) if index is not None else 0)
                for side, value in (("reference", reference), ("mutant", mutant)):
                    assert value == sum(Fraction(part.get(outcome, 0)) for part in place[side].values())
                if place["eighths"]:
                    assert reference == p
                whole += mutant
                looked += 1
            assert whole == 1
            assert sum(Fraction(bar.get_attribute("data-reference") or "") for bar in found) == 1
    assert looked >= 12


def test_law_bars_tell_their_fractions_by_mouse_and_by_keys(full: Visit) -> None:
    figure = full.page.locator('.law[data-mutant="s02"] figure[data-place="hand"]')
    assert "The reference's stack is exactly p." in figure.locator(".readout").inner_text()
    figure.locator("button").nth(1).hover()
    sides = "Mutant: kept 1/4, after a rejection 1/8, sum 3/8. Reference: kept 1/4, after a rejection 0, sum 1/4."
    wanted = f"id 1: p 1/4. {sides}"
    assert figure.locator(".readout").inner_text() == wanted
    full.page.mouse.move(1, 1)
    figure.locator("button").first.focus()
    full.page.keyboard.press("ArrowRight")
    assert figure.locator(".readout").inner_text() == wanted
    assert full.focused("aria-label") == wanted
    assert figure.locator('button[tabindex="0"]').count() == 1


def test_the_graph_has_every_class_and_lights_what_dies_with_one(full: Visit) -> None:
    found = classes(kills_in(page_runs.everything().summary.run.matrix).killers)
    nodes = full.page.locator("#graph button")
    assert nodes.count() == len(found)
    first = next(number for number, group in enumerate(found) if group.mutants == ("s01",))
    full.page.focus(f'#graph [data-class="{first}"]')
    assert full.text("#graph-told").startswith("s01 – killed by test_a.")
    above = sum(group.marks > found[first].marks for group in found)
    assert f"kills {above} other class" in full.text("#graph-told")
    assert full.page.locator("#graph button:not(.dim)").count() == 1 + above
    full.page.locator("#graph button").last.hover()
    assert full.text("#graph-told").startswith(found[-1].mutants[0])


def test_the_theme_is_chosen_by_mouse_and_by_keys(full: Visit) -> None:
    def ground() -> str:
        found: str = full.page.evaluate("getComputedStyle(document.body).backgroundColor")
        return found

    light = ground()
    full.page.click("#theme")
    assert (full.text("#theme"), ground()) == ("Theme: light", light)
    full.page.focus("#theme")
    full.page.keyboard.press("Enter")
    assert full.text("#theme") == "Theme: dark"
    assert ground() != light
    full.page.reload()
    assert full.text("#theme") == "Theme: dark"
    full.page.keyboard.press("Tab")
    full.page.click("#theme")
    assert (full.text("#theme"), ground()) == ("Theme: system", light)


@pytest.mark.parametrize("how", ["mouse", "keys"])
def test_a_test_to_paste_is_copied(full: Visit, how: str) -> None:
    full.page.evaluate("navigator.clipboard.writeText('')")
    button = full.page.locator(".copy").first
    if how == "mouse":
        button.click()
    else:
        button.focus()
        full.page.keyboard.press("Enter")
    expect(button).to_have_text("Copied", timeout=30_000)
    gaps = page_runs.gaps()
    assert gaps.gaps[0].test is not None
    assert gaps.gaps[0].test.text in full.page.evaluate("navigator.clipboard.readText()")


def test_every_control_can_be_reached_by_tab(full: Visit) -> None:
    """The controls in the order of the tab key: each that is there, and the browser's outline on it."""
    full.page.evaluate("document.activeElement.blur(); document.body.tabIndex = -1; document.body.focus()")
    reached = set()
    for _ in range(120):
        full.page.keyboard.press("Tab")
        reached.add(
            full.page.evaluate("(e => e.id || e.className || e.textContent.slice(0, 20))(document.activeElement)")
        )
    tools = [f"mx-{name}" for name in ("find", "sort", "tests", "status", "kind", "idle")]
    lab = ["lab-p", "lab-q", "coin-p", "coin-n", "coin-guess", "coin-reset"]
    for name in ("theme", *tools, *lab, "copy"):
        assert name in reached, name
