"""What every way of handing in has in common: the sentence of a refusal, the limits, and what Python text is."""

import codecs
import io
import re
import tokenize
from collections.abc import Sequence

LARGEST = 200_000
"""Bytes of one file."""
MAIN = "rejection.py"
DEPENDENCIES = ("categorical.py", "uniforms.py")

_UTF_16_AND_32 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE, codecs.BOM_UTF32_BE)
_ARCHIVES = {
    b"\x1f\x8b": "a gzip archive",
    b"Rar!": "a RAR archive",
    b"7z\xbc\xaf": "a 7-Zip archive",
    b"PK\x03\x04": "a zip",
}


class IntakeError(Exception):
    """It cannot be taken: one sentence for the person who handed it in, with the place and the remedy."""


def cleaned(name: str) -> str:
    """Return a name fit to be printed: no control characters, at most 100 characters."""
    plain = "".join(letter if letter.isprintable() else "?" for letter in name)
    return plain if len(plain) <= 100 else f"{plain[:60]}...{plain[-37:]}"


def is_noise(parts: Sequence[str]) -> bool:
    """Return whether a path leads to what tools leave behind: hidden folders, caches, a Mac's, installed packages."""
    return any(part.startswith(".") or part in ("__MACOSX", "__pycache__", "site-packages") for part in parts)


def pick(candidates: Sequence[str], others: Sequence[str], shown: str) -> str:
    """Return the one path that ends in ``rejection.py``.

    Args:
        candidates: all such paths.
        others: what else is there that looks like Python, or like an archive.

    Raises:
        IntakeError: there is none, or more than one.
    """
    if len(candidates) == 1:
        return candidates[0]
    if candidates:
        first, second = (cleaned(path) for path in sorted(candidates)[:2])
        raise IntakeError(
            f"{shown}: holds {len(candidates)} files called {MAIN}, among them {first} and {second}; leave only one"
        )
    if not others:
        raise IntakeError(f"{shown}: holds no {MAIN}; put your file there under this name")
    near = cleaned(sorted(others)[0])
    remedy = f"hand in what is inside {near}" if near.lower().endswith(".zip") else f"rename {near}, if that is yours"
    raise IntakeError(f"{shown}: holds no {MAIN}; {remedy}")


def check_text(data: bytes, shown: str) -> None:
    """Accept the bytes of one Python file: UTF-8, or the coding that its first lines declare.

    Raises:
        IntakeError: they are too many, none, or no text.
    """
    if len(data) > LARGEST:
        raise IntakeError(f"{shown}: is larger than {LARGEST // 1000} kB; hand in only your own code")
    if not data.strip():
        raise IntakeError(f"{shown}: is empty; did you save your file?")
    for magic, kind in _ARCHIVES.items():
        if data.startswith(magic):
            raise IntakeError(f"{shown}: is {kind} under a wrong name; hand in {MAIN} itself, or a zip called .zip")
    if data.startswith(_UTF_16_AND_32):
        raise IntakeError(f"{shown}: is UTF-16 or UTF-32; save it as UTF-8")
    if b"\0" in data:
        raise IntakeError(f"{shown}: has a NUL byte in line {_line(data, data.index(0))}; save it as plain UTF-8 text")
    try:
        coding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
        text = data.decode(coding)
    except UnicodeDecodeError as error:
        line = _line(data, error.start)
        raise IntakeError(
            f"{shown}: byte 0x{data[error.start]:02x} in line {line} is no {error.encoding.upper()}; save it as UTF-8"
        ) from error
    except (SyntaxError, LookupError, ValueError) as error:
        raise IntakeError(f"{shown}: {_coding_fault(data, error)}; save it as UTF-8") from error
    if re.match(r'\s*\{\s*"(cells|metadata|nbformat)"', text):
        raise IntakeError(f"{shown}: is a notebook; export it as a Python file")


def _line(data: bytes, position: int) -> int:
    return data.count(b"\n", 0, position) + 1


def _coding_fault(data: bytes, error: Exception) -> str:
    declared = re.search(rb"coding[:=][ \t]*([-\w.]+)", b"\n".join(data.split(b"\n", 2)[:2]))
    if declared:
        return f"declares the coding {cleaned(declared[1].decode('ascii', 'replace'))!r}, which Python does not take"
    found = re.search(rb"[\x80-\xff]", data)
    return f"has a byte in line {_line(data, found.start())} that is no UTF-8" if found else cleaned(str(error))
