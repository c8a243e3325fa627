"""What is committed and generated says what it is generated from."""

from pathlib import Path

from acidtest.mutants.workload import embedded
from acidtest.reports.exits import MEANINGS, PRECEDENCE
from acidtest.reports.pages import FOLDER, pages, stale


def test_committed_pages_are_fresh(tmp_path: Path) -> None:
    assert stale(pages(embedded(), tmp_path)) == [], "run `python -m acidtest.reports.pages`"


def test_page_that_is_missing_or_changed_is_stale(tmp_path: Path) -> None:
    (tmp_path / "same.md").write_text("text", encoding="utf-8")
    (tmp_path / "changed.md").write_text("old", encoding="utf-8")
    texts = dict.fromkeys(("same.md", "changed.md", "missing.md"), "text")
    assert stale(texts, tmp_path) == ["changed.md", "missing.md"]


def test_readme_has_every_exit_code_in_the_words_of_the_help() -> None:
    readme = (FOLDER / "README.md").read_text("utf-8")
    rows = [f"| {int(code)} | {meaning} |" for code, meaning in MEANINGS.items()]
    assert [line for line in readme.splitlines() if line.split(" | ")[0].strip("| ").isdigit()] == rows
    assert f"the first of {', '.join(str(int(code)) for code in PRECEDENCE)} is given" in " ".join(readme.split())
