"""What a learner is told, for every test and level; and what never."""

import ast
import functools
import json
import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from acidtest.mutants.answers import answer
from acidtest.mutants.load import load_catalog
from acidtest.mutants.workload import embedded
from acidtest.properties import calls
from acidtest.reports.hints import LEVELS, Ladder, ladder_of, load_ladder, written

WORKLOAD = embedded()
LADDER = ladder_of(WORKLOAD)
BATTERY: tuple[Mapping[str, Any], ...] = tuple(
    {"function": call.function, "args": dict(call.args)} for call in calls.diagnostics()
)
NAMES = {node.name: node for path in WORKLOAD.tests for node in ast.walk(ast.parse(path.read_text("utf-8")))
         if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")}  # fmt: skip
CHAPTER = sorted(
    name for name, node in NAMES.items() if any("chapter" in ast.unparse(mark) for mark in node.decorator_list)
)
ABOUT_THE_TARGET = sorted(name for name in NAMES if "pcg32" not in name)


def plain(text: str) -> str:
    return re.sub(r"\W+", " ", text).lower().strip()


@functools.cache
def telling(test: str) -> Mapping[str, Any]:
    call = LADDER.telling_call(test, BATTERY, range(len(BATTERY)))
    assert call is not None
    return call


def test_there_are_nineteen_and_each_has_words_of_its_own() -> None:
    assert len(CHAPTER) == 19
    assert set(LADDER.tests) == set(CHAPTER)
    texts = [LADDER.hint(test, level) for test in CHAPTER for level in (1, 2)]
    assert len(set(texts)) == len(texts)


def test_every_prefix_is_that_of_a_test() -> None:
    for prefix in LADDER.prefixes:
        assert any(name.startswith(prefix) for name in NAMES), prefix


@pytest.mark.parametrize("test", ABOUT_THE_TARGET)
def test_every_level_says_something_that_is_no_answer(test: str) -> None:
    call = telling(test)
    hints = LADDER.up_to(test, LEVELS, call)
    assert len(hints) == LEVELS
    assert hints[2].endswith(written(call))
    beside = " ".join(hints).replace(written(call), "")
    numbers = re.findall(r"\d+(?:\.\d+)?", beside)
    sections = re.findall(r"\d+(?:\.\d+)?", LADDER.rungs(test).section)
    assert sorted(numbers) == sorted(sections) or "sum 1" in beside or "below 1" in beside
    assert not re.search(r"\bs\d\d\b|mutant|True|False|NaN|raises|ValueError|expect", beside)


@pytest.mark.parametrize("test", sorted(NAMES))
def test_no_hint_repeats_a_test(test: str) -> None:
    hints = plain(" ".join(LADDER.hint(test, level) for level in (1, 2)))
    node = NAMES[test]
    sentences = re.split(r"[.:;]\s", ast.get_docstring(node) or "")
    code = [ast.unparse(line) for line in node.body[1:]]
    for text in (*sentences, *code):
        assert len(plain(text)) < 24 or plain(text) not in hints


def test_no_hint_holds_what_is_expected() -> None:
    functions = {test: LADDER.rungs(test).functions for test in ABOUT_THE_TARGET}
    for call in BATTERY[::7]:
        expected = answer(calls.subject(call["function"]), calls.build(call["function"], call["args"]))
        for test in (name for name, asked in functions.items() if call["function"] in asked):
            assert expected not in LADDER.hint(test, LEVELS, call).replace(written(call), "")


def test_no_hint_names_a_mutant() -> None:
    titles = [plain(mutant.title) for mutant in load_catalog(WORKLOAD.catalog)]
    for test in NAMES:
        hints = plain(" ".join(LADDER.hint(test, level) for level in (1, 2)))
        assert not any(title in hints for title in titles)


def test_the_ladder_grows_with_the_attempts_and_ends() -> None:
    test = "test_accept_is_strict"
    call = telling(test)
    assert [len(LADDER.up_to(test, attempt, call)) for attempt in (0, 1, 2, 3, 4, 9)] == [1, 1, 2, 3, 3, 3]
    with pytest.raises(ValueError, match="must be 1 to 3"):
        LADDER.hint(test, 4)


def test_the_call_is_the_smallest_wrong_one_of_the_most_telling_function() -> None:
    functions = [call["function"] for call in BATTERY]
    accept, step = functions.index("rejection_accept"), functions.index("speculative_step")
    later = len(functions) - 1 - functions[::-1].index("rejection_accept")
    assert LADDER.telling_call("test_accept_is_strict", BATTERY, {later, step, accept}) == BATTERY[accept]
    assert LADDER.telling_call("test_hand_example_output_is_p", BATTERY, {accept, step}) == BATTERY[step]
    assert LADDER.telling_call("test_accept_is_strict", BATTERY, {step}) is None
    assert "fixed collection" in LADDER.hint("test_accept_is_strict", 3)


def test_a_test_without_words_gets_those_of_its_function_else_the_general_ones() -> None:
    assert LADDER.hint("test_residual_is_new", 1) == LADDER.functions["residual_distribution"].concept
    assert LADDER.hint("test_something_else", 1) == LADDER.general.concept
    assert Ladder().hint("test_x", 2) == f"Try {Ladder().general.input}."


def test_a_workload_without_hints_has_a_plain_ladder(tmp_path: Path) -> None:
    assert load_ladder(tmp_path / "hints.toml") == Ladder()
    assert ladder_of(replace(WORKLOAD, calls=None)) == Ladder()


def test_hints_lie_beside_the_calls_module(tmp_path: Path) -> None:
    (tmp_path / "hints.toml").write_text(
        '[tests.test_box]\nfunctions = ["box"]\nconcept = "A box."\nsection = ""\ninput = "none"\n'
    )
    ladder = ladder_of(replace(WORKLOAD, calls=str(tmp_path / "calls.py")))
    assert ladder.up_to("test_box", 2) == ("A box.", "Try none.")


def test_every_call_of_the_battery_can_be_written_and_read_again() -> None:
    for call in BATTERY:
        head, _, script = written(call).partition(", where rng.random() hands out ")
        read = ast.parse(head.replace("float('nan')", "None").replace("float('inf')", "None"), mode="eval").body
        assert isinstance(read, ast.Call)
        assert ast.unparse(read.func) == call["function"]
        assert [keyword.arg for keyword in read.keywords] == list(call["args"])
        assert (script != "") == ("rng" in call["args"])


def test_other_types_are_spelled_out() -> None:
    call = json.loads('{"function": "f", "args": {"p": {"float32": [0.5]}, "q": {"list": [1]}, "x": "a", "u": NaN}}')
    assert written(call) == "f(p=np.array([0.5], 'float32'), q=list([1]), x=\"a\", u=float('nan'))"
