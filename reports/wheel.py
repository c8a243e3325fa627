"""acidtest as a wheel, made from the very files that run: for a bundle that has to install it somewhere else."""

import base64
import hashlib
import importlib.metadata
import io
import tomllib
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

_HOUSE = Path(__file__).resolve().parent.parent
_ROOMS = ("target", "properties", "mutants", "reports")
_LEFT_OUT = frozenset({"tests", "out", "__pycache__"})
_PAGES = (".md", ".pyc")
_EPOCH = (1980, 1, 1, 0, 0, 0)


@dataclass(frozen=True, slots=True)
class Wheel:
    """A wheel.

    Attributes:
        name: of its file. data: the file.
    """

    name: str
    data: bytes


def own_wheel(house: Path = _HOUSE) -> Wheel:
    """Return this installation, or this checkout, as a wheel; the same files give the same bytes.

    Args:
        house: the folder of the four rooms.
    """
    about, scripts = _declared(house / "pyproject.toml") if (house / "pyproject.toml").is_file() else _installed()
    name = f"acidtest-{about['Version'][0]}"
    info = f"{name}.dist-info"
    files = dict(_files(house))
    files[f"{info}/METADATA"] = "".join(
        f"{key}: {value}\n" for key, values in about.items() for value in values
    ).encode()
    files[f"{info}/WHEEL"] = b"Wheel-Version: 1.0\nGenerator: acidtest\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    lines = "".join(f"{script} = {target}\n" for script, target in scripts.items())
    files[f"{info}/entry_points.txt"] = f"[console_scripts]\n{lines}".encode()
    record = "".join(f"{path},sha256={_digest(data)},{len(data)}\n" for path, data in files.items())
    files[f"{info}/RECORD"] = f"{record}{info}/RECORD,,\n".encode()
    return Wheel(f"{name}-py3-none-any.whl", packed({path: (data, 0o644) for path, data in files.items()}))


def packed(files: Mapping[str, tuple[bytes, int]]) -> bytes:
    """Return a zip of files, each with its mode; its bytes do not depend on the day."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, (data, mode) in files.items():
            entry = zipfile.ZipInfo(path, _EPOCH)
            entry.create_system, entry.external_attr = 3, (0o100000 | mode) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, data)
    return stream.getvalue()


def _files(house: Path) -> Iterator[tuple[str, bytes]]:
    """Yield what belongs to the rooms, by its path in the wheel: no tests, and no pages for people."""
    for room in _ROOMS:
        for path in sorted((house / room).rglob("*")):
            parts = path.relative_to(house).parts
            hidden = any(part.startswith(".") or part in _LEFT_OUT for part in parts)
            page = path.suffix in _PAGES and "vendor" not in parts  # what is somebody else's keeps its own page
            if path.is_file() and not hidden and not page:
                yield "/".join(("acidtest", *parts)), path.read_bytes()


def _declared(path: Path) -> tuple[dict[str, list[str]], Mapping[str, str]]:
    """Return the metadata and the commands that a checkout declares."""
    project = tomllib.loads(path.read_text("utf-8"))["project"]
    about = {
        "Metadata-Version": ["2.1"],
        "Name": [project["name"]],
        "Version": [project["version"]],
        "Summary": [project["description"]],
        "Requires-Python": [project["requires-python"]],
        "Requires-Dist": list(project["dependencies"]),
    }
    return about, project["scripts"]


def _installed() -> tuple[dict[str, list[str]], Mapping[str, str]]:
    """Return the metadata and the commands of the installed distribution."""
    distribution = importlib.metadata.distribution("acidtest")
    found = distribution.metadata
    about = {
        name: [str(value) for value in found.get_all(name, [])]
        for name in ("Metadata-Version", "Name", "Version", "Summary", "Requires-Python", "Requires-Dist")
    }
    about["Metadata-Version"] = ["2.1"]
    scripts = {point.name: point.value for point in distribution.entry_points if point.group == "console_scripts"}
    return about, scripts


def _digest(data: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode("ascii")
