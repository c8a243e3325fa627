"""What the interpreter told of itself is believed again only where it is still true, and only from this user's hand."""

import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from acidtest.mutants.sandbox import interior, told

ASKED = ["python", "-c", "what are you made of?"]


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a library; what was told of it is kept in ``kept`` beside."""
    for name in [name for name in os.environ if name.startswith("LD_")]:
        monkeypatch.delenv(name)
    folder = tmp_path / "extensions"
    folder.mkdir()
    (folder / "one.so").write_bytes(b"one")
    (tmp_path / "lib.so.1").write_bytes(b"lib")
    told.keep(tmp_path / "kept", ASKED, [], ([str(folder)], [str(tmp_path / "lib.so.1")]))
    return tmp_path


def _kept(place: Path, asked: list[str] = ASKED) -> told.Told | None:
    return told.kept(place / "kept", asked, [])


def _file(place: Path) -> Path:
    (file,) = (place / "kept").iterdir()
    return file


def test_what_was_kept_is_what_was_told(place: Path) -> None:
    assert _kept(place) == ([str(place / "extensions")], [str(place / "lib.so.1")])


def test_it_is_told_anew_where_something_else_is_asked(place: Path) -> None:
    assert _kept(place, [*ASKED, "and now?"]) is None
    assert told.kept(place / "kept", ASKED, [str(place)]) is None


def _grow(path: Path) -> None:
    path.write_bytes(path.read_bytes() + b"more")


CHANGES: dict[str, Callable[[Path], Any]] = {
    "a library that others load is another": lambda place: _grow(place / "lib.so.1"),
    "a library is gone": lambda place: (place / "lib.so.1").unlink(),
    "an extension module is another": lambda place: _grow(place / "extensions" / "one.so"),
    "there is a further extension module": lambda place: (place / "extensions" / "two.so").write_bytes(b"two"),
    "the folder of them is gone": lambda place: (place / "extensions").rename(place / "elsewhere"),
}


@pytest.mark.parametrize("change", CHANGES)
def test_it_is_told_anew_where(change: str, place: Path) -> None:
    CHANGES[change](place)
    assert _kept(place) is None


def test_it_is_told_anew_where_a_variable_steers_the_loader(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LD_LIBRARY_PATH", str(place))
    assert _kept(place) is None
    told.keep(place / "steered", ASKED, [], ([], []))
    assert not (place / "steered").exists()


def _link(place: Path) -> None:
    os.rename(_file(place), place / "original")
    os.symlink(place / "original", place / "kept" / "interior.json")


STRANGERS: dict[str, Callable[[Path], Any]] = {
    "its group may write it": lambda place: _file(place).chmod(0o620),
    "anyone may write it": lambda place: _file(place).chmod(0o602),
    "it is a link to a file": _link,
    "it has a second name": lambda place: os.link(_file(place), place / "second"),
    "it is no JSON": lambda place: _file(place).write_bytes(b"["),
    "it is of another shape": lambda place: _file(place).write_text(json.dumps([1])),
}


@pytest.mark.parametrize("why", STRANGERS)
def test_it_is_not_believed_where(why: str, place: Path) -> None:
    STRANGERS[why](place)
    assert _kept(place) is None


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file away")
def test_it_is_not_believed_where_somebody_else_wrote_it(place: Path) -> None:
    os.chown(_file(place), 12345, -1)
    assert _kept(place) is None


def test_nobody_else_can_read_or_write_it(place: Path) -> None:
    assert _file(place).stat().st_mode & 0o777 == 0o600


def test_a_folder_that_cannot_be_written_to_is_no_fault(place: Path) -> None:
    told.keep(place / "lib.so.1" / "kept", ASKED, [], ([], []))
    assert told.kept(place / "lib.so.1" / "kept", ASKED, []) is None


def test_a_second_process_need_not_ask_the_interpreter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in os.environ if name.startswith("LD_")]:
        monkeypatch.delenv(name)
    monkeypatch.setattr(interior, "_keeping", [])
    look_up = interior.look_up.__wrapped__
    interior.keep_in(tmp_path)
    first = look_up()

    def refuse(*arguments: object, **named: object) -> None:
        raise subprocess.SubprocessError("asked again")

    monkeypatch.setattr(subprocess, "run", refuse)
    assert look_up() == first
    interior.keep_in(tmp_path / "empty")
    with pytest.raises(interior.InteriorError, match="asked again"):
        look_up()
