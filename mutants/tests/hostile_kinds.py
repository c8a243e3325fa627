"""The kinds of hostile and broken submissions, and what each must come to.

Most are a file in ``hostile/``: the text stands behind the reference's, whose names it uses, and behind the names of
what it is after (``Bait``). Its first comments say how it must stand, a word that its result must have, by which tests
it is judged where not by one for each function that it names, and how long a call may take. The others are built here:
what is no text, or not one file, or would act by lying around.
"""

import gzip
import io
import os
import re
import socket
import stat
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

ASKS = {
    "rejection_accept": "test_accept_is_strict",
    "acceptance_probability": "test_hand_example",
    "residual_distribution": "test_residual_when_p_equals_q",
    "speculative_step": "test_speculative_accepts_without_resampling",
    "rejection_sample": "test_rejection_sample_draw_order",
}
"""For each function a test that calls it and costs little."""
MARK = "acidtest-was-here"
"""The name of whatever a submission managed to leave somewhere."""
_FOLDER = Path(__file__).with_name("hostile")


@dataclass(frozen=True)
class Bait:
    """What of the host the submissions know and are after.

    Attributes:
        pid: of a process. port: of a server that listens. folder: with a file ``secret``. source: where the target is.
    """

    pid: int
    port: int
    folder: Path
    source: Path

    def names(self) -> str:
        """Return the lines that tell a submission."""
        return (
            f"HOST_PID, HOST_PORT = {self.pid}, {self.port}\n"
            f"HOST_FOLDER, HOST_SOURCE = {str(self.folder)!r}, {str(self.source)!r}\n"
        )


Builder = Callable[[Path, str, Bait], Path]


@dataclass(frozen=True)
class Kind:
    """One way of being hostile, or broken.

    Attributes:
        stands: the standings that it may get; more than one where Pythons differ.
        says: what must be among the words of its result.
        tests: by whose names it is judged. call_seconds: how long a call may take.
        build: writes it below a folder, from the reference's text, and returns where it is.
    """

    name: str
    stands: tuple[str, ...]
    says: str
    build: Builder
    tests: tuple[str, ...] = (ASKS["rejection_accept"],)
    call_seconds: float = 10.0


def kinds() -> dict[str, Kind]:
    """Return all kinds by name."""
    written = [_written(path) for path in sorted(_FOLDER.glob("*.py"))]
    built = [Kind(name, (stands,), says, build) for name, (stands, says, build) in _BUILT.items()]
    found = {kind.name: kind for kind in (*written, *built)}
    assert len(found) == len(written) + len(built)
    return found


def _written(path: Path) -> Kind:
    text = path.read_text("utf-8")

    def said(what: str) -> str:
        found = re.search(rf"^# {what}: (.*)$", text, re.MULTILINE)
        return found[1] if found else ""

    def build(folder: Path, reference: str, bait: Bait) -> Path:
        place = folder / path.name
        place.write_text(f"{reference}\n\n{bait.names()}\n{text}", "utf-8")
        return place

    assert said("comes to"), f"{path.name} does not say what it comes to"
    named = [test for name, test in ASKS.items() if re.search(rf"\b{name}\b", text)]
    tests = said("judged by").split(", ") if said("judged by") else named or [ASKS["rejection_accept"]]
    return Kind(
        path.stem,
        tuple(said("comes to").split(" or ")),
        said("says"),
        build,
        tuple(tests),
        float(said("call seconds") or 10),
    )


# --- those that are built -------------------------------------------------------------------------------------------

_WRONG = "\n\ndef rejection_accept(p_x, q_x, u):\n    return True\n"
_ENDS = "import os; os._exit(0)"


def _file(data: Callable[[str], bytes] | bytes, name: str = "rejection.py") -> Builder:
    def build(folder: Path, reference: str, _: Bait) -> Path:
        (folder / name).write_bytes(data if isinstance(data, bytes) else data(reference))
        return folder / name

    return build


def _zip(entries: Mapping[str, str] | Callable[[zipfile.ZipFile, str], None]) -> Builder:
    """Return a builder of a zip: entries by name, ``{}`` for the reference's text, or whatever a function puts in."""

    def build(folder: Path, reference: str, _: Bait) -> Path:
        with zipfile.ZipFile(folder / "handed-in.zip", "w", zipfile.ZIP_DEFLATED) as archive:
            if callable(entries):
                entries(archive, reference)
            else:
                for name, text in entries.items():
                    archive.writestr(name, text.replace("{}", reference))
        return folder / "handed-in.zip"

    return build


def _neighbours(reference: str, bait: Bait) -> dict[str, str]:
    """Return files by name that tools run, read or import when they lie beside a test or on the path."""
    acts = f"open({str(bait.folder / MARK)!r}, 'w').close()\n"
    passes = "\n\ndef pytest_runtest_makereport(item, call):\n    return None\n"
    modules = ("sitecustomize", "usercustomize", "numpy", "random", "pytest", "hypothesis", "_pytest", "acidtest")
    return {
        "rejection.py": reference + _WRONG,
        "conftest.py": acts + passes,
        "pytest.ini": "[pytest]\naddopts = --collect-only -p conftest\n",
        "setup.cfg": "[tool:pytest]\naddopts = --version\n",
        "pyproject.toml": "[tool.acidtest]\ntests = []\n[tool.pytest.ini_options]\naddopts = ['--version']\n",
        "test_rejection.py": f"{acts}\ndef test_everything():\n    pass\n",
        "tinyllm/prob/categorical.py": acts,
        "evil.pth": f"import os; {acts}",
        **{f"{name}.py": acts for name in modules},
    }


def _folder_with_neighbours(folder: Path, reference: str, bait: Bait) -> Path:
    for name, text in _neighbours(reference, bait).items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, "utf-8")
    return folder


def _file_with_neighbours(folder: Path, reference: str, bait: Bait) -> Path:
    return _folder_with_neighbours(folder, reference, bait) / "rejection.py"


def _zip_with_neighbours(folder: Path, reference: str, bait: Bait) -> Path:
    with zipfile.ZipFile(folder / "handed-in.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in _neighbours(reference, bait).items():
            archive.writestr(name, text)
    return folder / "handed-in.zip"


def _link(target: str, inside: bool = False) -> Builder:
    def build(folder: Path, reference: str, bait: Bait) -> Path:
        (folder / "right.txt").write_text(reference, "utf-8")
        (folder / "rejection.py").symlink_to(target.format(secret=bait.folder / "secret"))
        return folder if inside else folder / "rejection.py"

    return build


def _pipe(folder: Path, _: str, __: Bait) -> Path:
    os.mkfifo(folder / "rejection.py")
    return folder / "rejection.py"


def _socket(folder: Path, _: str, __: Bait) -> Path:
    before = os.getcwd()
    os.chdir(folder)  # a socket's whole path must be short
    try:
        with socket.socket(socket.AF_UNIX) as line:
            line.bind("rejection.py")
    finally:
        os.chdir(before)
    return folder


def _device(_: Path, __: str, ___: Bait) -> Path:
    return Path("/dev/zero")


def _deep_folder(folder: Path, reference: str, _: Bait) -> Path:
    deep = folder.joinpath(*["d"] * 20)
    deep.mkdir(parents=True)
    (deep / "rejection.py").write_text(reference, "utf-8")
    return folder


def _moded(mode: int) -> Callable[[zipfile.ZipFile, str], None]:
    def fill(archive: zipfile.ZipFile, reference: str) -> None:
        entry = zipfile.ZipInfo("rejection.py")
        entry.external_attr = mode << 16
        archive.writestr(entry, "/etc/passwd" if stat.S_ISLNK(mode) else reference)

    return fill


def _huge(archive: zipfile.ZipFile, reference: str) -> None:
    archive.writestr("rejection.py", reference)
    with archive.open("zeros", "w") as file:
        for _ in range(110):
            file.write(bytes(1_000_000))


def _nested(archive: zipfile.ZipFile, reference: str) -> None:
    inner = io.BytesIO()
    with zipfile.ZipFile(inner, "w") as inside:
        inside.writestr("rejection.py", reference)
    archive.writestr("work.zip", inner.getvalue())


def _lying(folder: Path, reference: str, bait: Bait) -> Path:
    """Write a zip whose directory says that the file is one byte long."""
    path = _zip({"rejection.py": "{}"})(folder, reference, bait)
    data = bytearray(path.read_bytes())
    place = data.index(b"PK\x01\x02")
    data[place + 24 : place + 28] = (1).to_bytes(4, "little")
    path.write_bytes(data)
    return path


def _compiled_larger(reference: str) -> bytes:
    """Return a text of which every ``return`` carries the whole ``finally`` with it: some 40 GB when compiled."""
    exits = "\n".join("  if a: return" for _ in range(6_000))
    last = ";".join("a" for _ in range(40_000))
    return f"{reference}\n\ndef bomb(a):\n try:\n{exits}\n finally:\n  {last}\n".encode()


def _compiled_deeper(reference: str) -> bytes:
    return f"{reference}\n\nbomb = {'-' * 90_000}1\n".encode()


_BUILT: dict[str, tuple[str, str, Builder]] = {
    "has_neighbours_in_a_folder": ("failed", "assertion", _folder_with_neighbours),
    "has_neighbours_in_a_zip": ("failed", "assertion", _zip_with_neighbours),
    "has_neighbours_beside_the_file": ("failed", "assertion", _file_with_neighbours),
    "is_a_link": ("ungradable", "is a link", _link("right.txt")),
    "is_a_link_to_a_secret": ("ungradable", "is a link", _link("{secret}")),
    "is_a_link_in_a_folder": ("ungradable", "is a link", _link("right.txt", inside=True)),
    "is_a_link_to_itself": ("ungradable", "is a link", _link("rejection.py")),
    "is_a_pipe": ("ungradable", "is a pipe", _pipe),
    "is_a_socket": ("ungradable", "is a socket", _socket),
    "is_a_device": ("ungradable", "is a device", _device),
    "is_too_deep": ("ungradable", "folders more than", _deep_folder),
    "is_a_zip_with_a_link": ("ungradable", "is a link", _zip(_moded(stat.S_IFLNK | 0o777))),
    "is_a_zip_with_a_device": ("ungradable", "is no plain file", _zip(_moded(stat.S_IFCHR | 0o666))),
    "is_a_zip_that_climbs_out": ("ungradable", "points outside the zip", _zip({"../rejection.py": "{}"})),
    "is_a_zip_that_climbs_out_on_windows": ("ungradable", "outside the zip", _zip({"..\\..\\rejection.py": "{}"})),
    "is_a_zip_from_the_root": ("ungradable", "points outside the zip", _zip({"/tmp/rejection.py": "{}"})),
    "is_a_zip_with_two": ("ungradable", "holds 2 files called", _zip({"a/rejection.py": "{}", "b/rejection.py": "{}"})),
    "is_a_zip_in_a_zip": ("ungradable", "hand in what is inside", _zip(_nested)),
    "is_a_zip_bomb": ("ungradable", "would unpack to 110 MB", _zip(_huge)),
    "is_a_zip_with_a_large_file": ("ungradable", "is larger than 200 kB", _zip({"rejection.py": "#" * 300_000})),
    "is_a_zip_that_lies": ("ungradable", "can be read", _lying),
    "is_no_zip": ("ungradable", "is no zip", _file(b"PK\x03\x04" + b"\xff" * 99, "handed-in.zip")),
    "is_a_gzip": ("ungradable", "is a gzip archive", _file(lambda text: gzip.compress(text.encode()))),
    "is_empty": ("ungradable", "is empty", _file(b"\n \n")),
    "is_too_large": ("ungradable", "is larger than 200 kB", _file(b"#" * 200_001)),
    "is_utf_16": ("ungradable", "is UTF-16 or UTF-32", _file(lambda text: text.encode("utf-16"))),
    "is_a_notebook": ("ungradable", "is a notebook", _file(b'{"cells": [], "nbformat": 4}')),
    "has_a_nul_byte": ("ungradable", "has a NUL byte", _file(lambda text: text.encode() + b"\0")),
    "has_half_a_character": ("ungradable", "is no UTF-8", _file(lambda text: text.encode() + b"# \xc3(\n")),
    "declares_no_coding": ("ungradable", "which Python does not take", _file(b"# coding: rot13\nkcevag(1)\n")),
    "hides_code_in_utf_7": (
        "stopped",
        "the guest ended: exit status 0",
        _file(lambda text: f"# coding: utf-7\n# +AAo-{_ENDS}\n".encode() + text.encode("utf-7")),
    ),
    "hides_code_in_escapes": (
        "stopped",
        "the guest ended: exit status 0",
        _file(lambda text: f"# coding: unicode_escape\n# \\u000a{_ENDS}\n".encode() + text.encode()),
    ),
    "does_not_compile": ("ungradable", "does not compile: SyntaxError", _file(lambda text: f"{text}\n)".encode())),
    "is_nested_too_deeply": ("ungradable", "does not compile", _file(_compiled_deeper)),
    "grows_when_compiled": ("ungradable", "does not compile", _file(_compiled_larger)),
    "has_a_name_to_be_feared": ("failed", "assertion", _file(lambda t: (t + _WRONG).encode(), "\u202eyp\x1b[2J\n.py")),
}
