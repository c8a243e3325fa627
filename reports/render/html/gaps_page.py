"""The page of a suite's gaps: how many first, then each survivor with the call that shows it and a test to paste."""

from collections.abc import Sequence
from dataclasses import dataclass

from acidtest.mutants.model import Finding, Variant, Witness
from acidtest.mutants.witness import interrupted
from acidtest.reports.context import shown
from acidtest.reports.differences import differences, exact_numbers
from acidtest.reports.gaps import Gap
from acidtest.reports.gaps_report import GapsReport
from acidtest.reports.nearest import Miss, Nearest
from acidtest.reports.render.fields import cut
from acidtest.reports.render.gaps_text import MEANING, call_text
from acidtest.reports.render.html.document import document, of
from acidtest.reports.render.html.survivor import Survivor, told_of
from acidtest.reports.render.verdict import Alert, spoiled

STYLE = ("base.css", "run.css", "gaps.css")
KINDS = ("math-wrong", "contract-wrong", "bit-wrong")
"""Kinds of severity, the worst first; the workload may have others, or none."""
LONGEST_KIND = 40


@dataclass(frozen=True, slots=True)
class GapItem:
    """One gap ready to be shown.

    Attributes:
        known: what every page shows of a survivor. kind: of its severity, may be empty.
        near: the name of the test that came nearest; empty where there is none. near_call: its call.
        why: why it missed, in a sentence. more: how it was chosen.
    """

    anchor: str
    known: Survivor
    kind: str
    near: str
    near_call: str
    why: str
    more: str


@dataclass(frozen=True, slots=True)
class Other:
    """A survivor without a call that shows it. ``what``: what the search came to, in a sentence."""

    id: str
    title: str
    what: str
    diff: str


def gaps_html(report: GapsReport) -> str:
    """Return the whole page, self-contained."""
    gaps = report.gaps
    items = _items(report)
    told = _headline(report)
    return document(
        "gaps.html.j2",
        STYLE,
        ("page.js",),
        {},
        title=f"{told} (run {report.number})",
        headline=told,
        tone=_tone(report),
        alerts=_alerts(report),
        report=report,
        gaps=gaps,
        items=items,
        survivors=len(gaps.gaps) + len(gaps.equal) + len(gaps.undecided),
        kinds=[(kind, count) for kind in KINDS if (count := sum(item.kind == kind for item in items))],
        equal=[_other(*pair) for pair in gaps.equal],
        undecided=[_other(*pair) for pair in gaps.undecided],
        domain=_domain(report),
        meaning=MEANING,
    )


def _headline(report: GapsReport) -> str:
    gaps = report.gaps
    why = spoiled(report.run)
    if why:
        return f"Survivors of a run without a verdict: {why}"
    if gaps.gaps:
        what = "a mutant answers" if len(gaps.gaps) == 1 else "mutants answer"
        return f"{of(len(gaps.gaps), 'gap')}: {what} differently, and no test notices"
    if gaps.undecided:
        return f"No gap found, {of(len(gaps.undecided), 'survivor')} undecided"
    if gaps.equal:
        return f"No gap: no call of D shows any of {of(len(gaps.equal), 'survivor')}"
    if gaps.listed:
        return f"No survivor, but {of(len(gaps.listed), 'mutant')} without a verdict"
    return "No gap: no mutant of this run survived"


def _tone(report: GapsReport) -> str:
    gaps = report.gaps
    if gaps.gaps or spoiled(report.run):
        return "bad"
    return "open" if gaps.undecided or gaps.listed else "good"


def _alerts(report: GapsReport) -> list[Alert]:
    """Return what has to be known before anything else."""
    gaps, found = report.gaps, []
    if report.run.problems:
        found.append(Alert("The run gives no verdict: what survived it means little.", report.run.problems[:8]))
    if interrupted([finding for _, finding in gaps.undecided]):
        found.append(Alert("The search was interrupted: not every survivor was searched for.", (), "undecided"))
    elif gaps.undecided:
        found.append(Alert(f"{of(len(gaps.undecided), 'search')} did not end; never read as equal.", (), "undecided"))
    lacking = [gap.variant.id for gap in gaps.gaps if gap.test is None]
    if lacking:
        found.append(Alert("There is no test to paste for:", tuple(lacking[:8]), more=max(0, len(lacking) - 8)))
    return found


def _items(report: GapsReport) -> list[GapItem]:
    """Return the gaps, the worst kind first, otherwise in the order of the run."""
    ranks = {kind: rank for rank, kind in enumerate(KINDS)}
    ordered = sorted(report.gaps.gaps, key=lambda gap: ranks.get(gap.told.kind, len(ranks)))
    return [_item(number, gap, report) for number, gap in enumerate(ordered, start=1)]


def _item(number: int, gap: Gap, report: GapsReport) -> GapItem:
    variant, near = gap.variant, gap.nearest
    fields = told_of(gap)
    if gap.example is not None:
        fields["example_place"] = f"{gap.example.property} in {shown(gap.example.path, report.workload)}"
    line = f", line {variant.span[0]}" if variant.span else ""
    known = Survivor(
        id=variant.id,
        title=variant.title,
        place=f"{variant.module}{line}",
        status="generated" if variant.kind == "generated" else "catalog",
        expected=False,
        diff=variant.diff,
        **fields,
    )
    call = call_text(gap.witness.function, near.args) if near.args is not None else ""
    return GapItem(
        anchor=f"gap-{number}",
        known=known,
        kind=cut(gap.told.kind, LONGEST_KIND),
        near=near.test.rpartition("/")[2],
        near_call=call,
        why=_why(near),
        more=_more(near, gap.witness),
    )


def _why(near: Nearest) -> str:
    """Return why the nearest test missed, in a sentence."""
    if near.args is None:
        return f"It {near.miss}." if near.test else f"{str(near.miss)[:1].upper()}{str(near.miss)[1:]}."
    if near.miss is Miss.DID_NOT_LOOK:
        what = "; ".join(differences(near.reference, near.mutant)) or "the answer"
        return f"The mutant differs there ({what}), and the test passes: it does not look at that."
    if near.miss is Miss.NOT_REACHED:
        return "No test executes the changed code."
    if near.reference:
        return f"Both answer {exact_numbers(near.reference)} to that call, so that nothing can be noticed."
    return f"It {near.miss}."


def _more(near: Nearest, witness: Witness) -> str:
    if near.args is None or near.miss is Miss.DID_NOT_LOOK:
        return ""
    calls, tests = near.compared
    apart = f"Its call differs from the witness in {', '.join(near.differs)}" if near.differs else "It is the witness"
    return f"{apart}: the nearest of {calls} different calls of {witness.function}, made by {of(tests, 'test')}."


def _other(variant: Variant, finding: Finding) -> Other:
    searched = f"{of(finding.searched, 'call')} compared in {finding.seconds:.1f} s"
    return Other(variant.id, variant.title, f"{finding.why}; {searched}" if finding.why else searched, variant.diff)


def _domain(report: GapsReport) -> str:
    """Return the bounded domain's size and name; empty where nothing was searched."""
    gaps = report.gaps
    findings: Sequence[Finding] = [
        *(gap.finding for gap in gaps.gaps),
        *(finding for _, finding in (*gaps.equal, *gaps.undecided)),
    ]
    sizes: dict[str, int] = {}
    for finding in findings:
        if finding.domain:
            sizes[finding.domain] = max(finding.size, sizes.get(finding.domain, 0))
    return "; ".join(f"{of(size, 'call')}, {name}" if size else name for name, size in sizes.items())
