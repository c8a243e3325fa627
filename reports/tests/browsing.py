"""A real browser for the tests of pages, and what every page has to do in it."""

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib import resources
from pathlib import Path

from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

from acidtest.reports.render.html.run_page import failed_page, run_page
from acidtest.reports.tests import page_runs

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
"""Where the browser is; None on a machine without one."""


@dataclass
class Visit:
    """One open page, and everything that it said or asked for."""

    page: Page
    asked: list[str] = field(default_factory=list)
    said: list[str] = field(default_factory=list)

    def text(self, selector: str) -> str:
        """Return an element's text."""
        return self.page.locator(selector).first.inner_text()

    def focused(self, attribute: str) -> str | None:
        """Return an attribute of the element that has the focus."""
        found: str | None = self.page.evaluate("name => document.activeElement.getAttribute(name)", attribute)
        return found


@contextmanager
def browser() -> Iterator[Browser]:
    """Start the browser that is installed; nothing is downloaded."""
    alone = hasattr(os, "geteuid") and os.geteuid() == 0
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"] if alone else [])
        try:
            yield started
        finally:
            started.close()


def visit(context: BrowserContext, file: Path) -> Visit:
    """Open a file and listen to it from the first moment."""
    found = Visit(context.new_page())
    found.page.on("request", lambda request: found.asked.append(request.url))
    found.page.on("console", lambda message: found.said.append(f"{message.type}: {message.text}"))
    found.page.on("pageerror", lambda error: found.said.append(f"error: {error}"))
    found.page.goto(file.resolve().as_uri())
    return found


def violations(page: Page) -> list[str]:
    """Return what an accessibility engine objects to, an element each."""
    page.evaluate(resources.files("axe_playwright_python").joinpath("axe.min.js").read_text("utf-8"))
    found = page.evaluate("axe.run().then((result) => result.violations)")
    return [f"{rule['id']}: {node['target']} {node['failureSummary']}" for rule in found for node in rule["nodes"]]


def wide_elements(page: Page) -> list[str]:
    """Return the elements that reach beyond the window and are not inside something that scrolls."""
    found: list[str] = page.evaluate(
        """() => [...document.querySelectorAll("body *")].filter((element) => {
            if (element.getBoundingClientRect().right <= innerWidth + 1 || element.closest(".skip, .sr")) return false;
            for (let outer = element.parentElement; outer && outer !== document.body; outer = outer.parentElement)
                if (/auto|scroll|hidden|clip/.test(getComputedStyle(outer).overflowX)) return false;
            return getComputedStyle(element).position !== "fixed";
        }).map((element) => `${element.tagName}#${element.id}.${element.className}`)"""
    )
    return found


PAGES: dict[str, Callable[[], str]] = {
    "everything": lambda: run_page(page_runs.everything()),
    "hostile": lambda: run_page(page_runs.hostile()),
    "no mutants": lambda: run_page(page_runs.no_mutants()),
    "survived": lambda: run_page(page_runs.survived()),
    "failed": lambda: failed_page("/home/me", "tests", 3, "the unchanged target fails test_a", {"python": "3.11"}),
}
"""Pages that every browser test may open, by name."""


@dataclass
class Machine:
    """A browser, and the folder of the pages."""

    browser: Browser
    folder: Path

    def open(self, name: str, width: int = 1280, scheme: str = "light") -> Visit:
        """Open a page in a window of its own."""
        file = self.folder / f"{name}.html"
        if not file.is_file():
            file.write_text(PAGES[name](), "utf-8")
        context = self.browser.new_context(
            viewport={"width": width, "height": 900},
            color_scheme="dark" if scheme == "dark" else "light",
            permissions=["clipboard-read", "clipboard-write"],
            reduced_motion="reduce",
        )
        return visit(context, file)
