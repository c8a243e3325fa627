"""Who is in a class: a CSV file with a line for each learner."""

import csv
import io
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from acidtest.mutants.sandbox.intake_text import cleaned
from acidtest.reports.context import UsageError
from acidtest.reports.handed_in import HandedIn, printable

_COLUMNS = ("id", "file", "name")


@dataclass(frozen=True, slots=True)
class Learner:
    """One line of the roster.

    Attributes:
        id: unique in it. file: what the learner's submission is called in the folder or zip; empty where the roster
            does not say. name: the person's; empty where the roster does not say.
    """

    id: str
    file: str = ""
    name: str = ""


def read_roster(path: Path) -> tuple[Learner, ...]:
    """Return a roster's learners, in its order.

    The first line names the columns: ``id``, and ``file`` or ``name`` or both; others are not looked at.

    Raises:
        UsageError: it cannot be read, has no such columns, or a line is without an id or has somebody else's.
    """
    try:
        text = path.read_bytes().decode("utf-8-sig")
        lines = csv.DictReader(io.StringIO(text, newline=""), strict=True)
        columns = {(name or "").strip().lower(): name for name in lines.fieldnames or ()}
        if "id" not in columns:
            raise UsageError(f"--roster {path}: the first line names no column id; write id,file or id,name there")
        learners: dict[str, Learner] = {}
        files: dict[str, str] = {}
        for row in lines:
            learner = Learner(*((row.get(columns.get(name) or "") or "").strip() for name in _COLUMNS))
            where = f"--roster {path}: line {lines.line_num}"
            if not learner.id:
                raise UsageError(f"{where} has no id; give every learner one")
            if learner.id in learners:
                raise UsageError(
                    f"{where} has the id {cleaned(learner.id)} a second time; give every learner one of their own"
                )
            if learner.file and learner.file in files:
                raise UsageError(
                    f"{where} gives {cleaned(learner.file)} to {cleaned(files[learner.file])} too; name it once"
                )
            learners[learner.id] = learner
            files[learner.file] = learner.id
    except OSError as error:
        raise UsageError(f"--roster {path}: {error.strerror}; name a CSV file") from error
    except (UnicodeDecodeError, csv.Error) as error:
        raise UsageError(f"--roster {path}: cannot be read as CSV in UTF-8: {error}; save it as such") from error
    return tuple(learners.values())


@dataclass(frozen=True, slots=True)
class Enrolled:
    """A learner and what is theirs.

    Attributes:
        handed_in: None where there is nothing. rostered: False where the roster does not have them.
        several: the names of what could all be theirs, where that is more than one thing.
    """

    id: str
    name: str
    handed_in: HandedIn | None
    rostered: bool = True
    several: tuple[str, ...] = ()


def enroll(submissions: Mapping[str, HandedIn], roster: Sequence[Learner] | None) -> tuple[Enrolled, ...]:
    """Return the class, by id.

    A learner's is what the roster's column ``file`` names, with or without its suffix; else what is called by the
    learner's id, else by the learner's name. What is nobody's is under an id of its own: its name without the suffix,
    and with it where that is not enough. Without a roster everything is.
    """
    left = dict(submissions)
    found = []
    for learner in roster or ():
        mine = _of(learner, submissions)
        for name in mine:
            left.pop(name, None)
        several = tuple(cleaned(name) for name in mine) if len(mine) > 1 else ()
        found.append(Enrolled(learner.id, learner.name, submissions[mine[0]] if mine else None, True, several))
    extra = [one for one in left.values() if one.counts]
    stems = Counter([one.stem for one in extra] + [learner.id for learner in roster or ()])
    taken = {one.id for one in found}
    for one in extra:
        identifier = one.stem if stems[one.stem] == 1 else printable(one.name)
        while identifier in taken:
            identifier += "~"
        taken.add(identifier)
        found.append(Enrolled(identifier, "", one, roster is None))
    return tuple(sorted(found, key=lambda one: one.id))


def _of(learner: Learner, submissions: Mapping[str, HandedIn]) -> list[str]:
    """Return the names of what is a learner's."""
    if learner.file in submissions:
        return [learner.file]
    for wanted in filter(None, (learner.file,) if learner.file else (learner.id, learner.name)):
        mine = [name for name, one in submissions.items() if wanted in (name, one.stem)]
        if mine:
            return mine
    return []
