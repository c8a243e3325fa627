"""What each learner of a class has now: the result of this grading, or an earlier one where the grader failed."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from acidtest.mutants.sandbox.intake import Submission
from acidtest.mutants.sandbox.intake_text import IntakeError, cleaned
from acidtest.reports.class_summary import Row, score_of
from acidtest.reports.gradebook import Grade, Grading, Past
from acidtest.reports.grading import Assessment, Scheme, Standing
from acidtest.reports.handed_in import HandedIn
from acidtest.reports.marking import Marked, Read
from acidtest.reports.roster import Enrolled


@dataclass(frozen=True)
class Handed:
    """Who is in it, and what each of them handed in.

    Attributes:
        hashes: of the submissions that can be taken, by learner's id. refused: why the others cannot, by id.
        readers: how to read each submission again, by hash, in the class's order.
    """

    enrolled: Sequence[Enrolled]
    hashes: dict[str, str] = field(default_factory=dict)
    refused: dict[str, str] = field(default_factory=dict)
    readers: dict[str, Read] = field(default_factory=dict)


def look_at(enrolled: Sequence[Enrolled], own_deps: bool) -> Handed:
    """Read every submission once, and keep of it how it hashes, or why it is refused."""
    found = Handed(enrolled)
    for one in enrolled:
        if one.several:
            names = " and ".join(one.several)
            found.refused[one.id] = f"{names} could all be this learner's; name one in the roster's column file"
        elif one.handed_in is not None:
            try:
                sha256 = one.handed_in.read(own_deps).sha256
            except IntakeError as error:
                found.refused[one.id] = str(error)
                continue
            found.hashes[one.id] = sha256
            found.readers.setdefault(sha256, _reading(one.handed_in, own_deps))
    return found


def _reading(handed_in: HandedIn, own_deps: bool) -> Callable[[], Submission]:
    return lambda: handed_in.read(own_deps)


@dataclass
class Ledger:
    """Writes down what each learner has now.

    Attributes:
        grades, attempted: of the rows that were written; see ``Grading.finish``.
    """

    grading: Grading
    marked: Marked
    past: Past | None
    learners: Handed
    scheme: Scheme
    grades: list[Grade] = field(default_factory=list)
    attempted: list[tuple[str, str]] = field(default_factory=list)

    def rows(self) -> Iterator[Row]:
        """Yield a row for each learner, the assessments with their answers."""
        for one in self.learners.enrolled:
            place = cleaned(one.handed_in.name) if one.handed_in else ""
            row = replace(self._row(one, place), name=one.name, place=place, rostered=one.rostered)
            assessment = row.assessment
            row = replace(row, score=score_of(assessment, self.scheme))
            if assessment is not None and assessment.standing is not Standing.INTERNAL:
                row = replace(row, attempts=self.grading.attempts(one.id, assessment.sha256))
                if assessment.sha256:
                    self.attempted.append((one.id, assessment.sha256))
            yield row

    def _row(self, one: Enrolled, place: str) -> Row:
        if one.handed_in is None:
            return Row(one.id)
        if one.id in self.learners.refused:
            refused = Assessment(place, "", 0, -1, Standing.UNGRADABLE, self.learners.refused[one.id])
            return self._noted(Row(one.id, assessment=refused), self.grading.key)
        sha256 = self.learners.hashes[one.id]
        result, key, fault = self.grading.result(sha256), self.grading.key, self.marked.faults.get(sha256, "")
        if fault and result is None and self.past is not None and one.id in self.past.grades:
            before = self.past.grades[one.id]
            key = before.key
            result = self.grading.earlier(before.sha256, key)
        if result is None:
            failed = Assessment(place, sha256, 0, -1, Standing.INTERNAL, fault)
            return self._noted(Row(one.id, assessment=failed), key)
        assessment = replace(result.assessment, name=place)
        return self._noted(Row(one.id, assessment=assessment, retried=bool(result.retried), fault=fault), key)

    def _noted(self, row: Row, key: str) -> Row:
        assert row.assessment is not None
        outcomes = {trial.test: str(trial.outcome) for trial in row.assessment.trials}
        score = score_of(row.assessment, self.scheme)
        self.grades.append(Grade(row.id, row.assessment.sha256, key, score, outcomes))
        return row
