"""The kill matrix of a run as CSV: the verdict in the first row, then a row for each test and mutant."""

import csv
import io
from collections.abc import Iterator, Sequence

from acidtest.mutants.model import Status
from acidtest.reports.judge import bears, status_of
from acidtest.reports.render.fields import cut
from acidtest.reports.render.html.clean import clean
from acidtest.reports.render.verdict import headline, spoiled
from acidtest.reports.run_report import RunReport

COLUMNS = (
    "record", "mutant", "kind", "status", "test", "named", "outcome", "reason", "detail", "seconds", "examples",
)  # fmt: skip
NOT_RUN = "not run"
"""The outcome of a test that a mutant did not meet, because an earlier one had killed it."""
LONGEST = 32_000
"""How many characters a field may have; spreadsheets refuse longer ones."""
_FORMULA = ("=", "+", "-", "@", "\t", "＝", "＋", "－", "＠")  # noqa: RUF001 - full width, which some programs take too


def csv_document(report: RunReport) -> str:
    """Return the document: RFC 4180, in UTF-8 when written, lines end with CR LF.

    The first column says what a row is: the ``verdict``, a test that fails on the unchanged code (``baseline``), a
    ``control`` that misbehaved, or a ``trial``. ``seconds`` is the test's own time; ``examples`` how many inputs were
    drawn; ``named`` whether the catalog names the test for the mutant. A field that a spreadsheet would take for a
    formula begins with an apostrophe.
    """
    stream = io.StringIO()
    writer = csv.writer(stream)
    writer.writerow(COLUMNS)
    for row in (*_first(report), *_trials(report)):
        writer.writerow([_safe(field) for field in row])
    return stream.getvalue()


def _first(report: RunReport) -> Iterator[Sequence[str]]:
    """Yield what a reader has to know before the trials."""
    summary, run = report.summary, report.summary.run
    yield ("verdict", "", "", "", "", "", f"exit code {int(summary.code)}", "", headline(report.summary), "", "")
    for trial in run.baseline.failures:
        told = (trial.outcome.value, trial.reason, trial.detail)
        yield ("baseline", "", "", "", trial.test, "", *told, f"{trial.seconds:.6f}", "")
    for control in run.controls:
        if control.problem:
            yield ("control", control.id, "control", "", "", "", "", "", control.problem, "", "")


def _trials(report: RunReport) -> Iterator[Sequence[str]]:
    run = report.summary.run
    matrix = run.matrix
    killers = {v.mutant.id: v.mutant.killers for v in report.summary.verdicts} if report.summary.contract else {}
    for name in matrix.variants:
        variant = report.variants.get(name)
        kind = variant.kind if variant else ""
        status = Status.PENDING if spoiled(run) else status_of(matrix, name)
        for test in matrix.tests:
            named = "yes" if any(bears(test, killer) for killer in killers.get(name, ())) else ""
            head = ("trial", name, kind, status.value, test.id, named)
            trial = matrix.trial(name, test.id)
            if trial is None:
                yield (*head, NOT_RUN, "", "", "", "")
            else:
                drawn = "" if trial.examples is None else str(trial.examples)
                yield (*head, trial.outcome.value, trial.reason, trial.detail, f"{trial.seconds:.6f}", drawn)


def _safe(field: str) -> str:
    """Return a field in one line that no program evaluates."""
    shown = " ".join(clean(field).split())
    return cut(f"'{shown}" if shown.startswith(_FORMULA) else shown, LONGEST)
