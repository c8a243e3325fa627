"""How strong a suite is: every measure of one matrix, and of what else was found out, as one value."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from acidtest.mutants.model import KillMatrix, Test
from acidtest.reports.confidence import Confidence, Inputs, Seeding, confidence, inputs_to_kill
from acidtest.reports.conjectures import Conjecture, conjectures
from acidtest.reports.covers import Cover, Redundant, minimal_suites, redundant_tests, sole_kills
from acidtest.reports.kills import Kills, steady
from acidtest.reports.power import Ledger
from acidtest.reports.subsuites import Part, Spread, part, score, spreads
from acidtest.reports.subsumption import (
    Disagreement,
    MutantClass,
    classes,
    disagreements,
    dominator_score,
    dominators,
    graph,
)
from acidtest.reports.triggers import Trigger


@dataclass(frozen=True, slots=True)
class Domain:
    """Subsumption by the calls of the bounded domain D, beside that by the tests.

    Attributes:
        calls: how many D has. hash: its name.
        classes, dominators: of mutants by equal calls. silent: mutants that no call of D shows.
        pairs: where the two subsumptions differ.
    """

    calls: int
    hash: str
    classes: int
    dominators: tuple[MutantClass, ...]
    silent: tuple[str, ...]
    pairs: tuple[Disagreement, ...]


@dataclass(frozen=True, slots=True)
class Evidence:
    """What was found out beyond one matrix; None where it was not asked for or cannot be had.

    Attributes:
        deltas: for each mutant the places in D at which it answers unlike the reference, D's size and its hash.
        seedings: the same matrix under other seeds.
    """

    deltas: tuple[Mapping[str, frozenset[int]], int, str] | None = None
    seedings: Sequence[Seeding] | None = None
    triggers: tuple[Trigger, ...] | None = None
    ledgers: tuple[Ledger, ...] | None = None


@dataclass(frozen=True, slots=True)
class Strength:
    """All that is known about a suite's strength.

    Attributes:
        pool: the tests that mutants are classed by: the suite's, and the workload's own where the suite is another.
        classes, dominators, edges: of the pool. dominator_score: of the suite, in the pool.
        cover, idle, redundant, sole, conjectures: by the kills under every seed, where there are several.
        idle: tests that kill nothing. sole: for each test the mutants that only it kills.
        notes: what was not measured, and how to have it measured.
    """

    kills: Kills
    pool: Kills
    tests: Mapping[str, Test]
    score: Fraction
    classes: tuple[MutantClass, ...]
    dominators: tuple[MutantClass, ...]
    edges: tuple[tuple[int, int], ...]
    dominator_score: Fraction | None
    cover: Cover
    idle: tuple[str, ...]
    redundant: tuple[Redundant, ...]
    sole: Mapping[str, tuple[str, ...]]
    conjectures: tuple[Conjecture, ...]
    spreads: tuple[Spread, ...]
    parts: tuple[Part, ...]
    inputs: tuple[Inputs, ...]
    domain: Domain | None = None
    confidence: Confidence | None = None
    triggers: tuple[Trigger, ...] | None = None
    ledgers: tuple[Ledger, ...] | None = None
    notes: tuple[str, ...] = ()

    def name(self, test: str) -> str:
        """Return a test's name as people write it: without file, with parameters."""
        base, bracket, parameters = test.partition("[")
        return base.rsplit("::", 1)[-1] + bracket + parameters


def strength(
    matrix: KillMatrix,
    kills: Kills,
    pool: Kills | None = None,
    evidence: Evidence | None = None,
    notes: Sequence[str] = (),
    seed: int = 0,
    sizes: bool = True,
) -> Strength:
    """Return every measure.

    Args:
        matrix: of the suite. kills: what it says, see ``kills_in``. pool: ``kills`` where it is not given.
        seed: of the random sub-suites. sizes: compare with those at all; without, ``spreads`` and ``parts`` are empty.
    """
    pool = pool or kills
    evidence = evidence or Evidence()
    matrices = [seeding.matrix for seeding in evidence.seedings or () if seeding.matrix is not None] or [matrix]
    firm = steady(kills, matrices) if len(matrices) > 1 else kills
    redundant = redundant_tests(firm)
    return Strength(
        kills=kills,
        pool=pool,
        tests={test.id: test for test in matrix.tests},
        score=score(kills, kills.tests),
        classes=classes(pool.killers),
        dominators=dominators(pool.killers),
        edges=graph(pool.killers),
        dominator_score=dominator_score(pool, kills.tests),
        cover=minimal_suites(firm),
        idle=tuple(test for test in kills.tests if not kills.kills[test]),
        redundant=tuple(row for row in redundant if kills.kills[row.test]),
        sole=sole_kills(firm),
        conjectures=conjectures(firm),
        spreads=spreads(kills, seed) if sizes else (),
        parts=_parts(matrix, kills, seed) if sizes else (),
        inputs=inputs_to_kill(matrices, kills.killed),
        domain=_domain(kills, evidence.deltas) if evidence.deltas is not None else None,
        confidence=confidence(evidence.seedings, kills.killers) if evidence.seedings else None,
        triggers=evidence.triggers,
        ledgers=evidence.ledgers,
        notes=tuple(notes),
    )


def _parts(matrix: KillMatrix, kills: Kills, seed: int) -> tuple[Part, ...]:
    """Return the parts of the suite that its markers name, where there is more than one."""
    named: dict[str, list[str]] = {}
    for test in matrix.tests:
        named.setdefault("chapter" if test.chapter else "not chapter", []).append(test.id)
    if len(named) < 2:
        named = {}
    kinds: dict[str, list[str]] = {}
    for test in matrix.tests:
        if test.kind:
            kinds.setdefault(test.kind, []).append(test.id)
    if len(kinds) > 1:
        named |= kinds
    return tuple(part(kills, name, tests, seed) for name, tests in named.items())


def _domain(kills: Kills, found: tuple[Mapping[str, frozenset[int]], int, str]) -> Domain:
    deltas, calls, name = found
    known = {mutant: deltas[mutant] for mutant in kills.killers if mutant in deltas}
    return Domain(
        calls,
        name,
        len(classes(known)),
        dominators(known),
        tuple(mutant for mutant, delta in known.items() if not delta),
        disagreements(kills, known),
    )
