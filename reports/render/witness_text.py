"""What a terminal shows of a search: the call on which two implementations differ, and what that means."""

from rich.console import RenderableType
from rich.text import Text

from acidtest.mutants.model import Finding, Variant
from acidtest.mutants.witness import DISTINCT, EQUAL, Judgement
from acidtest.reports.render.terminal import facts_of, to_text
from acidtest.reports.render.wording import call_of


def page(mutant: Variant, reference: str, finding: Finding, judgement: Judgement, width: int, colour: bool) -> str:
    """Return a finding in full.

    Args:
        reference: what the other implementation is called.
    """
    title = f"  {mutant.title}" if mutant.title and mutant.title != mutant.id else ""
    parts: list[RenderableType] = [Text.assemble((mutant.id, "bold"), (title, "bold"))]
    facts: list[tuple[str, str]] = [("verdict", finding.verdict)]
    if finding.verdict == DISTINCT and finding.witness is not None:
        facts += [
            ("witness", call_of(finding.witness)),
            (reference, finding.witness.reference),
            (mutant.id, finding.witness.mutant),
        ]
        facts += [("rule", judgement.rule)] if judgement.rule else []
        facts += [("severity", judgement.severity)] if judgement.severity else []
    if finding.verdict not in (DISTINCT, EQUAL):
        facts.append(("because", finding.why))
    facts.append(("searched", searched(finding)))
    parts.append(facts_of(facts))
    return to_text(parts, width, colour)


def searched(finding: Finding) -> str:
    """Return what was searched, in words that claim no more."""
    calls = f"{finding.searched} calls compared in {finding.seconds:.1f} s"
    if not finding.domain:
        return calls
    domain = f"D holds {finding.size} calls (hash {finding.domain})"
    if finding.verdict == EQUAL:
        return f"{calls}; {domain}, those that cannot see the change were left out; beyond D only a sample was drawn"
    return f"{calls}; {domain}"
