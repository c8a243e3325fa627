"""The page of a class in a real browser: silent, fit for a phone, and an accessibility engine finds nothing."""

import pytest

pytest.importorskip("playwright", reason="no browser driver is installed")
from acidtest.reports.render.class_page import class_html
from acidtest.reports.tests.browsing import CHROMIUM, Machine, violations, wide_elements
from acidtest.reports.tests.class_cases import everyday, hostile

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium is installed")


@pytest.fixture(scope="module", autouse=True)
def _pages(machine: Machine) -> None:
    (machine.folder / "class.html").write_text(class_html(everyday()), "utf-8")
    (machine.folder / "hostile class.html").write_text(class_html(hostile()), "utf-8")


@pytest.mark.parametrize("name", ["class", "hostile class"])
def test_a_class_s_page_asks_for_nothing_says_nothing_and_fits_a_phone(machine: Machine, name: str) -> None:
    seen = machine.open(name, width=390)
    assert seen.asked == [(machine.folder / f"{name}.html").as_uri()]
    assert seen.said == []
    assert wide_elements(seen.page) == []
    assert seen.page.evaluate("document.documentElement.scrollWidth") <= 390
    seen.page.context.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_an_accessibility_engine_finds_nothing_in_a_class_s_page(machine: Machine, scheme: str) -> None:
    seen = machine.open("class", scheme=scheme)
    assert violations(seen.page) == []
    seen.page.context.close()


def test_learners_are_found_and_links_show_them_again(machine: Machine) -> None:
    seen = machine.open("class")
    shown = seen.page.locator("#all tbody tr:visible")
    rows = len(everyday().rows)
    assert shown.count() == rows
    assert seen.text("#find-count") == f"{rows} learners"
    seen.page.fill("#find-text", "S02")
    assert seen.page.locator("#all tbody tr:visible bdi").all_inner_texts()[:1] == ["ben"]
    assert seen.text("#find-count") == f"2 of {rows} learners"
    seen.page.click("#people a >> text=kit")
    assert seen.page.evaluate("location.hash") == "#learner-10"
    assert shown.count() == rows
    seen.page.select_option("#find-standing", "stopped")
    assert seen.text("#find-count") == f"1 of {rows} learners"
    seen.page.context.close()
