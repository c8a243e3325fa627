"""Who is in a class and what is theirs: rosters, folders and zips, and what is a class at all."""

import os
import zipfile
from collections.abc import Iterable
from pathlib import Path

import pytest

from acidtest.mutants.sandbox.intake_text import IntakeError
from acidtest.reports.context import UsageError
from acidtest.reports.handed_in import Pile, is_class
from acidtest.reports.roster import Learner, enroll, read_roster

CODE = b"def rejection_accept(p_x, q_x, u):\n    return u < p_x / q_x\n"


def folder_of(top: Path, names: Iterable[str]) -> Path:
    for name in names:
        (top / name).parent.mkdir(parents=True, exist_ok=True)
        (top / name).write_bytes(CODE)
    return top


def zip_of(path: Path, entries: Iterable[tuple[str, bytes]]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in entries:
            archive.writestr(name, data)
    return path


@pytest.mark.parametrize("wrapped", ["", "week 3/handed in/"])
@pytest.mark.parametrize("zipped", [False, True])
def test_files_folders_and_zips_are_submissions(tmp_path: Path, wrapped: str, zipped: bool) -> None:
    inner = zip_of(tmp_path / "inner.zip", [("mine/rejection.py", CODE)]).read_bytes()
    names = ["ada.py", "bob/src/rejection.py", "bob/notes.py", "__MACOSX/ada.py", ".git/x.py", "notes.txt"]
    if zipped:
        entries = [(wrapped + name, CODE) for name in names]
        path = zip_of(tmp_path / "class.zip", [*entries, (f"{wrapped}cyn.zip", inner)])
    else:
        path = folder_of(tmp_path / "class", names)
        (path / "cyn.zip").write_bytes(inner)
    with Pile(path) as pile:
        counting = {one.stem: one for one in pile.submissions.values() if one.counts}
        assert sorted(counting) == ["ada", "bob", "cyn"]
        assert pile.left_out == ("notes.txt",)
        assert {one.read(False).files["rejection.py"] for one in counting.values()} == {CODE}


def test_what_one_submission_does_wrong_is_refused_for_it_alone(tmp_path: Path) -> None:
    entries = [
        ("ada/rejection.py", CODE),
        ("../bob/rejection.py", CODE),
        ("cyn/rejection.py", b"\0" * 300_000),
        ("dan/a/rejection.py", CODE),
        ("dan/b/rejection.py", CODE),
        ("eve.py", b"x = '" + b"a" * 250_000 + b"'"),
    ]
    with Pile(zip_of(tmp_path / "class.zip", entries)) as pile:
        refused = {}
        for name, one in pile.submissions.items():
            try:
                one.read(False)
            except IntakeError as error:
                refused[name] = str(error)
    assert set(refused) == {"..", "cyn", "dan", "eve.py"}
    assert "points outside the zip" in refused[".."]
    assert "larger than 200 kB" in refused["cyn"]
    assert "2 files called rejection.py" in refused["dan"]
    assert not (tmp_path / "bob").exists()


def test_a_link_in_the_folder_is_refused_and_not_followed(tmp_path: Path) -> None:
    secret = tmp_path / "secret.py"
    secret.write_bytes(CODE)
    folder = folder_of(tmp_path / "class", ["ada.py"])
    (folder / "bob.py").symlink_to(secret)
    with Pile(folder) as pile, pytest.raises(IntakeError, match="is a link"):
        pile.submissions["bob.py"].read(False)


def test_modules_beside_a_file_are_somebody_elses(tmp_path: Path) -> None:
    folder = folder_of(tmp_path / "class", ["ada.py", "categorical.py", "bob/rejection.py", "bob/categorical.py"])
    with Pile(folder) as pile:
        assert set(pile.submissions["ada.py"].read(True).files) == {"rejection.py"}
        assert set(pile.submissions["bob"].read(True).files) == {"rejection.py", "categorical.py"}


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (["rejection.py"], False),
        (["rejection.py", "old/rejection.py", "test_mine.py"], False),
        (["setup.py", "src/rejection.py"], False),
        (["Rejection.py"], False),
        (["ada.py", "bob.py"], True),
        (["ada/rejection.py", "bob/rejection.py"], True),
        (["ada.py", "bob/rejection.py", "cyn/rejection.py"], True),
        (["notes.txt", "docs/readme.md"], False),
    ],
)
@pytest.mark.parametrize("zipped", [False, True])
def test_what_looks_like_a_class(tmp_path: Path, names: list[str], expected: bool, zipped: bool) -> None:
    path = tmp_path / ("handed.zip" if zipped else "handed")
    path = zip_of(path, [(name, CODE) for name in names]) if zipped else folder_of(path, names)
    assert is_class(path, None, None) is expected
    assert is_class(path, True, None)
    assert not is_class(path, False, None)


def test_a_file_and_nothing_at_all_are_no_class(tmp_path: Path) -> None:
    assert not is_class(folder_of(tmp_path, ["ada.py"]) / "ada.py", None, None)
    assert not is_class(tmp_path / "absent", None, None)
    broken = tmp_path / "broken.zip"
    broken.write_bytes(b"PK\x03\x04 no zip")
    assert not is_class(broken, None, None)


def roster_of(tmp_path: Path, text: str) -> tuple[Learner, ...]:
    path = tmp_path / "roster.csv"
    path.write_text(text, "utf-8")
    return read_roster(path)


def test_a_roster_is_read_whatever_stands_beside(tmp_path: Path) -> None:
    text = '\ufeffName,ID,team,file\n"Lovelace, Ada",17,x,ada.py\nBob,18,y,\n'
    assert roster_of(tmp_path, text) == (Learner("17", "ada.py", "Lovelace, Ada"), Learner("18", "", "Bob"))


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("name,file\nada,ada.py\n", "names no column id"),
        ("", "names no column id"),
        ("id,name\n,ada\n", "line 2 has no id"),
        ("id,name\n1,ada\n1,bob\n", "line 3 has the id 1 a second time"),
        ("id,file\n1,a.py\n2,a.py\n", "line 3 gives a.py to 1 too"),
    ],
)
def test_a_roster_that_cannot_be_used_says_why(tmp_path: Path, text: str, complaint: str) -> None:
    with pytest.raises(UsageError, match=complaint):
        roster_of(tmp_path, text)


def test_missing_and_extra_submissions_are_told_apart(tmp_path: Path) -> None:
    names = ["ada.py", "18.py", "Cyn Low/rejection.py", "eve.ipynb", "guest.py", "19.py", "19/rejection.py"]
    learners = (
        *(Learner("17", "ada.py", "Ada"), Learner("18"), Learner("20", "", "Cyn Low")),
        *(Learner("21", "eve"), Learner("22", "gone.py"), Learner("19")),
    )
    with Pile(folder_of(tmp_path / "class", names)) as pile:
        found = {one.id: one for one in enroll(pile.submissions, learners)}
    assert list(found) == sorted(found)
    theirs = {name: one.handed_in.name if one.handed_in else "" for name, one in found.items()}
    assert theirs == {
        "17": "ada.py",
        "18": "18.py",
        "19": "19",
        "20": "Cyn Low",
        "21": "eve.ipynb",
        "22": "",
        "guest": "guest.py",
    }
    assert [name for name, one in found.items() if not one.rostered] == ["guest"]
    assert found["19"].several == ("19", "19.py")


def test_two_with_one_stem_keep_their_whole_names(tmp_path: Path) -> None:
    with Pile(folder_of(tmp_path / "class", ["ada.py", "ada/rejection.py", "bob.py"])) as pile:
        assert [one.id for one in enroll(pile.submissions, None)] == ["ada", "ada.py", "bob"]


def test_the_roster_in_the_folder_is_no_submission(tmp_path: Path) -> None:
    folder = folder_of(tmp_path / "class", ["ada.py"])
    roster = folder / "roster.csv"
    roster.write_text("id\nada\n", "utf-8")
    with Pile(folder, [roster]) as pile:
        assert list(pile.submissions) == ["ada.py"]
        assert pile.left_out == ()


def test_a_folder_that_may_not_be_read_is_said_in_one_line(tmp_path: Path) -> None:
    tmp_path.chmod(0)
    root = os.geteuid() == 0
    if root:  # who may read everything becomes nobody for a moment
        os.seteuid(65534)
    try:
        with pytest.raises(UsageError, match="name a folder that you may read"):
            Pile(tmp_path)
    finally:
        if root:
            os.seteuid(0)
        tmp_path.chmod(0o700)
