"""A judged run as JUnit XML: a test case for each promise and each mutant, green where the command exits with 0."""

import xml.etree.ElementTree as ET
from collections.abc import Iterable
from dataclasses import dataclass, replace

from acidtest.mutants.model import Run, Status
from acidtest.reports.judge import Grade, Verdict
from acidtest.reports.machine_made import Tried
from acidtest.reports.render.fields import cut
from acidtest.reports.render.html.clean import clean
from acidtest.reports.render.shares import percent
from acidtest.reports.render.verdict import headline, spoiled
from acidtest.reports.render.wording import call_of, complaint
from acidtest.reports.run_report import RunReport

LONGEST = 2000
"""How many characters a name or a message may have."""
_ALIVE = {Status.SURVIVED: "survived every test", Status.NO_COVERAGE: "no test reaches the changed code"}


@dataclass(frozen=True, slots=True)
class Case:
    """One test case. ``outcome`` is empty where it passed, else ``failure``, ``error`` or ``skipped``."""

    owner: str
    name: str
    seconds: float = 0.0
    outcome: str = ""
    kind: str = ""
    message: str = ""
    text: str = ""


def junit_document(report: RunReport) -> str:
    """Return the document: what the verdict rests on, the catalog's promises, then the generated mutants.

    A broken promise and a survivor are failures; what has no verdict is an error; what does not count is skipped. Where
    the run as a whole has no verdict, no mutant passes or fails.
    """
    summary = report.summary
    suites = [("run", _foundations(report)), ("catalog", [_promise(report, v) for v in summary.verdicts])]
    made = summary.generated
    if made is not None:
        cases = [_generated(report, one) for one in made.tried]
        for name, held in made.certified.items():
            reason = f"certified equal on D {held.domain}: {held.reason}"
            cases.append(Case(f"{held.module}.{held.function}", name, outcome="skipped", message=reason))
        suites.append(("generated", cases))
    counts = _counted(_all(suites))
    del counts["skipped"]  # which the format knows of a suite alone
    root = ET.Element("testsuites", {"name": _short(f"acidtest: {headline(report.summary)}"), **counts})
    for name, cases in suites:
        suite = ET.SubElement(root, "testsuite", {"name": name, **_counted(cases)})
        for case in cases:
            _put(suite, case)
    ET.indent(root)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{ET.tostring(root, encoding="unicode")}\n'


def _foundations(report: RunReport) -> list[Case]:
    """Return what must hold before anything is concluded, each as a case."""
    summary, run = report.summary, report.summary.run
    told = [f"{t.test}: {t.outcome.replace('_', ' ')} {t.reason} {t.detail}".rstrip() for t in run.baseline.failures]
    controls = [f"{control.id}: {control.problem}" for control in run.controls if control.problem]
    anything = bool(summary.verdicts or (summary.generated and summary.generated.tried))
    questions: list[tuple[str, str, list[str]]] = [
        ("the tests pass on the unchanged code", "baseline", told),
        ("the controls get the verdicts that are known beforehand", "control", controls),
        ("the run comes to a verdict", "problem", list(run.problems)),
        ("there is a test", "empty", [] if run.matrix.tests else ["no test was collected"]),
        ("there is a mutant", "empty", [] if anything else ["no mutant was tried"]),
    ]
    stopped = bool(run.problems) and not run.matrix.tests
    cases = []
    for name, kind, lines in questions:
        if stopped and kind != "problem":
            cases.append(Case("acidtest.run", name, outcome="skipped", message="not known: the run stopped before"))
        elif lines:
            cases.append(Case("acidtest.run", name, 0.0, "error", kind, lines[0], "\n".join(lines)))
        else:
            cases.append(Case("acidtest.run", name))
    return [replace(cases[0], seconds=run.baseline.seconds), *cases[1:], *_asked(report)]


def _asked(report: RunReport) -> Iterable[Case]:
    """Yield whether each strict score is what was asked for."""
    summary, made = report.summary, report.summary.generated
    if summary.fail_under is None:
        return
    parts = [("the catalog's", summary.scores)] if summary.verdicts else []
    parts += [("the generated mutants'", made.scores)] if made is not None and made.tried else []
    for which, counted in parts:
        name = f"{which} strict score is at least {float(summary.fail_under):g}%"
        if counted.strict is None:
            yield Case("acidtest.run", name, 0.0, "error", "score", counted.reason)
        elif counted.strict * 100 < summary.fail_under:
            yield Case("acidtest.run", name, 0.0, "failure", "score", f"it is {percent(counted.strict)}")
        else:
            yield Case("acidtest.run", name)


def _promise(report: RunReport, verdict: Verdict) -> Case:
    mutant, run = verdict.mutant, report.summary.run
    owner, name = f"{mutant.module}.{mutant.function}", f"{mutant.id}: {mutant.title}"
    seconds = _seconds(run, mutant.id)
    if spoiled(run):
        return Case(owner, name, seconds, "skipped", message=f"no verdict: {spoiled(run)}")
    if verdict.kept:
        return Case(owner, name, seconds)
    witness = mutant.witness
    lines = [
        complaint(verdict),
        f"witness: {call_of(witness)}",
        f"reference: {witness.reference}",
        f"mutant: {witness.mutant}",
        *_odd(run, mutant.id),
    ]
    kind = verdict.grade.value if verdict.grade is not Grade.UNJUDGED else verdict.status.value
    return Case(owner, name, seconds, _gravity(report, verdict.broken), kind, complaint(verdict), "\n".join(lines))


def _generated(report: RunReport, one: Tried) -> Case:
    run, variant = report.summary.run, one.variant
    owner, name = f"{variant.module}.{one.function}", f"{variant.id}: {variant.title}"
    seconds = _seconds(run, variant.id)
    if spoiled(run):
        return Case(owner, name, seconds, "skipped", message=f"no verdict: {spoiled(run)}")
    if one.status is Status.KILLED:
        return Case(owner, name, seconds)
    if one.status is Status.UNVIABLE:
        return Case(owner, name, seconds, "skipped", message="cannot be imported, hence no mutant")
    message = _ALIVE.get(one.status, f"neither killed nor survived: {one.status.replace('_', ' ')}")
    text = "\n".join([message, variant.diff.rstrip(), *_odd(run, variant.id)])
    return Case(owner, name, seconds, _gravity(report, one.status in _ALIVE), one.status.value, message, text)


def _gravity(report: RunReport, wrong: bool) -> str:
    """Return what a mutant without its kill is: with ``--fail-under`` the score alone decides."""
    if not wrong:
        return "error"
    return "failure" if report.summary.fail_under is None else "skipped"


def _odd(run: Run, variant: str) -> list[str]:
    """Return what the trials say that neither passed nor failed, three at most."""
    odd = [trial for trial in run.matrix.of_variant(variant) if trial.outcome not in ("passed", "failed", "skipped")]
    return [f"{t.test}: {t.outcome.replace('_', ' ')} {t.reason} {t.detail}".rstrip() for t in odd[:3]]


def _seconds(run: Run, variant: str) -> float:
    return sum(trial.seconds for trial in run.matrix.of_variant(variant))


def _all(suites: Iterable[tuple[str, list[Case]]]) -> list[Case]:
    return [case for _, cases in suites for case in cases]


def _counted(cases: list[Case]) -> dict[str, str]:
    """Return the numbers that a suite states of itself."""
    outcomes = [case.outcome for case in cases]
    counts = {"tests": len(cases), "failures": outcomes.count("failure"), "errors": outcomes.count("error")}
    counts["skipped"] = outcomes.count("skipped")
    return {name: str(n) for name, n in counts.items()} | {"time": f"{sum(case.seconds for case in cases):.3f}"}


def _put(suite: ET.Element, case: Case) -> None:
    about = {"classname": _short(case.owner), "name": _short(case.name), "time": f"{case.seconds:.3f}"}
    element = ET.SubElement(suite, "testcase", about)
    if case.outcome == "skipped":
        ET.SubElement(element, "skipped", {"message": _short(case.message)})
    elif case.outcome:
        told = ET.SubElement(element, case.outcome, {"message": _short(case.message), "type": _short(case.kind)})
        told.text = "\n".join(_short(line) for line in case.text.split("\n"))


def _short(text: str) -> str:
    """Return a text that XML can hold, and no reader chokes on."""
    return cut(clean(text), LONGEST)
