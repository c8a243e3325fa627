"""A folder whose files are all TOML, one record or one function each: the walk that finds them, and the strangers."""

import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any


def toml_files(folder: Path, stranger: str) -> Iterator[tuple[Path, dict[str, Any] | None, str]]:
    """Yield each file of ``folder`` in the order of the names: its path, what it holds, and what is wrong with it.

    Hidden files and bytecode are passed over; of what holds nothing one line says why.

    Args:
        stranger: what to call a file that does not belong there.
    """
    for path in sorted(folder.iterdir()):
        if path.name == "__pycache__" or path.name.startswith("."):
            continue
        if path.suffix != ".toml" or not path.is_file():
            yield path, None, f"{path.name}: {stranger}; only .toml files belong in {folder.name}/"
            continue
        try:
            yield path, tomllib.loads(path.read_text("utf-8")), ""
        except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
            yield path, None, f"{path.name}: not TOML: {error}"
        except OSError as error:
            yield path, None, f"{path.name}: cannot be read: {error.strerror}"
