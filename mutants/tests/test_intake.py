"""What can be handed in, and the sentence that everything else is refused with."""

import hashlib
import os
import random
import socket
import struct
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from acidtest.mutants.sandbox import intake
from acidtest.mutants.sandbox.intake import take
from acidtest.mutants.sandbox.intake_text import LARGEST, IntakeError

CODE = b"def rejection_accept(p_x, q_x, u):\n    return u < p_x / q_x\n"


def zipped(path: Path, *entries: tuple[str | zipfile.ZipInfo, bytes]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in entries:
            archive.writestr(name, data)
    return path


def moded(name: str, mode: int) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo(name)
    info.external_attr = mode << 16
    return info


def patched(path: Path, signature: bytes, offset: int, value: bytes) -> Path:
    """Change bytes in every header of a zip that begins with ``signature``."""
    data = bytearray(path.read_bytes())
    place = data.find(signature)
    while place >= 0:
        data[place + offset : place + offset + len(value)] = value
        place = data.find(signature, place + 1)
    path.write_bytes(data)
    return path


def test_a_file_is_taken_whatever_its_name(tmp_path: Path) -> None:
    path = tmp_path / "alice.py"
    path.write_bytes(CODE)
    submission = take(path)
    assert submission.name == "alice.py"
    assert submission.files == {"rejection.py": CODE}
    assert submission.sha256 == hashlib.sha256(CODE).hexdigest()


@pytest.mark.parametrize("place", ["rejection.py", "tinyllm/prob/rejection.py"])
def test_the_same_file_is_found_in_a_folder_and_in_a_zip(tmp_path: Path, place: str) -> None:
    folder = tmp_path / "alice"
    (folder / place).parent.mkdir(parents=True)
    (folder / place).write_bytes(CODE)
    for noise in (".venv/rejection.py", "__pycache__/rejection.py", "lib/site-packages/rejection.py"):
        (folder / noise).parent.mkdir(parents=True)
        (folder / noise).write_bytes(b"noise")
    (folder / "notes.txt").write_text("mine")
    (folder / "elsewhere").symlink_to("/")
    archive = zipped(
        tmp_path / "alice.zip",
        ("__MACOSX/._rejection.py", b"\0\5\26\7"),
        ("__MACOSX/rejection.py", b"noise"),
        (".ipynb_checkpoints/rejection.py", b"noise"),
        (f"alice/{place}", CODE),
        ("alice/notes.txt", b"mine"),
    )
    assert take(folder).files == take(archive).files == {"rejection.py": CODE}
    assert take(folder).sha256 == take(archive).sha256


@pytest.mark.parametrize("kind", ["file", "folder", "zip"])
def test_own_dependencies_are_taken_where_they_are_asked_for(tmp_path: Path, kind: str) -> None:
    folder = tmp_path / "alice"
    folder.mkdir()
    names = ("rejection.py", "categorical.py", "helpers.py")
    for name in names:
        (folder / name).write_bytes(CODE + name.encode())
    path = {
        "file": folder / "rejection.py",
        "folder": folder,
        "zip": zipped(tmp_path / "alice.zip", *((f"x/{name}", CODE + name.encode()) for name in names)),
    }[kind]
    alone, both = take(path), take(path, own_deps=True)
    assert list(alone.files) == ["rejection.py"]
    assert both.files == {name: CODE + name.encode() for name in names[:2]}
    assert alone.sha256 != both.sha256


@pytest.mark.parametrize(
    "data",
    [
        CODE,
        b"\xef\xbb\xbf" + CODE,
        "# -*- coding: latin-1 -*-\n# é\n".encode("latin-1") + CODE,
        "#!/usr/bin/python\n# vim: set fileencoding=cp1252 :\n# €\n".encode("cp1252") + CODE,
        "# Übung\n".encode() + CODE.replace(b"\n", b"\r\n"),
        b"PK = 1\n" + CODE,
    ],
)
def test_text_in_the_coding_that_it_declares_is_taken(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "rejection.py"
    path.write_bytes(data)
    assert take(path).files["rejection.py"] == data


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (b"", "is empty; did you save your file?"),
        (b" \n\t\n", "is empty; did you save your file?"),
        (b"#" * (LARGEST + 1), "is larger than 200 kB; hand in only your own code"),
        (CODE + b"\0", "has a NUL byte in line 3; save it as plain UTF-8 text"),
        (CODE.decode().encode("utf-16"), "is UTF-16 or UTF-32; save it as UTF-8"),
        (CODE + "é".encode("latin-1"), "byte 0xe9 in line 3 is no UTF-8; save it as UTF-8"),
        (b"# coding: ascii\n# \xe9\n", "byte 0xe9 in line 2 is no ASCII; save it as UTF-8"),
        (b"\xe9 = 1\n", "has a byte in line 1 that is no UTF-8; save it as UTF-8"),
        (b"# coding: klingon\n" + CODE, "declares the coding 'klingon', which Python does not take; save it as UTF-8"),
        (b"# coding: rot13\n" + CODE, "declares the coding 'rot13', which Python does not take; save it as UTF-8"),
        (
            b"\x1f\x8b\x08\0\0",
            "is a gzip archive under a wrong name; hand in rejection.py itself, or a zip called .zip",
        ),
        (b'{\n "cells": []}', "is a notebook; export it as a Python file"),
    ],
)
def test_what_is_no_python_text_is_refused(tmp_path: Path, data: bytes, sentence: str) -> None:
    path = tmp_path / "rejection.py"
    path.write_bytes(data)
    with pytest.raises(IntakeError) as refused:
        take(path)
    assert str(refused.value) == f"rejection.py: {sentence}"


def linked(folder: Path) -> Path:
    (folder / "real.py").write_bytes(CODE)
    (folder / "rejection.py").symlink_to("real.py")
    return folder / "rejection.py"


def linked_inside(folder: Path) -> Path:
    linked(folder)
    return folder


def linked_folder(folder: Path) -> Path:
    (folder / "real").mkdir()
    (folder / "real" / "rejection.py").write_bytes(CODE)
    (folder / "link").symlink_to("real")
    return folder / "link"


def piped(folder: Path) -> Path:
    os.mkfifo(folder / "rejection.py")
    return folder


def plugged(folder: Path) -> Path:
    own = os.getcwd()
    os.chdir(folder)  # the name of a socket must be short
    try:
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind("rejection.py")
    finally:
        os.chdir(own)
    return folder / "rejection.py"


def foldered(folder: Path) -> Path:
    (folder / "rejection.py").mkdir()
    return folder


def doubled(folder: Path) -> Path:
    for place in ("a", "b"):
        (folder / place).mkdir()
        (folder / place / "rejection.py").write_bytes(CODE)
    return folder


def renamed(folder: Path) -> Path:
    (folder / "Rejection.py").write_bytes(CODE)
    return folder


def nested(folder: Path) -> Path:
    zipped(folder / "mine.zip", ("rejection.py", CODE))
    return folder


def deep(folder: Path) -> Path:
    (folder / "/".join("d" * 40)).mkdir(parents=True)
    return folder


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda folder: folder / "nothing.py", "nothing.py: there is no such file; check its name"),
        (
            lambda folder: Path("/dev/zero"),
            "zero: is a device and not a file; hand in a Python file, a folder or a zip",
        ),
        (linked, "rejection.py: is a link; hand in the file itself"),
        (linked_inside, "in: rejection.py: is a link; hand in the file itself"),
        (linked_folder, "link: is a link; hand in the file itself"),
        (piped, "in: rejection.py: is a pipe and not a file; hand in a Python file, a folder or a zip"),
        (plugged, "rejection.py: is a socket and not a file; hand in a Python file, a folder or a zip"),
        (foldered, "in: rejection.py is a folder and not a file; put your code into a file of this name"),
        (
            doubled,
            "in: holds 2 files called rejection.py, among them a/rejection.py and b/rejection.py; leave only one",
        ),
        (lambda folder: folder, "in: holds no rejection.py; put your file there under this name"),
        (renamed, "in: holds no rejection.py; rename Rejection.py, if that is yours"),
        (nested, "in: holds no rejection.py; hand in what is inside mine.zip"),
        (deep, "in: has folders more than 12 deep; hand in only your own code"),
    ],
)
def test_a_file_or_folder_that_cannot_be_taken_is_refused(
    tmp_path: Path, make: Callable[[Path], Path], sentence: str
) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    before = len(os.listdir("/proc/self/fd"))
    with pytest.raises(IntakeError) as refused:
        take(make(folder))
    assert str(refused.value) == sentence
    assert len(os.listdir("/proc/self/fd")) == before


@pytest.mark.parametrize(
    ("entries", "sentence"),
    [
        ([("a.txt", b"x")], "holds no rejection.py; put your file there under this name"),
        ([("a.py", CODE)], "holds no rejection.py; rename a.py, if that is yours"),
        ([("x.zip", b"x")], "holds no rejection.py; hand in what is inside x.zip"),
        (
            [("a/rejection.py", CODE), ("b/rejection.py", CODE)],
            "holds 2 files called rejection.py, among them a/rejection.py and b/rejection.py; leave only one",
        ),
        ([("rejection.py/", b"")], "rejection.py/ is a folder and not a file; put your code into a file of this name"),
        (
            [("rejection.py", CODE), ("../../etc/cron.d/x", b"x")],
            "the entry ../../etc/cron.d/x points outside the zip; make it anew",
        ),
        (
            [("rejection.py", CODE), ("/etc/passwd", b"x")],
            "the entry /etc/passwd points outside the zip; make it anew",
        ),
        (
            [("rejection.py", CODE), ("C:\\x.py", b"x")],
            "the entry C:\\x.py points outside the zip; make it anew",
        ),
        (
            [(moded("rejection.py", 0o120777), b"/etc/passwd")],
            "rejection.py is a link; put the file itself into the zip",
        ),
        ([(moded("rejection.py", 0o010644), b"")], "rejection.py is no plain file; put your code into one"),
        ([("rejection.py", bytes(LARGEST + 1))], "rejection.py is larger than 200 kB; hand in only your own code"),
        ([("rejection.py", b"")], "rejection.py: is empty; did you save your file?"),
        (
            [("rejection.py", CODE), *((f"{n}.bin", bytes(26_000_000)) for n in range(4))],
            "would unpack to 104 MB; hand in only your own code",
        ),
        ([(f"{number}.txt", b"") for number in range(10_001)], "holds 10001 entries; hand in only your own code"),
    ],
)
@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_a_zip_that_cannot_be_taken_is_refused(
    tmp_path: Path, entries: list[tuple[str | zipfile.ZipInfo, bytes]], sentence: str
) -> None:
    with pytest.raises(IntakeError) as refused:
        take(zipped(tmp_path / "in.zip", *entries))
    assert str(refused.value) == f"in.zip: {sentence}"


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_a_name_that_a_zip_has_twice_is_two_candidates(tmp_path: Path) -> None:
    path = zipped(tmp_path / "in.zip", ("rejection.py", CODE), ("rejection.py", b"x"))
    with pytest.raises(IntakeError, match="holds 2 files called"):
        take(path)
    path = zipped(tmp_path / "in.zip", ("rejection.py", CODE), ("uniforms.py", CODE), ("uniforms.py", b"x"))
    with pytest.raises(IntakeError, match=r"holds uniforms\.py more than once"):
        take(path, own_deps=True)


def test_an_encrypted_zip_and_an_unusual_one_are_refused(tmp_path: Path) -> None:
    path = zipped(tmp_path / "in.zip", ("rejection.py", CODE))
    patched(path, b"PK\1\2", 8, b"\1\0")
    with pytest.raises(IntakeError, match="is encrypted; make the zip without a password"):
        take(path)
    path = zipped(tmp_path / "in.zip", ("rejection.py", CODE))
    patched(path, b"PK\1\2", 10, b"\x0e\0")
    with pytest.raises(IntakeError, match="is compressed in an unusual way"):
        take(path)


def test_a_zip_that_lies_about_a_size_is_refused(tmp_path: Path) -> None:
    path = zipped(tmp_path / "in.zip", ("rejection.py", bytes(50_000_000)))
    patched(path, b"PK\1\2", 24, struct.pack("<I", 100))
    with pytest.raises(IntakeError, match="is no zip that can be read"):
        take(path)


def test_a_broken_zip_gives_a_refusal_or_the_file_and_nothing_else(tmp_path: Path) -> None:
    whole = zipped(tmp_path / "in.zip", ("a/", b""), ("a/rejection.py", CODE), ("a/notes.txt", b"n")).read_bytes()
    draw = random.Random(20)
    sentences = []
    for _ in range(1500):
        data = bytearray(whole)
        for _ in range(draw.randrange(1, 4)):
            data[draw.randrange(4, len(data))] = draw.randrange(256)
        path = tmp_path / "in.zip"
        path.write_bytes(data[: draw.choice([len(data), draw.randrange(4, len(data))])])
        try:
            assert "rejection.py" in take(path).files
        except IntakeError as error:
            sentences.append(str(error))
    assert len(sentences) > 500
    assert all(sentence.startswith("in.zip: ") and "\n" not in sentence for sentence in sentences)


def test_a_folder_of_too_many_files_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(9):
        (tmp_path / f"{number}.txt").touch()
    (tmp_path / "rejection.py").write_bytes(CODE)
    assert take(tmp_path).files == {"rejection.py": CODE}
    monkeypatch.setattr(intake, "_ENTRIES", 9)
    with pytest.raises(IntakeError, match="holds more than 9 files"):
        take(tmp_path)


def test_a_file_that_becomes_a_link_while_it_is_taken_is_not_followed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    secret = tmp_path / "secret"
    secret.write_bytes(b"not handed in")
    path = tmp_path / "rejection.py"
    path.write_bytes(CODE)
    ask = os.stat

    def swapping(*arguments: object, **options: object) -> os.stat_result:
        found = ask(*arguments, **options)  # type: ignore[arg-type]
        if arguments[0] == str(path) and not path.is_symlink():
            path.unlink()
            path.symlink_to(secret)
        return found

    monkeypatch.setattr(os, "stat", swapping)
    with pytest.raises(IntakeError, match="cannot be opened"):
        take(path)


def test_a_name_is_fit_to_be_printed(tmp_path: Path) -> None:
    path = tmp_path / "\x1b[31mred\nname.py"
    path.write_bytes(CODE)
    assert take(path).name == "?[31mred?name.py"
