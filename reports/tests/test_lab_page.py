# ruff: noqa: RUF001, RUF003 - the page writes × and α, and so do its tests
"""The residual lab in a real browser: every number that it shows is the fraction that Python computes."""

import math
import random
from fractions import Fraction

import pytest

pytest.importorskip("playwright", reason="no browser driver is installed")
from acidtest.reports.tests.browsing import CHROMIUM, Visit

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium is installed")


def cells_of(seen: Visit, part: str) -> list[str]:
    return seen.page.locator(f'#lab-out td[data-part="{part}"]').all_inner_texts()


def fractions(texts: list[str]) -> list[Fraction]:
    return [Fraction(text) for text in texts]


def enter(seen: Visit, p: list[Fraction], q: list[Fraction]) -> None:
    seen.page.fill("#lab-p", ", ".join(map(str, p)))
    seen.page.fill("#lab-q", " ".join(map(str, q)))


def agrees(seen: Visit, p: list[Fraction], q: list[Fraction]) -> None:
    """Compare the whole table with exact arithmetic on this side."""
    kept = [min(a, b) for a, b in zip(p, q, strict=True)]
    missing = [a - b for a, b in zip(p, kept, strict=True)]
    alpha, z = sum(kept), sum(missing)
    assert fractions(cells_of(seen, "p")) == p
    assert fractions(cells_of(seen, "q")) == q
    assert cells_of(seen, "ratio") == [str(a / b) if b else "never proposed" for a, b in zip(p, q, strict=True)]
    assert fractions(cells_of(seen, "kept")) == kept
    assert fractions(cells_of(seen, "missing")) == missing
    assert cells_of(seen, "residual") == [str(mass / z) if z else "–" for mass in missing]
    assert fractions(cells_of(seen, "output")) == p
    assert seen.text('#lab-out td[data-sum="kept"]') == f"α = {alpha}"
    assert seen.text('#lab-out td[data-sum="missing"]') == f"Z = {z}"


def test_the_lab_computes_as_python_does(full: Visit) -> None:
    rng = random.Random(11)
    pairs = []
    for ids in (1, 2, 3, 5, 9):
        weights = [[rng.choice([0, rng.randrange(1, 10 ** rng.randrange(1, 15))]) for _ in range(ids)] for _ in "pq"]
        for one in weights:
            one[rng.randrange(ids)] += 1
        pairs.append([[Fraction(weight, sum(one)) for weight in one] for one in weights])
    tiny = Fraction(1, 2**1074)
    pairs.append([[1 - tiny, tiny], [1 - 2 * tiny, 2 * tiny]])
    for p, q in pairs:
        enter(full, p, q)
        agrees(full, p, q)
        assert full.text("#lab-problem") == ""


@pytest.mark.parametrize("how", ["mouse", "keys"])
def test_each_example_of_the_lab_is_one_press_away(full: Visit, how: str) -> None:
    for button in full.page.locator("[data-preset]").all():
        if how == "mouse":
            button.click()
        else:
            button.focus()
            full.page.keyboard.press("Space")
        assert button.get_attribute("aria-pressed") == "true"
        p, q = ([Fraction(part) for part in full.page.input_value(f"#lab-{name}").split(", ")] for name in "pq")
        agrees(full, p, q)
    full.page.click('[data-preset="equal"]')
    assert "never asked for" in full.text("#lab-told")
    full.page.click('[data-preset="disjoint"]')
    assert "the residual is p itself" in full.text("#lab-told")
    full.page.click('[data-preset="hand"]')
    assert "Output equals p, id by id." in full.text("#lab-told")


@pytest.mark.parametrize(
    ("p", "q", "problem"),
    [
        ("1/2, 1/4", "1/2, 1/2", "p sums to 3/4, not to 1."),
        ("1/2, 1/2", "3/2, -1/2", "q[1] = -1/2 is below 0."),
        ("1/2, 1/2", "1", "p has 2 entries and q has 1."),
        ("", "1", "p is empty."),
        ("1/0", "1", "a fraction has no denominator 0."),
        ("<b>1</b>", "1", "no number"),
        ("nan", "1", "“nan” is no number."),
        ("0x1", "1", "“0x1” is no number."),
    ],
)
def test_the_lab_says_what_is_wrong_with_a_pair(full: Visit, p: str, q: str, problem: str) -> None:
    full.page.fill("#lab-p", p)
    full.page.fill("#lab-q", q)
    assert problem in full.text("#lab-problem")
    assert full.page.locator("#lab-out table").count() == 0
    assert full.page.locator('[aria-invalid="true"]').count() == 1
    enter(full, [Fraction(1)], [Fraction(1)])
    assert full.page.locator('[aria-invalid="true"]').count() == 0


@pytest.mark.parametrize("text", ["0.75", ".75", "75e-2", "3/4", "1.5/2", " 6/8 ", "+0.750"])
def test_numbers_are_read_in_every_way_that_people_write_them(full: Visit, text: str) -> None:
    full.page.fill("#lab-p", f"{text.strip()},0.25")
    full.page.fill("#lab-q", "1 0")
    assert cells_of(full, "p") == ["3/4", "1/4"]


def test_the_residual_as_two_outcomes_is_multiplied_back_to_the_target(full: Visit) -> None:
    full.page.click("#coin-reset")
    full.page.fill("#coin-p", "0.75")
    full.page.fill("#coin-n", "1")
    full.page.fill("#coin-guess", "3/4")
    assert full.page.locator("#coin-out table").count() == 0
    full.page.keyboard.press("Enter")
    bars = full.page.locator("#coin-out tr[data-successes]")
    assert [row.split("\t")[:2] for row in bars.all_inner_texts()] == [["B", "3/4"], ["C", "1/4"]]
    assert full.text("#coin-guessed") == "You said 3/4 for B: exactly."
    rows = {
        row.split("\t")[0]: row.split("\t")[1:]
        for row in full.page.locator("#coin-out tr[data-token]").all_inner_texts()
    }
    assert rows["A"] == ["0, outside the display", "1/8", "1/8", "1/8", "equal"]
    assert rows["B"] == ["3/4 × 1/2 = 3/8", "1/4", "5/8", "5/8", "equal"]
    assert rows["C"] == ["1/4 × 1/2 = 1/8", "1/8", "1/4", "1/4", "equal"]
    assert "1 − α = 1 − (1/8 + 1/4 + 1/8) = 1/2" in full.text("#coin-out")
    assert full.text("#coin-told") == "The sums are p, token by token."
    full.page.fill("#coin-p", "1/3")
    full.page.click("#coin-form button[type=submit]")
    assert "the sums miss p" in full.text("#coin-told")
    full.page.focus("#coin-reset")
    full.page.keyboard.press("Enter")
    assert (full.page.input_value("#coin-p"), full.page.input_value("#coin-n")) == ("1/2", "4")
    assert full.page.locator("#coin-out table").count() == 0


@pytest.mark.parametrize(("success", "n"), [("1/3", 7), ("0.1", 60), ("0", 3), ("1", 2), ("3/4", 2)])
def test_the_bars_of_several_draws_are_the_exact_binomial_law(full: Visit, success: str, n: int) -> None:
    full.page.fill("#coin-p", success)
    full.page.fill("#coin-n", str(n))
    full.page.click("#coin-form button[type=submit]")
    p = Fraction(success)
    shown = fractions(full.page.locator('#coin-out td[data-part="mass"]').all_inner_texts())
    assert shown == [math.comb(n, k) * p**k * (1 - p) ** (n - k) for k in range(n + 1)]
    assert sum(shown) == 1
    assert full.page.locator("#coin-out tr[data-token]").count() == 0


@pytest.mark.parametrize(
    ("success", "n", "problem"),
    [
        ("2", "1", "2 is no probability."),
        ("1/2", "0", "n is a whole"),
        ("1/2", "61", "n is a whole"),
        ("x", "1", "no number"),
    ],
)
def test_the_two_outcomes_say_what_is_wrong_with_a_question(full: Visit, success: str, n: str, problem: str) -> None:
    full.page.fill("#coin-p", success)
    full.page.fill("#coin-n", n)
    full.page.evaluate("document.getElementById('coin-form').noValidate = true")  # past the browser's own check
    full.page.click("#coin-form button[type=submit]")
    assert problem in full.text("#coin-problem")
    assert full.page.locator("#coin-out table").count() == 0
