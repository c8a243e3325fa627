"""What pytest has to know about these tests wherever they are run from: their markers, and that warnings are errors."""

import pytest

MARKERS = (
    "chapter: one of the chapter's nineteen named tests",
    "extended: closes a gap that the nineteen leave",
    "unit: a fixed case with a known answer",
    "boundary: an edge of the contract",
    "property: holds for every drawn input",
    "statistical: a law, enumerated exactly or sampled at a stated false-alarm rate",
)


def pytest_configure(config: pytest.Config) -> None:
    """Register the markers and turn warnings into errors."""
    for marker in MARKERS:
        config.addinivalue_line("markers", marker)
    config.addinivalue_line("filterwarnings", "error")
