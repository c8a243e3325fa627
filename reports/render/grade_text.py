"""What a terminal shows of one submission: for the learner what failed and where to look, for staff why."""

from collections.abc import Sequence
from fractions import Fraction

from rich.console import RenderableType
from rich.padding import Padding
from rich.text import Text

from acidtest.mutants.model import Mutant, Outcome, Test, Trial
from acidtest.reports.diagnosis import Diagnosis, Verdict
from acidtest.reports.differences import exact_numbers
from acidtest.reports.feedback import Feedback
from acidtest.reports.grading import Assessment
from acidtest.reports.hints import Question, written
from acidtest.reports.render.passed_text import verdict_lines
from acidtest.reports.render.shares import percent
from acidtest.reports.render.terminal import facts_of, to_text

_MARKS = {Outcome.PASSED: "✓", Outcome.FAILED: "✗"}
TIERS = {0: "none (--unsafe)", 1: "bubblewrap (tier 1)", 2: "Landlock (tier 2)"}
_SHOWN = 3
_READ = 400


def learner_page(assessment: Assessment, feedback: Feedback, width: int, colour: bool) -> str:
    """Return what the learner sees: each test that did not pass, why it matters, and hints for this attempt."""
    parts: list[RenderableType] = [Text(assessment.name, "bold"), Text()]
    for remark in feedback.remarks:
        if remark.passed:
            continue
        parts.append(_headline(remark.test, remark.outcome))
        facts = [("checks", remark.checks), ("matters", remark.matters), ("what", remark.what)]
        facts = [(name, words) for name, words in facts if words]
        facts += [("hint" if index == 0 else "", hint) for index, hint in enumerate(remark.hints)]
        parts += [Padding(facts_of(facts), (0, 0, 0, 2)), Text()]
    return to_text(parts, width, colour) + _verdict(assessment, width, colour)


def staff_page(
    assessment: Assessment,
    tests: Sequence[Test],
    mutants: dict[str, Mutant],
    calls: Sequence[Question],
    reference: Sequence[str],
    width: int,
    colour: bool,
) -> str:
    """Return what the staff see: reasons, examples in exact numbers, the diagnosis, and what it all cost."""
    parts: list[RenderableType] = [Text(assessment.name, "bold"), Text()]
    for test, trial in _not_passed(assessment, tests):
        parts.append(_headline(test.name, trial.outcome))
        facts = _about(test)
        facts.append(("reason", _stopped(trial) if trial.outcome is not Outcome.FAILED else trial.reason))
        facts += [("example" if at == 0 else "", exact_numbers(line)) for at, line in enumerate(_detail(trial))]
        parts += [Padding(facts_of(facts), (0, 0, 0, 2)), Text()]
    if assessment.diagnosis is not None:
        parts += [Text("diagnosis", "bold"), *_diagnosed(assessment, assessment.diagnosis, mutants, calls, reference)]
    parts += [Text(), facts_of(_costs(assessment)), Text()]
    return to_text(parts, width, colour) + _verdict(assessment, width, colour)


def _not_passed(assessment: Assessment, tests: Sequence[Test]) -> list[tuple[Test, Trial]]:
    by_id = {test.id: test for test in tests}
    return [(by_id[trial.test], trial) for trial in assessment.trials if trial.outcome is not Outcome.PASSED]


def _headline(test: str, outcome: Outcome) -> Text:
    colour = "red" if outcome is Outcome.FAILED else "yellow"
    words = "" if outcome is Outcome.FAILED else f"  {str(outcome).replace('_', ' ')}"
    return Text.assemble((f"{_MARKS.get(outcome, '!')} ", colour), (test, "bold"), (words, colour))


def _about(test: Test) -> list[tuple[str, str]]:
    return [("checks", test.checks)] + ([("matters", test.matters)] if test.matters else [])


def _stopped(trial: Trial) -> str:
    return trial.reason or str(trial.outcome).replace("_", " ")


def _short(answer: str) -> str:
    """Return an answer as far as one reads it: a submission may answer pages."""
    return answer if len(answer) <= _READ else f"{answer[: _READ - 1]}…"


def _detail(trial: Trial) -> list[str]:
    return trial.detail.splitlines()


def _diagnosed(
    assessment: Assessment,
    diagnosis: Diagnosis,
    mutants: dict[str, Mutant],
    calls: Sequence[Question],
    reference: Sequence[str],
) -> list[RenderableType]:
    wrong, asked = len(diagnosis.wrong), diagnosis.asked
    facts = [("", f"{diagnosis.verdict}; {wrong} of {asked} calls are answered wrongly")]
    for match in diagnosis.matches:
        facts.append((match.mutant, f"{mutants[match.mutant].title}: {match.hits} of the wrong answers are its own"))
    for function in diagnosis.unfinished:
        facts.append(("unfinished", function))
    for function, error in diagnosis.broken:
        facts.append(("broken", f"{function} answers every call with {error}"))
    for form in diagnosis.forms:
        facts.append(("form", f"{form.function}: {form.words} ({form.count} answers)"))
    if diagnosis.unexplained:
        facts.append(("unexplained", f"{len(diagnosis.unexplained)} wrong answers are those of no entry"))
        facts += [("", f"{function}: {words} ({count})") for function, words, count in diagnosis.symptoms[:_SHOWN]]
        facts += [("resembles", f"{name}, {percent(Fraction(share))}") for name, share in diagnosis.resembles]
    if diagnosis.verdict is not Verdict.RIGHT and diagnosis.wrong:
        first = min(diagnosis.unexplained or diagnosis.wrong)
        facts += [
            ("call", written(calls[first])),
            ("expected", exact_numbers(reference[first])),
            ("answered", exact_numbers(_short(assessment.answers[first] or "nothing"))),
        ]
    return [Padding(facts_of(facts), (0, 0, 0, 2))]


def _costs(assessment: Assessment) -> list[tuple[str, str]]:
    parts = ", ".join(f"{name} {seconds:.2f} s" for name, seconds in assessment.split.items())
    facts = [("scores", ", ".join(f"{scheme} {percent(share)}" for scheme, share in assessment.scores.items()))]
    facts += [("sandbox", TIERS[assessment.tier]), ("seed", str(assessment.seed)), ("sha256", assessment.sha256)]
    facts.append(("time", f"{assessment.seconds:.2f} s" + (f": {parts}" if parts else "")))
    return [(name, words) for name, words in facts if words]


def _verdict(assessment: Assessment, width: int, colour: bool) -> str:
    """Return the last lines: how it stands, in one line that begins with the standing, however narrow the terminal."""
    *lines, last = (Text.assemble(*line) for line in verdict_lines(assessment))
    return (to_text(lines, width, colour) if lines else "") + to_text([last], len(last), colour)
