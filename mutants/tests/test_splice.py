"""The splice changes what it was told to and nothing else, or says in one line why it cannot."""

import ast
import textwrap

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acidtest.mutants.model import Edit
from acidtest.mutants.splice import (
    SpliceError,
    anchors,
    canary,
    changed_functions,
    derived_diff,
    equivalent,
    function_source,
    function_texts,
    functions_of,
    same_tree,
    splice,
)

SAMPLE = '''"""A module."""

LIMIT = 3


@staticmethod
def first(a, b=LIMIT):
    """Say a * b."""
    total = a * b  # keep me
    text = "a * b"
    if total > LIMIT: return total
    return total / (a + b)


class Box:
    def get(self, a):
        for item in (1, 2):
            a += item
        else:
            a -= 1
        return a


def second(a):
    return a * 2
'''


def edited(source: str, before: str | None, after: str, function: str = "f") -> str:
    return splice(source, function, [Edit(after=after, before=before)])


def body_of(lines: str) -> str:
    """Return a function ``f(x, y)`` with that body."""
    return "def f(x, y):\n" + textwrap.indent(textwrap.dedent(lines).strip("\n"), "    ") + "\n"


CASES = {
    "an expression": ("return x + y", "x + y", "x - y", "return x - y"),
    "a looser expression gets parentheses": ("return x / y", "y", "x + y", "return x / (x + y)"),
    "a tighter one gets none": ("return x + y", "y", "x * y", "return x + x * y"),
    "a comparison inside a not": ("return not x", "x", "x or y", "return not (x or y)"),
    "existing parentheses stay": ("return (x + y) * 2", "x + y", "x", "return (x) * 2"),
    "a tuple as an argument": ("return g(x)", "x", "x, y", "return g((x, y))"),
    "a lone generator argument": ("return sum(i for i in x)", "(i for i in x)", "[1]", "return sum([1])"),
    "a conditional in a call": ("return g(x)", "x", "x if y else 1", "return g(x if y else 1)"),
    "a walrus": ("return [x]", "x", "z := y", "return [z := y]"),
    "an expression over two lines": ("return x", "x", "x +\ny", "return (x +\ny)"),
    "spacing does not matter": ("return x+y", "x  +  y", "x", "return x"),
    "text in strings is no match": ('z = "x + y"\nreturn x + y', "x + y", "x", 'z = "x + y"\nreturn x'),
    "f-strings are no match": ('z = f"{x + y}"\nreturn x + y', "x + y", "x", 'z = f"{x + y}"\nreturn x'),
    "comments are no match": ("# x + y\nreturn x + y", "x + y", "x", "# x + y\nreturn x"),
    "1 is not 1.0": ("return 1, 1.0", "1.0", "2.0", "return 1, 2.0"),
    "1 is not True": ("return 1, True", "True", "False", "return 1, False"),
    "non-ASCII before it on the line": ('return "é€𝄞", x + y', "x + y", "y", 'return "é€𝄞", y'),
    "non-ASCII names": ("é = x\nreturn é + y", "é + y", "y - é", "é = x\nreturn y - é"),
    "a statement": ("z = x\nreturn z", "z = x", "z = y", "z = y\nreturn z"),
    "its comment stays": ("z = x  # why\nreturn z", "z = x", "z = y", "z = y  # why\nreturn z"),
    "one statement becomes two": (
        "if x:\n    z = x\nreturn y",
        "z = x",
        "z = y\nz += 1",
        "if x:\n    z = y\n    z += 1\nreturn y",
    ),
    "two statements become one": ("z = x\nz += 1\nreturn z", "z = x\nz += 1", "z = 0", "z = 0\nreturn z"),
    "a block is indented": (
        "if x:\n    z = x\nreturn y",
        "z = x",
        "if y:\n    z = y",
        "if x:\n    if y:\n        z = y\nreturn y",
    ),
    "one of two on a line is removed": ("z = x; z = 1\nreturn z", "z = x", "", "z = 1\nreturn z"),
    "a statement is removed": ("z = x\nreturn y", "z = x", "", "return y"),
    "its comment stays behind": ("z = x  # why\nreturn y", "z = x", "", "  # why\nreturn y"),
    "a block's only statement is removed": ("if x:\n    z = x\nreturn y", "z = x", "", "if x:\n    pass\nreturn y"),
    "a body on the line": ("if x: return y\nreturn x", "return y", "return 1", "if x: return 1\nreturn x"),
    "two on the line": ("if x: return y\nreturn x", "return y", "z = 1\nreturn z", "if x: z = 1; return z\nreturn x"),
    "a block on the line": (
        "if x: return y\nreturn x",
        "return y",
        "if y:\n    return 1",
        "if x: \n    if y:\n        return 1\nreturn x",
    ),
    "after a semicolon": ("z = x; z += y\nreturn z", "z += y", "z -= y", "z = x; z -= y\nreturn z"),
    "an elif stays one": (
        "if x:\n    z = 1\nelif y:\n    z = 2\nreturn z",
        "if y:\n    z = 2",
        "if x > y:\n    z = 3",
        "if x:\n    z = 1\nelif x > y:\n    z = 3\nreturn z",
    ),
    "an elif becomes an else": (
        "if x:\n    z = 1\nelif y:\n    z = 2\nreturn z",
        "if y:\n    z = 2",
        "z = 3",
        "if x:\n    z = 1\nelse:\n    z = 3\nreturn z",
    ),
    "an elif is removed": (
        "if x:\n    z = 1\nelif y:\n    z = 2\nreturn x",
        "if y:\n    z = 2",
        "",
        "if x:\n    z = 1\nreturn x",
    ),
    "an elif's condition": (
        "if x:\n    z = 1\nelif y:\n    z = 2\nreturn z",
        "y",
        "x + 1",
        "if x:\n    z = 1\nelif x + 1:\n    z = 2\nreturn z",
    ),
    "an else of a loop": (
        "for z in x:\n    pass\nelse:\n    z = y\nreturn z",
        "z = y",
        "z = 1",
        "for z in x:\n    pass\nelse:\n    z = 1\nreturn z",
    ),
    "a handler": (
        "try:\n    return x\nexcept E:\n    return y",
        "return y",
        "raise",
        "try:\n    return x\nexcept E:\n    raise",
    ),
    "a match case": (
        "match x:\n    case 1:\n        return y\nreturn x",
        "return y",
        "return 0",
        "match x:\n    case 1:\n        return 0\nreturn x",
    ),
    "a nested function": ("@g\ndef h(): return x\nreturn h", "@g\ndef h(): return x", "h = 1", "h = 1\nreturn h"),
    "an expression by a statement": ("g(x)\nreturn y", "g(x)", "x = 1", "x = 1\nreturn y"),
    "the whole body": ("z = x\nreturn z", None, "return y", "return y"),
    "the docstring stays": ('"""Say."""\nz = x\nreturn z', None, "return y", '"""Say."""\nreturn y'),
}


@pytest.mark.parametrize(("body", "before", "after", "expected"), CASES.values(), ids=CASES.keys())
def test_edit_is_written_in_place(body: str, before: str | None, after: str, expected: str) -> None:
    mutated = edited(body_of(body), before, after)
    assert [line.strip() for line in mutated.splitlines()] == [line.strip() for line in body_of(expected).splitlines()]
    assert same_tree(mutated, body_of(expected))


def test_lines_within_a_string_are_not_indented() -> None:
    mutated = edited(body_of("if x:\n    z = x\nreturn y"), "z = x", 'z = """a\n b"""\nz += x')
    assert mutated == 'def f(x, y):\n    if x:\n        z = """a\n b"""\n        z += x\n    return y\n'


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_newlines_stay_as_they_are(newline: str) -> None:
    source = body_of("z = x\nif z:\n    z = y\nreturn z").replace("\n", newline)
    expected = body_of("z = x\nif z:\n    z = 1\n    z += 1\nreturn z").replace("\n", newline)
    assert edited(source, "z = y", "z = 1\nz += 1") == expected


def test_tabs_stay_as_they_are() -> None:
    source = "def f(x):\n\tif x:\n\t\tz = x\n\treturn x\n"
    assert edited(source, "z = x", "z = 1\nz += 1") == "def f(x):\n\tif x:\n\t\tz = 1\n\t\tz += 1\n\treturn x\n"


def test_form_feed_is_no_new_line() -> None:
    source = "A = 'x\x0cy'\n\x0c\ndef f(x):\n    return x + 1\n"
    assert edited(source, "x + 1", "x - 1") == source.replace("x + 1", "x - 1")


def test_form_feeds_do_not_move_what_has_changed() -> None:
    source = 'A = """\x0c\x0c\n"""\n\x0c\n\x0c\ndef f(x):\n    return x + 1\n\n\ndef g(x):\n    return x\n'
    mutated = source.replace("x + 1", "x - 1")
    assert changed_functions(source, mutated) == ("f",)
    assert function_texts(source, mutated, ("f",)) == {"f": "def f(x):\n    return x - 1\n"}
    assert anchors(source, mutated) == (frozenset({6}),)


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("x + 1\n", "x + 1 \\\n", ()),
        ("x + 1\n", "x + 1\nB = 2\n", None),
        ("x + 1\n", "x + 1; B = 2\n", ("f",)),
        ("def f", "@staticmethod\ndef f", None),
        ("    return x + 1\n", "    return (x\n            - 1)\n", ("f",)),
        ("    return x + 1\n", "    pass\n", ("f",)),
    ],
)
def test_what_has_changed_is_what_the_whole_text_says(
    before: str, after: str, expected: tuple[str, ...] | None
) -> None:
    source = "def e(x):\n    return x\n\ndef f(x):\n    return x + 1\n\ndef g(x):\n    return x\n"
    assert changed_functions(source, source.replace(before, after)) == expected


def test_missing_last_newline_stays_missing() -> None:
    assert edited("def f(x):\n    return x", "return x", "") == "def f(x):\n    pass"


def test_only_the_named_function_is_looked_at() -> None:
    mutated = splice(SAMPLE, "second", [Edit(before="a * 2", after="a * 3")])
    assert mutated == SAMPLE.replace("a * 2", "a * 3")
    assert changed_functions(SAMPLE, mutated) == ("second",)


def test_methods_are_named_with_their_class() -> None:
    mutated = splice(SAMPLE, "Box.get", [Edit(before="a -= 1", after="a -= 2")])
    assert mutated == SAMPLE.replace("a -= 1", "a -= 2")
    assert changed_functions(SAMPLE, mutated) == ("Box.get",)


def test_a_default_can_be_changed_and_counts_as_outside_the_body() -> None:
    source = "def f(x=3):\n    return x\n"
    assert edited(source, "3", "4") == "def f(x=4):\n    return x\n"
    assert changed_functions(source, edited(source, "3", "4")) is None


def test_several_edits_are_found_in_the_original() -> None:
    source = body_of("z = x + y\nz = z - 1\nreturn z")
    edits = [Edit(before="z - 1", after="x + y"), Edit(before="x + y", after="z - 1 if y else x")]
    expected = body_of("z = z - 1 if y else x\nz = x + y\nreturn z")
    assert splice(source, "f", edits) == splice(source, "f", edits[::-1]) == expected


REFUSED = {
    "two places": ("z = x\nif y:\n    z = x\nreturn z", "z = x", "z = y", "before matches 2 places in f; add a neigh"),
    "no place": ("return x", "y", "x", "before matches nothing in f; copy it"),
    "no change": ("return x", "x", "(x)", "the edit changes nothing in f"),
    "before does not parse": ("return x", "return (", "x", "before does not parse: line 1"),
    "after does not parse": ("return x", "return x", "return (", "after does not parse: line 1"),
    "empty before": ("return x", "# nothing", "return y", "before is empty"),
    "empty body": ("return x", None, "", "after is empty"),
    "a block between semicolons": ("z = x; z = 1; return z", "z = 1", "if x:\n    z = 2", "put the statement on lines"),
}


@pytest.mark.parametrize(("body", "before", "after", "message"), REFUSED.values(), ids=REFUSED.keys())
def test_what_cannot_be_done_is_said_in_one_line(body: str, before: str | None, after: str, message: str) -> None:
    with pytest.raises(SpliceError) as caught:
        edited(body_of(body), before, after)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_unknown_function_is_told_with_the_known_ones() -> None:
    with pytest.raises(SpliceError, match=r"no function third in the source; it has first, Box.get, second"):
        splice(SAMPLE, "third", [Edit(before="a", after="b")])


def test_function_defined_twice_is_refused() -> None:
    with pytest.raises(SpliceError, match="f is defined 2 times"):
        edited("def f():\n    return 1\ndef f():\n    return 2\n", "1", "3")


def test_overlapping_edits_are_refused() -> None:
    edits = [Edit(before="x + y", after="x"), Edit(before="return x + y", after="return y")]
    with pytest.raises(SpliceError, match="two edits overlap in f"):
        splice(body_of("return x + y"), "f", edits)


def test_one_of_several_edits_is_named_by_its_number() -> None:
    edits = [Edit(before="x", after="y"), Edit(before="q", after="y")]
    with pytest.raises(SpliceError, match="edit 2: before matches nothing in f"):
        splice(body_of("return x"), "f", edits)


def _parses(text: str) -> bool:
    try:
        ast.parse(f"({text})", mode="eval")
    except SyntaxError:
        return False
    return True


EXPRESSIONS = st.recursive(
    st.sampled_from(["x", "y", "1", "2.5", "'é'", "g(x)", "x[0]", "[x, y]", "(i for i in x)"]),
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from(["+", "*", "**", "<", "or", "and", ",", "if x else"]), inner).map(" ".join),
        inner.map("not {}".format),
        inner.map("-({})".format),
        inner.map("lambda: {}".format),
        inner.map("g({})".format),
        inner.map("({})".format),
    ),
    max_leaves=6,
).filter(_parses)


@given(context=EXPRESSIONS, after=EXPRESSIONS)
def test_any_expression_can_take_the_place_of_any_name(context: str, after: str) -> None:
    source = body_of(f"é = '𝄞'; z = ({context}, hole)  # end\nreturn hole_ish")
    mutated = edited(source, "hole", after)
    head, tail = source.split("hole", 1)
    assert mutated.startswith(head)
    assert mutated.endswith(tail)
    function = ast.parse(source).body[0]
    assert isinstance(function, ast.FunctionDef)
    target = function.body[1]
    assert isinstance(target, ast.Assign)
    assert isinstance(target.value, ast.Tuple)
    target.value.elts[-1] = ast.parse(f"({after})", mode="eval").body
    assert ast.dump(function) == ast.dump(ast.parse(mutated).body[0])


def test_functions_are_listed_in_order_without_nested_ones() -> None:
    source = "if True:\n    def a():\n        def b(): pass\nclass C:\n    class D:\n        async def e(self): pass\n"
    assert functions_of(source) == ("a", "C.D.e")


def test_function_source_includes_decorators() -> None:
    text = function_source(SAMPLE, "first")
    assert text is not None
    assert text.startswith("@staticmethod\ndef first")
    assert text.endswith("return total / (a + b)")
    assert function_source(SAMPLE, "third") is None


def test_changes_outside_bodies_are_none_and_comments_are_no_change() -> None:
    assert changed_functions(SAMPLE, SAMPLE.replace("LIMIT = 3", "LIMIT = 4")) is None
    assert changed_functions(SAMPLE, SAMPLE.replace("@staticmethod", "@classmethod")) is None
    assert changed_functions(SAMPLE, SAMPLE.replace("def second", "def third")) is None
    assert changed_functions(SAMPLE, SAMPLE.replace("# keep me", "# gone")) == ()


def test_derived_diff_shows_the_changed_line() -> None:
    lines = derived_diff(SAMPLE, SAMPLE.replace("a * 2", "a * 3"), "pack/mod.py").splitlines()
    assert lines[:2] == ["--- a/pack/mod.py", "+++ b/pack/mod.py"]
    assert [line for line in lines[2:] if line[0] in "+-"] == ["-    return a * 2", "+    return a * 3"]


PROTOCOL = '''from typing import Protocol


class Source(Protocol):
    def random(self) -> float:
        """Draw."""
        ...


def only_docs():
    """Nothing else."""


def inline(): return 1


def outer():
    """Say."""
    def inner():
        return 2
    return inner()
'''


def test_canary_sits_first_in_every_function_but_protocols_and_excluded_ones() -> None:
    planted = canary(PROTOCOL, frozenset({"inline"}))
    assert changed_functions(PROTOCOL, planted) == ("only_docs", "outer")
    space: dict[str, object] = {}
    exec(planted, space)
    for name in ("only_docs", "outer"):
        function = space[name]
        assert callable(function)
        assert function.__doc__
        with pytest.raises(BaseException, match="acidtest canary") as caught:
            function()
        assert type(caught.value) is BaseException
    assert not isinstance(space["inline"], str)
    assert "def inline(): raise" in canary(PROTOCOL)


@pytest.mark.parametrize("source", [SAMPLE, PROTOCOL, SAMPLE.replace("\n", "\r\n")])
def test_equivalent_adds_one_dead_local_to_each_body(source: str) -> None:
    grown = equivalent(source)
    names = [name for name in functions_of(source) if name != "Source.random"]
    assert changed_functions(source, grown) == tuple(names)
    assert grown.count("_acidtest_dead = None") == len(names)
    removed = grown.replace("_acidtest_dead = None; ", "")
    kept = [line for line in removed.splitlines() if line.strip() != "_acidtest_dead = None"]
    assert kept == source.splitlines()
