"""A judged run as Stryker's mutation-testing-report JSON, schema 2, which other tools read."""

import json
from collections.abc import Iterable, Sequence
from typing import Any

from acidtest.mutants.model import REPEATED, UNREACHED, Outcome, Run, Status, Trial, Variant
from acidtest.reports.judge import Verdict, plain_name, status_of
from acidtest.reports.render.fields import cut
from acidtest.reports.render.html.clean import cleaned
from acidtest.reports.render.shares import percent
from acidtest.reports.render.spans import normal, position, span_of
from acidtest.reports.render.verdict import headline, left_out, spoiled
from acidtest.reports.render.wording import complaint
from acidtest.reports.run_files import RunFiles, file_of, line_of
from acidtest.reports.run_report import RunReport

SCHEMA_VERSION = "2"
STATUSES = {
    Status.KILLED: "Killed",
    Status.SURVIVED: "Survived",
    Status.NO_COVERAGE: "NoCoverage",
    Status.TIMED_OUT: "Timeout",
    Status.CRASHED: "RuntimeError",
    Status.UNDECIDED: "RuntimeError",
    Status.UNVIABLE: "CompileError",
    Status.PENDING: "Pending",
}
"""Stryker's word for what became of a mutant; it has none for *undecided*, and counts errors in no score."""
REASONS, LONGEST = 3, 2000
"""How many trials a reason tells of, and how many characters of each."""
_NOT_RUN = (UNREACHED, REPEATED)


def stryker_document(report: RunReport, files: RunFiles) -> str:
    """Return the document as JSON in ASCII.

    A mutant that a certificate holds to be equal on D is ``Ignored``. Where the run has no verdict at all, every mutant
    is ``Pending``, so that no reader makes a score of it. Mutants that today's code does not make have no place to be
    shown in; ``config`` names them.
    """
    return json.dumps(cleaned(_document(report, files)), indent=1, allow_nan=False) + "\n"


def _document(report: RunReport, files: RunFiles) -> dict[str, Any]:
    summary, run = report.summary, report.summary.run
    versions = dict(run.versions)
    own = versions.pop("acidtest", None)
    placed = {module: [v for v in _variants(report, files) if v.module == module] for module in files.modules}
    shown = {variant.id for variants in placed.values() for variant in variants}
    return {
        "schemaVersion": SCHEMA_VERSION,
        "config": {
            "verdict": headline(report.summary),
            "exitCode": int(summary.code),
            "strictScore": percent(summary.scores.strict),
            "seed": run.seed,
            "mode": run.mode.value,
            "suite": summary.suite,
            "notJudged": left_out(report),
            "notShown": [name for name in run.matrix.variants if name not in shown],
        },
        "thresholds": {"high": 100, "low": 80},
        "projectRoot": summary.workload,
        "files": {
            file.path: {
                "language": "python",
                "source": normal(file.text),
                "mutants": [_mutant(report, variant, file.text) for variant in placed[module]],
            }
            for module, file in files.modules.items()
        },
        "testFiles": _test_files(run, files),
        "framework": {"name": "acidtest", **({"version": own} if own else {}), "dependencies": versions},
    }


def _variants(report: RunReport, files: RunFiles) -> Iterable[Variant]:
    """Yield the mutants of the run that today's code makes, and then the certified ones."""
    for name in report.summary.run.matrix.variants:
        if name in report.variants:
            yield report.variants[name]
    yield from files.certified.values()


def _mutant(report: RunReport, variant: Variant, text: str) -> dict[str, Any]:
    """Return one mutant in its place."""
    source, mutated = normal(text), normal(variant.source)
    span = span_of(source, mutated)
    return {
        "id": variant.id,
        "mutatorName": _mutator(report, variant),
        "description": f"{variant.id}: {variant.title}",
        "replacement": span.replacement,
        "location": {"start": position(source, span.start), "end": position(source, span.end)},
        **_result(report, variant),
    }


def _mutator(report: RunReport, variant: Variant) -> str:
    mutant = next((v.mutant for v in report.summary.verdicts if v.mutant.id == variant.id), None)
    if mutant is None:
        return "mutmut" if variant.kind == "generated" else variant.kind
    return f"pitfall {mutant.pitfall}" if mutant.pitfall is not None else "catalog"


def _result(report: RunReport, variant: Variant) -> dict[str, Any]:
    """Return what became of a mutant: its status and why, the tests that reach it, and those that kill it."""
    summary, run = report.summary, report.summary.run
    made = summary.generated
    certificate = made.certified.get(variant.id) if made is not None else None
    if certificate is not None:
        reason = f"{certificate.reason} Certified equal on the bounded domain D {certificate.domain}."
        return {"status": "Ignored", "statusReason": reason}
    if spoiled(run):
        return {"status": "Pending", "statusReason": f"No verdict: {spoiled(run)}."}
    trials = list(run.matrix.of_variant(variant.id))
    ran = [trial for trial in trials if trial.reason not in _NOT_RUN]
    status = status_of(run.matrix, variant.id)
    verdict = next((v for v in summary.verdicts if v.mutant.id == variant.id), None)
    reason = _reason(status, trials, verdict)
    return {
        "status": STATUSES[status],
        **({"statusReason": reason} if reason else {}),
        "killedBy": [test.id for test in run.matrix.killers_of(variant.id)],
        "coveredBy": covered_by(run, variant),
        "testsCompleted": len(ran),
        "duration": round(sum(trial.seconds for trial in ran) * 1000, 3),
    }


def covered_by(run: Run, variant: Variant) -> list[str]:
    """Return the ids of the tests that reach a change.

    Every trial says so. A test without one, because an earlier test killed, reaches it where it executed a line of the
    change on the unchanged code.
    """
    baseline, found = run.baseline, []
    opaque = baseline.opaque.get(variant.module, frozenset())
    for test in run.matrix.tests:
        trial = run.matrix.trial(variant.id, test.id)
        if trial is not None:
            reaches = trial.reason != UNREACHED
        elif variant.anchors is None or test.id in baseline.opaque_tests:
            reaches = True
        else:
            lines = baseline.reach.get(test.id, {}).get(variant.module, frozenset()) | opaque
            reaches = any(group & lines for group in variant.anchors)
        if reaches:
            found.append(test.id)
    return found


def _reason(status: Status, trials: Sequence[Trial], verdict: Verdict | None) -> str:
    """Return why a mutant has its status: what the tests said, and how its promise was broken."""
    told = [trial for trial in trials if trial.outcome is Outcome.FAILED]
    if not told:
        told = [trial for trial in trials if trial.outcome not in (Outcome.PASSED, Outcome.SKIPPED)]
    lines = [
        f"{trial.test.rpartition('::')[2]}: {trial.outcome.replace('_', ' ')} {trial.reason} {trial.detail}".rstrip()
        for trial in told[:REASONS]
    ]
    lines = [cut(line, LONGEST) for line in lines]
    if len(told) > REASONS:
        lines.append(f"and {len(told) - REASONS} more")
    if verdict is not None and not verdict.kept:
        lines.insert(0, f"{complaint(verdict)}.")
    elif verdict is not None and verdict.mutant.expect == "survived":
        lines.insert(0, f"Expected to survive: {verdict.mutant.because or 'as the catalog says.'}")
    if status is Status.PENDING:
        lines.append("not every test was run")
    return "\n".join(lines)


def _test_files(run: Run, files: RunFiles) -> dict[str, Any]:
    """Return the tests by their files, each at the line where its function begins."""
    found: dict[str, Any] = {}
    for test in run.matrix.tests:
        name = file_of(test.id)
        text = files.tests.get(name)
        if name not in found:
            found[name] = {**({"source": normal(text)} if text is not None else {}), "tests": []}
        line = line_of(test.id, normal(text)) if text is not None else None
        shown = plain_name(test) + test.id.partition("[")[1] + test.id.partition("[")[2]
        place = {"location": {"start": {"line": line, "column": 1}}} if line else {}
        found[name]["tests"].append({"id": test.id, "name": shown, **place})
    return found
