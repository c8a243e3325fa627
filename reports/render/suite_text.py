"""What a terminal shows of a learner's suite: which tests reject right answers, and how much the others would miss."""

from collections.abc import Iterable, Sequence

from rich.console import RenderableType
from rich.padding import Padding
from rich.text import Text

from acidtest.mutants.model import Mutant
from acidtest.reports.exits import ExitCode
from acidtest.reports.hints import LEVELS, Ladder, written
from acidtest.reports.render.shares import percent
from acidtest.reports.render.terminal import facts_of, table_of, to_text
from acidtest.reports.suite_grading import (
    MEANINGS,
    Standing,
    SuiteAssessment,
    UnitReport,
    Validity,
    believed,
)

_MARKS = {Validity.VALID: ("✓", "green"), Validity.REJECTS: ("✗", "red")}
_WORDS = {
    Validity.VALID: "",
    Validity.REJECTS: "rejects right answers",
    Validity.STOPS: "stops on right answers",
    Validity.IDLE: "is skipped",
}
_TIERS = {-1: "none", 0: "none (--unsafe)", 1: "bubblewrap (tier 1)", 2: "Landlock (tier 2)"}


def learner_page(
    assessment: SuiteAssessment, mutants: Sequence[Mutant], ladder: Ladder, attempt: int, width: int, colour: bool
) -> str:
    """Return what the learner sees: tests that do not count and why, and hints at what the others would miss.

    No mutant's id, title or code is in it, and no right implementation's name.
    """
    parts: list[RenderableType] = [Text(assessment.name, "bold"), Text()]
    for unit in assessment.units:
        parts.append(_headline(unit))
        facts = _why_dropped(unit)
        if unit.flaky:
            facts.append(
                ("", f"{len(unit.flaky)} times it failed at one showing and not at the next: no credit for these")
            )
        if unit.blind:
            facts.append(("", f"{len(unit.blind)} times it failed though every answer was right: no credit for these"))
        if facts:
            parts.append(Padding(facts_of(facts), (0, 0, 0, 2)))
    by_id = {mutant.id: mutant for mutant in mutants}
    missed = [by_id[name] for name in assessment.missed]
    if assessment.units and missed and believed(assessment.units):
        parts += [Text(), Text(f"{_mistakes(len(missed))} would pass your tests", "bold")]
        facts = [fact for function in _functions(missed) for fact in _hints(function, missed, ladder, attempt)]
        parts.append(Padding(facts_of(facts), (0, 0, 0, 2)))
    return to_text([*parts, Text(), *_verdict(assessment)], width, colour)


def staff_page(assessment: SuiteAssessment, mutants: Sequence[Mutant], width: int, colour: bool) -> str:
    """Return what the staff see: everything, by name."""
    parts: list[RenderableType] = [Text(assessment.name, "bold"), Text()]
    for unit in assessment.units:
        parts.append(_headline(unit))
        facts = [*_why_dropped(unit), ("not on", ", ".join(unit.rejected))]
        facts += [("kills", ", ".join(unit.kills)), ("flaky on", ", ".join(unit.flaky))]
        facts += [("blind on", ", ".join(unit.blind)), ("stopped on", ", ".join(unit.stopped))]
        parts.append(Padding(facts_of([fact for fact in facts if fact[1]]), (0, 0, 0, 2)))
    by_id = {mutant.id: mutant for mutant in mutants}
    if assessment.units and assessment.missed:
        dominating = {mutant for group in assessment.dominators for mutant in group.mutants}
        parts += [Text(), Text("missed", "bold")]
        rows = [
            (name, by_id[name].title + (", a dominator" if name in dominating else "")) for name in assessment.missed
        ]
        parts.append(Padding(facts_of(rows), (0, 0, 0, 2)))
    unseen = [str(pitfall) for pitfall, seen in assessment.pitfalls.items() if not seen]
    facts = [
        ("pitfalls missed", ", ".join(unseen)),
        ("sandbox", _TIERS[assessment.tier]),
        ("sha256", assessment.sha256),
        ("time", f"{assessment.seconds:.1f} s for {assessment.shown} showings"),
    ]
    parts += [Text(), facts_of([fact for fact in facts if fact[1]]), Text()]
    return to_text([*parts, *_verdict(assessment)], width, colour)


def table_page(assessments: Sequence[SuiteAssessment], width: int, colour: bool) -> str:
    """Return one row for each suite of a folder, and below why one has no grade."""
    table = table_of("suite", "standing", "tests", "rejecting", "thorough", "mutants", "time")
    for each in assessments:
        rejecting = sum(unit.validity is Validity.REJECTS for unit in each.units)
        table.add_row(
            Text(each.name),
            str(each.standing),
            str(len(each.units)),
            str(rejecting),
            percent(each.thoroughness) if each.units else "",
            f"{len(each.killed)}/{len(each.killed) + len(each.missed)}" if each.units else "",
            f"{each.seconds:.1f} s",
        )
    notes = [Text(f"{each.name}: {each.why}") for each in assessments if each.why]
    return to_text([table, *notes], width, colour)


def _headline(unit: UnitReport) -> Text:
    mark, colour = _MARKS.get(unit.validity, ("!", "yellow"))
    name = unit.name.replace("::", ".")
    words = f"  {_WORDS[unit.validity]}" if _WORDS[unit.validity] else ""
    return Text.assemble((f"{mark} ", colour), (name, "bold"), (words, colour))


def _why_dropped(unit: UnitReport) -> list[tuple[str, str]]:
    """Return what is wrong with a test that does not count: never which implementation showed it."""
    if unit.validity is Validity.VALID:
        return []
    facts = [("why", unit.reason)] if unit.reason and unit.reason != "assertion" else []
    if unit.validity is Validity.REJECTS:
        facts.append(("", "a right implementation failed it, so it does not count"))
    if unit.call:
        facts.append(("after", unit.call))
    return facts


def _functions(missed: Iterable[Mutant]) -> list[str]:
    return list(dict.fromkeys(mutant.witness.function for mutant in missed))


def _hints(function: str, missed: Sequence[Mutant], ladder: Ladder, attempt: int) -> list[tuple[str, str]]:
    """Return what is said of one function: how many mistakes, then where to look, then a call that shows one."""
    own = [mutant for mutant in missed if mutant.witness.function == function]
    facts = [(function, _mistakes(len(own)))]
    rungs = ladder.functions.get(function, ladder.general)
    if min(attempt, LEVELS) >= 2:
        where = f"section {rungs.section} of the chapter; " if rungs.section else ""
        facts.append(("", f"{where}try {rungs.input}"))
    if min(attempt, LEVELS) >= 3:
        call = {"function": function, "args": own[0].witness.args}
        facts.append(("", f"one is seen at {written(call)}"))
    return facts


def _mistakes(number: int) -> str:
    return "one mistake" if number == 1 else f"{number} mistakes"


def _verdict(assessment: SuiteAssessment) -> list[RenderableType]:
    """Return the last lines: how it stands, in one line that begins with the standing."""
    lines = [Text(assessment.why)] if assessment.why else []
    if assessment.tier == 0:
        lines.append(Text("graded without a sandbox (--unsafe)", "yellow"))
    if assessment.left:
        lines.append(Text(f"the time was up with {assessment.left} showings to come", "yellow"))
    words = MEANINGS[assessment.standing]
    if assessment.units:
        valid = sum(unit.validity is Validity.VALID for unit in assessment.units)
        kinds = len(assessment.dominators)
        seen = sum(assessment.pitfalls.values())
        words = (
            f"{valid} of {len(assessment.units)} tests valid, {assessment.seen} of {kinds} kinds of mistakes seen "
            f"({percent(assessment.thoroughness)}), {seen} of {len(assessment.pitfalls)} pitfalls"
        )
    colour = "green" if assessment.standing is Standing.THOROUGH else "red"
    head = (str(assessment.standing).upper(), f"bold {colour if assessment.units else 'yellow'}")
    lines.append(Text.assemble(head, f"  {words} (exit code {int(ExitCode(assessment.code))})"))
    return list(lines)
