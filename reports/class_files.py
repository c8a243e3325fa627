"""What grading a class leaves in a folder: the grade book, the results for machines, the page, and JUnit's XML."""

from pathlib import Path

from acidtest.mutants.workload import Workload
from acidtest.reports.class_summary import ClassSummary
from acidtest.reports.context import state_folder
from acidtest.reports.render.class_csv import grades_csv
from acidtest.reports.render.class_jsonl import results_jsonl
from acidtest.reports.render.grade_junit import class_junit
from acidtest.reports.run_pages import put

PAGE, GRADES, RESULTS, JUNIT = "class.html", "grades.csv", "results.jsonl", "junit.xml"


def class_folder(workload: Workload, state: Path | None, here: Path) -> Path:
    """Return where a class's files go if nobody says: ``reports/class`` in the state folder, out of git's sight."""
    return state_folder(workload, state, here) / "reports" / "class"


def write_class(summary: ClassSummary, folder: Path) -> None:
    """Write all of them, each in one step; those of an earlier grading are replaced.

    Raises:
        UsageError: one cannot be written.
    """
    from acidtest.reports.render.class_page import class_html  # loads the templates: only where it is used

    put(grades_csv(summary), folder / GRADES)
    put("".join(results_jsonl(summary)), folder / RESULTS)
    put(class_html(summary), folder / PAGE)
    put(class_junit(summary), folder / JUNIT)
