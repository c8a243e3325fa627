"""Which submissions are wrong in the same way, where no entry of the catalog says how: wrong answers that are alike.

A submission's *signature* is the set of its unexplained wrong answers, each with its call. Two are alike where they
share ``ALIKE`` of their answers (the Jaccard index). Submissions of equal signature are always together; a group joins
the largest one that is alike, so that whoever is at the centre of a cluster is like everybody in it.
"""

import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from acidtest.reports.grading import Assessment
from acidtest.reports.likeness import loose

ALIKE = Fraction(3, 4)

Signature = frozenset[tuple[int, int]]


@dataclass(frozen=True, slots=True)
class Cluster:
    """Learners whose unexplained answers are alike.

    Attributes:
        learners: their ids. representative: the one with the least else wrong; read this one's file first.
        calls: unexplained calls of the representative. shared: how many of these answers all of them have.
        symptoms: of the representative, as (function, words, count).
    """

    learners: tuple[str, ...]
    representative: str
    calls: int
    shared: int
    symptoms: tuple[tuple[str, str, int], ...]


def signature_of(assessment: Assessment) -> Signature:
    """Return the unexplained wrong answers, by call, each as a checksum; needs the answers to the battery."""
    diagnosis = assessment.diagnosis
    if diagnosis is None or not assessment.answers:
        return frozenset()
    return frozenset(
        (call, zlib.crc32(repr(loose(assessment.answers[call] or "")).encode())) for call in diagnosis.unexplained
    )


def clusters_of(signatures: Mapping[str, Signature], assessments: Mapping[str, Assessment]) -> tuple[Cluster, ...]:
    """Return the clusters, the largest first; a submission that is like no other is one of its own.

    Args:
        signatures: of the submissions that have any. assessments: of all of them.
    """
    groups: dict[Signature, list[str]] = {}
    for learner in sorted(signatures):
        groups.setdefault(signatures[learner], []).append(learner)
    centres: dict[Signature, list[str]] = {}
    for signature, learners in sorted(groups.items(), key=lambda group: (-len(group[1]), group[1])):
        near = next((centre for centre in centres if likeness(centre, signature) >= ALIKE), signature)
        centres.setdefault(near, []).extend(learners)
    clusters = [_cluster(sorted(learners), signatures, assessments) for learners in centres.values()]
    return tuple(sorted(clusters, key=lambda cluster: (-len(cluster.learners), cluster.learners)))


def likeness(one: Signature, other: Signature) -> Fraction:
    """Return the share of answers in common, 0 to 1."""
    return Fraction(len(one & other), len(one | other)) if one or other else Fraction(1)


def _cluster(
    learners: list[str], signatures: Mapping[str, Signature], assessments: Mapping[str, Assessment]
) -> Cluster:
    def beside(learner: str) -> tuple[int, int, str]:
        diagnosis = assessments[learner].diagnosis
        assert diagnosis is not None, "a signature comes from a diagnosis"
        return len(diagnosis.matches), len(diagnosis.wrong), learner

    representative = min(learners, key=beside)
    diagnosis = assessments[representative].diagnosis
    assert diagnosis is not None
    shared = frozenset.intersection(*(signatures[learner] for learner in learners))
    return Cluster(tuple(learners), representative, len(signatures[representative]), len(shared), diagnosis.symptoms)
