"""Every fault of a catalog file is found, and told with the file, the value and the remedy."""

from pathlib import Path

import pytest

from acidtest.mutants.load import CatalogError, catalog_problems, load_catalog, read_catalog, stem_of, variant_of
from acidtest.mutants.model import Edit

ENTRY = '''id = "s01"
title = "adds one too many"
module = "pack.mod"
function = "double"
before = "a * 2"
after = "a * 2 + 1"
killers = ["test_double"]
rationale = """
Counting from the wrong end.
Every result is too large.
"""

[witness]
args = { a = 1 }
reference = "2"
mutant = "3"
'''
SOURCE = "def double(a):\n    return a * 2\n"


def written(folder: Path, text: str, name: str = "s01_adds_one_too_many.toml") -> Path:
    (folder / name).write_text(text, encoding="utf-8")
    return folder


def test_entry_is_read_whole(tmp_path: Path) -> None:
    (mutant,) = load_catalog(written(tmp_path, ENTRY))
    assert (mutant.id, mutant.title, mutant.module, mutant.function) == (
        "s01",
        "adds one too many",
        "pack.mod",
        "double",
    )
    assert mutant.edits == (Edit(before="a * 2", after="a * 2 + 1"),)
    assert mutant.killers == ("test_double",)
    assert mutant.rationale == "Counting from the wrong end. Every result is too large."
    assert mutant.witness.function == "double"
    assert mutant.witness.args == {"a": 1}
    assert (mutant.witness.reference, mutant.witness.mutant) == ("2", "3")
    assert (mutant.pitfall, mutant.origin, mutant.expect, mutant.because) == (None, None, "killed", None)
    assert mutant.path.name == "s01_adds_one_too_many.toml"


def test_several_edits_and_a_whole_body(tmp_path: Path) -> None:
    edits = '[[edits]]\nbefore = "1"\nafter = "2"\n\n[[edits]]\nbefore = "3"\nafter = ""\n\n[witness]'
    several = ENTRY.replace('before = "a * 2"\nafter = "a * 2 + 1"\n', "").replace("[witness]", edits)
    (mutant,) = load_catalog(written(tmp_path, several))
    assert mutant.edits == (Edit(before="1", after="2"), Edit(before="3", after=""))
    (mutant,) = load_catalog(written(tmp_path, ENTRY.replace('before = "a * 2"\n', "")))
    assert mutant.edits == (Edit(before=None, after="a * 2 + 1"),)


FAULTS = {
    "unknown key": (ENTRY.replace("module", "moduel", 1), "moduel is not a key of an entry; known are id, title"),
    "missing key": (ENTRY.replace('module = "pack.mod"\n', ""), "module is missing; it is the module's dotted name"),
    "wrong type": (
        ENTRY.replace('["test_double"]', '"test_double"'),
        "killers must be a list of test names, got 't",
    ),
    "bad id": (ENTRY.replace('"s01"', '"1"'), "id must be letters and a number, such as s01, got '1'"),
    "empty text": (ENTRY.replace('"pack.mod"', '" "'), "module must be the module's dotted name, got ' '"),
    "no after": (ENTRY.replace('after = "a * 2 + 1"\n', ""), "after is missing; write what stands there instead"),
    "no killers": (ENTRY.replace('["test_double"]', "[]"), "killers is empty; name the tests that must fail"),
    "killer twice": (ENTRY.replace('["test_double"]', '["t", "t"]'), "killers names t twice; once is enough"),
    "expectation": (
        ENTRY.replace("killers", 'expect = "lost"\nkillers'),
        "expect must be killed or survived",
    ),
    "no reason": (ENTRY.replace("killers", 'expect = "survived"\nkillers'), 'expect is "survived" without because'),
    "lone reason": (ENTRY.replace("killers", 'because = "x"\nkillers'), 'because stands without expect = "survived"'),
    "both ways": (ENTRY + '[[edits]]\nbefore = "1"\nafter = "2"\n', "edits stands beside before or after"),
    "two origins": (
        ENTRY.replace("killers", 'pitfall = 1\norigin = "x"\nkillers'),
        "pitfall and origin stand",
    ),
    "pitfall": (ENTRY.replace("killers", "pitfall = true\nkillers"), "pitfall must be the number of the pitfall, got"),
    "edit": (ENTRY.replace("killers", "edits = [1]\nkillers"), "edit 1 must be a table with before and after, got 1"),
    "edit key": (ENTRY.replace("killers", "edits = [{after = ''}]\nkillers"), "edit 1: before is missing"),
    "witness": (ENTRY.replace('reference = "2"\n', ""), "witness.reference is missing; it is what the reference"),
    "witness key": (ENTRY + "because = 1\n", "witness.because is not a key of an entry; known are args"),
    "no TOML": (ENTRY.replace('"s01"', "s01"), "not TOML: Invalid value (at line 1, column 6)"),
}


@pytest.mark.parametrize(("text", "fault"), FAULTS.values(), ids=FAULTS.keys())
def test_fault_is_told_with_file_value_and_remedy(tmp_path: Path, text: str, fault: str) -> None:
    problems = catalog_problems(written(tmp_path, text))
    (problem,) = [problem for problem in problems if f"s01_adds_one_too_many.toml: {fault}" in problem]
    assert "\n" not in problem
    with pytest.raises(CatalogError):
        load_catalog(tmp_path)


def test_every_fault_is_listed_not_only_the_first(tmp_path: Path) -> None:
    written(tmp_path, ENTRY.replace('"s01"', '"1"').replace("module", "moduel", 1))
    written(tmp_path, ENTRY.replace('"pack.mod"', "3"), "s02.toml")
    assert len(catalog_problems(tmp_path)) == 4


def test_file_name_says_id_and_title(tmp_path: Path) -> None:
    problems = catalog_problems(written(tmp_path, ENTRY, "s01_other.toml"))
    assert problems == [
        "s01_other.toml: the name does not say id and title; rename the file to s01_adds_one_too_many.toml"
    ]
    assert stem_of("s09", "sums Z, pairwise (np.sum)") == "s09_sums_z_pairwise_np_sum"


def test_id_is_unique(tmp_path: Path) -> None:
    written(tmp_path, ENTRY)
    written(tmp_path, ENTRY.replace("too many", "more"), "s01_adds_one_more.toml")
    assert catalog_problems(tmp_path) == [
        "s01_adds_one_too_many.toml: id s01 is taken by s01_adds_one_more.toml; choose another"
    ]


def test_stray_files_are_named_and_hidden_ones_are_not(tmp_path: Path) -> None:
    written(tmp_path, ENTRY)
    (tmp_path / "notes.txt").write_text("")
    (tmp_path / "old").mkdir()
    (tmp_path / ".DS_Store").write_text("")
    (tmp_path / "__pycache__").mkdir()
    problems = catalog_problems(tmp_path)
    assert [problem.partition(":")[0] for problem in problems] == ["notes.txt", "old"]
    assert len(read_catalog(tmp_path)[0]) == 1


def test_folder_that_is_missing_or_empty_is_told(tmp_path: Path) -> None:
    assert "no entry in the catalog" in catalog_problems(tmp_path)[0]
    assert "no such folder" in catalog_problems(tmp_path / "none")[0]


def test_entries_come_in_the_order_of_their_numbers(tmp_path: Path) -> None:
    for number in (10, 9, 100):
        text = ENTRY.replace("s01", f"s{number}")
        written(tmp_path, text, f"s{number}_adds_one_too_many.toml")
    assert [mutant.id for mutant in load_catalog(tmp_path)] == ["s9", "s10", "s100"]


def test_variant_carries_the_mutated_source_and_what_changed(tmp_path: Path) -> None:
    (mutant,) = load_catalog(written(tmp_path, ENTRY))
    variant = variant_of(mutant, SOURCE)
    assert variant.source == "def double(a):\n    return a * 2 + 1\n"
    assert (variant.id, variant.module, variant.kind) == ("s01", "pack.mod", "catalog")
    assert variant.functions == ("double",)
    assert variant.anchors == (frozenset({2}),)
    assert "-    return a * 2\n+    return a * 2 + 1\n" in variant.diff
    assert variant.diff.startswith("--- a/pack/mod.py\n")


def test_edit_that_cannot_be_made_names_the_file(tmp_path: Path) -> None:
    (mutant,) = load_catalog(written(tmp_path, ENTRY))
    with pytest.raises(CatalogError, match=r"^s01_adds_one_too_many.toml: before matches nothing in double; "):
        variant_of(mutant, "def double(a):\n    return a + a\n")
