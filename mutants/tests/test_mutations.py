"""mutmut's mutated functions, word for word, without its own long module."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from acidtest.mutants import mutations as module
from acidtest.mutants.mutations import Row, make
from acidtest.mutants.workload import embedded

STYLES = '''
import os

LIMIT = 10


def plain(a, b=3, *, c="x"):
    """Words."""
    if a is not None and not b > LIMIT or c == 'y':
        a += 1; b -= 2  # two in a line
    return a and (b or c), [1, 2, ], {"k": a}


# a comment above

@staticmethod
def lines(
    a: int = 1,
    b: str = "two",
) -> list:
    first = max(
        a,
        len(b) + 1,
    )
    text = ("one"
            "two" f"{a + 1:>{b}} and {first!r}")
    with open(os.devnull) as file, \\
            open(os.devnull) as other:
        for line in file: first += 1; continue
    while True:
        break
    return [
        x + 1 for x in range(3) if x > 1
    ], lambda: None, text, (a if b else first)


def short(x): return x * 2


def deepcopy(value):
    return value if value else deepcopy(value.lower().split(",", 1))


class Owner:
    size: int = 0

    # a comment above a method

    @classmethod
    def make(cls, n=1):
        def inner(k):
            return k ** n
        match n:
            case 1:
                return inner(1)
            case _:
                return inner(-2)

    async def later(self, *args, **kwargs):
        assert self.size <= 1, "too large"
        return await self.later(*args, size=self.size, **kwargs)


class Bare: x = 1
'''
TWICE = """
def f(a):
    return a + 1


def f(a):
    return a + 1 - 2
"""


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder such as mutmut may stand in."""
    (tmp_path / "pyproject.toml").write_text('[tool.mutmut]\nsource_paths = ["."]\n')
    monkeypatch.chdir(tmp_path)
    return tmp_path


def both(here: Path, monkeypatch: pytest.MonkeyPatch, source: str) -> tuple[Sequence[Row], Sequence[Row], list[int]]:
    """Return what we make, what mutmut makes, and how many mutants were left to it."""
    (here / "box.py").write_bytes(source.encode())
    with monkeypatch.context() as never:
        never.setattr(module._Written, "mutated", lambda *_: None)
        theirs = make("box")
    left: list[int] = []
    really = module.made_by_mutmut

    def counted(tree: Any, some: Sequence[Any]) -> list[Row]:
        left.append(len(some))
        return really(tree, some)

    monkeypatch.setattr(module, "made_by_mutmut", counted)
    return make("box"), theirs, left


@pytest.mark.parametrize("name", embedded().modules)
def test_the_target_s_are_mutmut_s_and_few_are_left_to_it(
    name: str, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ours, theirs, left = both(here, monkeypatch, embedded().read(name))
    assert ours == theirs
    assert len(ours) > 50 * sum(left)


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_every_style_of_a_change_is_mutmut_s(newline: str, here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ours, theirs, left = both(here, monkeypatch, STYLES.replace("\n", newline))
    assert ours == theirs
    assert {row[0] for row in ours} == {"plain", "lines", "short", "deepcopy", "Owner.make", "Owner.later"}
    assert 0 < sum(left) < len(ours) / 2


def test_what_goes_past_a_line_or_hangs_on_its_place_is_left_to_mutmut(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = "def f(n):\n    while n: break; n = 2\n    return max(\n        n,\n        1,\n    )\n"
    ours, theirs, left = both(here, monkeypatch, source)
    assert ours == theirs
    assert left == [5]  # four ways to call with less, and ``return`` in the place of ``break;``


@pytest.mark.parametrize("source", [TWICE, "def f(a):\n    return a + 1"], ids=["a name twice", "no last newline"])
def test_a_file_out_of_the_ordinary_is_all_mutmut_s(source: str, here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ours, theirs, left = both(here, monkeypatch, source)
    assert ours == theirs
    assert left == [len(ours)]
