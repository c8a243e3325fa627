"""A suite's text, changed: one test less, one example more."""

from pathlib import Path

from acidtest.mutants.tests import tiny
from acidtest.reports.suite_copy import block_of, copied, missing_imports, properties_of, with_example, without

TEXT = '''"""Tests."""
from hypothesis import given, settings, strategies as st
from box import clamp

LIMIT = 3


def test_first() -> None:
    assert clamp(1, 0, 5) == 1


# on the next one

@given(
    st.integers(),
)
@settings(max_examples=3)
def test_second(value: int) -> None:
    """Inside.

    """
    assert 0 <= clamp(value, 0, 5) <= 5


def test_third() -> None:
    pass
'''


def test_a_block_has_its_decorators_and_nothing_of_its_neighbours() -> None:
    block = block_of(TEXT, "test_second")
    assert block.startswith("@given(\n    st.integers(),\n)\n@settings(max_examples=3)\ndef test_second(")
    assert block.endswith("<= 5\n")
    assert block_of(TEXT, "test_first") == "def test_first() -> None:\n    assert clamp(1, 0, 5) == 1\n"
    assert block_of(TEXT, "test_third").endswith("pass\n")


def test_a_test_is_taken_out_and_all_else_stays(tmp_path: Path) -> None:
    path = tmp_path / "test_box.py"
    path.write_text(TEXT)
    without(path, "test_second")
    left = path.read_text()
    assert "test_second" not in left
    assert "@given" not in left
    assert block_of(left, "test_first") == block_of(TEXT, "test_first")
    assert block_of(left, "test_third") == block_of(TEXT, "test_third")


def test_properties_are_found_with_their_parameters(tmp_path: Path) -> None:
    workload = tiny.workload(tmp_path, tests=TEXT)
    (found,) = properties_of(workload)
    assert (found.name, found.parameters) == ("test_second", ("value",))
    copy = copied(workload, tmp_path / "copy")
    assert [found.name for found in properties_of(copy)] == ["test_second"]
    assert not properties_of(copy)[0].path.is_relative_to(tmp_path / "tests")


def test_an_example_goes_right_above_the_test() -> None:
    text = with_example(block_of(TEXT, "test_second"), "test_second", "test_clone", "@example(value=9)")
    assert "@settings(max_examples=3)\n@example(value=9)\ndef test_clone(value: int)" in text


def test_only_missing_imports_are_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "test_box.py"
    path.write_text(TEXT + "from a import (\n    one,\n    Pair,\n)\nimport numpy as np\n")
    wanted = [
        "from hypothesis import example",
        "from hypothesis import given",
        "from b import Pair",
        "import numpy as np",
    ]
    assert missing_imports(path, wanted) == ["from hypothesis import example"]
