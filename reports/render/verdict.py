"""What a reader has to know of a run before anything else, in whichever form it is told."""

from collections.abc import Sequence
from dataclasses import dataclass

from acidtest.mutants.model import Mode, Run, Status
from acidtest.reports.machine_made import Tried
from acidtest.reports.render.shares import percent
from acidtest.reports.render.wording import complaint, conclusion
from acidtest.reports.run_report import RunReport
from acidtest.reports.summary import Summary


@dataclass(frozen=True, slots=True)
class Alert:
    """One thing that a reader has to know first: a sentence, what belongs to it, and where to read on."""

    title: str
    lines: tuple[str, ...] = ()
    anchor: str = ""
    more: int = 0


def headline(summary: Summary) -> str:
    """Return the verdict in a few words; what spoils it comes before what it would have been."""
    run = summary.run
    if run.baseline.failures:
        return "No verdict: the tests fail on the unchanged code"
    if run.problems and not run.matrix.tests:
        return f"No verdict: {run.problems[0]}"
    if not run.matrix.tests:
        return "No verdict: there is no test"
    if not run.matrix.variants:
        return "No verdict: no mutant was tried"
    if any(control.problem for control in run.controls):
        return "No verdict: a control misbehaved"
    text = conclusion(summary)
    return text[:1].upper() + text[1:]


def alerts(report: RunReport) -> list[Alert]:
    """Return what a reader has to know before anything else, the worst first."""
    summary = report.summary
    run, made = summary.run, summary.generated
    found = []
    if run.baseline.failures:
        lines = [
            f"{t.test}: {t.outcome.replace('_', ' ')} {t.reason} {t.detail}".rstrip() for t in run.baseline.failures
        ]
        found.append(_alert("The tests fail on the unchanged code, so that no failure proves anything.", lines))
    misbehaved = [f"{control.id}: {control.problem}" for control in run.controls if control.problem]
    if misbehaved:
        found.append(_alert("A control misbehaved: an edit with a known verdict got another one.", misbehaved))
    if run.problems:
        found.append(_alert("The run gives no verdict.", run.problems))
    if not run.matrix.tests and not run.problems:
        found.append(_alert("There is no test, so that nothing was judged.", ()))
    if not run.matrix.variants and not run.problems:
        found.append(_alert("No mutant was tried, so that nothing is known about the tests.", ()))
    statuses = statuses_of(report)
    for status, words in _WORDS.items():
        ids = [name for name, one in statuses.items() if one is status]
        if ids:
            one = "mutant" if len(ids) == 1 else "mutants"
            anchor = "survivors" if status in (Status.SURVIVED, Status.NO_COVERAGE) else "matrix"
            found.append(_alert(f"{len(ids)} {one} {words}", ids, anchor))
    broken = [f"{v.mutant.id}: {complaint(v)}" for v in summary.verdicts if v.broken and v.status is Status.KILLED]
    if broken:
        found.append(_alert("Promises that are broken although the mutant is killed:", broken, "promises"))
    if made is not None and made.stale:
        found.append(_alert(f"{made.stale} certificates are for another domain and were not used.", ()))
    return found


_WORDS = {
    Status.SURVIVED: "survived: no test noticed.",
    Status.NO_COVERAGE: "not even reached by any test.",
    Status.TIMED_OUT: "only timed out: neither killed nor survived.",
    Status.CRASHED: "only crashed: neither killed nor survived.",
    Status.UNDECIDED: "left undecided: Hypothesis gave up.",
    Status.PENDING: "without a verdict: not every test was run.",
}
SHOWN, LONGEST = 8, 600
"""How many lines an alert shows, and how many characters of each."""


def _alert(title: str, lines: Sequence[str], anchor: str = "") -> Alert:
    shown = tuple(line if len(line) <= LONGEST else line[: LONGEST - 1] + "…" for line in lines[:SHOWN])
    return Alert(title, shown, anchor, max(0, len(lines) - SHOWN))


def statuses_of(report: RunReport) -> dict[str, Status]:
    """Return what became of each mutant that ought to be killed."""
    summary = report.summary
    found = {v.mutant.id: v.status for v in summary.verdicts if v.mutant.expect != "survived"}
    return found | {one.variant.id: one.status for one in (summary.generated.tried if summary.generated else ())}


def left_out(report: RunReport) -> list[str]:
    """Return what this run did not judge, a sentence each."""
    summary, made = report.summary, report.summary.generated
    found = list(report.notes)
    if summary.run.mode is Mode.FIRST_KILL:
        found.append("Tests stopped at a mutant's first kill, so that named killers were not compared.")
    elif not summary.contract:
        found.append("Named killers were not compared: the tests are not those that the catalog names.")
    unviable = [name for name, status in statuses_of(report).items() if status is Status.UNVIABLE]
    if unviable:
        found.append(f"Cannot be imported, hence no valid mutants: {', '.join(unviable)}.")
    if made is None:
        found.append("No generated mutants were tried.")
    elif made.certified:
        count = len(made.certified)
        found.append(
            f"{count} generated {'mutant is' if count == 1 else 'mutants are'} certified equal on the bounded domain D "
            f"and left out, {made.messages} of them because only the words of an error change. Counted as survivors "
            f"they would make the score {percent(made.raw)}, without those words {percent(made.without_messages)}."
        )
    if made is not None and any(_one_killer(one) for one in made.tried) and _stopped(report):
        found.append("Generated mutants were tried up to their first kill: for them the matrix shows no further cells.")
    expected = [test.name for test in summary.run.matrix.tests if test.expected_to_fail]
    if expected:
        found.append(f"Tests that are expected to fail: {', '.join(expected)}.")
    return found


def _one_killer(one: Tried) -> bool:
    return one.status is Status.KILLED and len(one.killers) == 1


def _stopped(report: RunReport) -> bool:
    """Return whether some killed generated mutant was not tried by every test."""
    matrix = report.summary.run.matrix
    made = report.summary.generated
    names = {one.variant.id for one in made.tried if one.status is Status.KILLED} if made else set()
    counts = dict.fromkeys(names, 0)
    for trial in matrix.trials:
        if trial.variant in counts:
            counts[trial.variant] += 1
    return any(count < len(matrix.tests) for count in counts.values())


def spoiled(run: Run) -> str:
    """Return why nothing that the run shows counts, in a few words; empty where it does count."""
    if run.baseline.failures:
        return "the tests fail on the unchanged code"
    misbehaved = [control.id for control in run.controls if control.problem]
    if misbehaved:
        return f"a control misbehaved: {', '.join(misbehaved)}"
    return run.problems[0] if run.problems else ""
