"""Who can see a change: callers near and far, and everyone where names do not tell."""

from textwrap import dedent

from acidtest.mutants.sight import seeing

SOURCE = """
def helper(a):
    return a


def caller(a):
    return helper(a) + 1


def far(a):
    return [caller(b) for b in a]


def apart(a):
    return a


class Box:
    def __init__(self, a):
        self.a = a

    def open(self):
        return self.look()

    def look(self):
        return self.a


def unpack(box):
    return box.open()
"""


def test_callers_are_seen_with_their_distance() -> None:
    assert seeing({"m": SOURCE}, ["helper"]) == {"helper": 0, "caller": 1, "far": 2}


def test_methods_are_seen_through_objects() -> None:
    found = seeing({"m": SOURCE}, ["Box.look"])
    assert found is not None
    assert {"Box.open", "unpack"} <= set(found)
    assert "caller" not in found


def test_callers_in_another_module_are_seen() -> None:
    other = "from m import helper\n\n\ndef use(a):\n    return helper(a)\n"
    assert seeing({"m": SOURCE, "n": other}, ["helper"]) == {"helper": 0, "caller": 1, "use": 1, "far": 2}


def test_import_under_another_name_can_be_seen_by_all() -> None:
    other = "from m import helper as quick\n\n\ndef use(a):\n    return quick(a)\n"
    assert seeing({"m": SOURCE, "n": other}, ["helper"]) is None


def test_table_at_module_level_can_be_seen_by_all() -> None:
    assert seeing({"m": SOURCE + "\n\nTABLE = {'h': helper}\n"}, ["helper"]) is None
    assert seeing({"m": SOURCE + "\n\nTABLE = {'h': far}\n"}, ["helper"]) is None


def test_decorator_can_be_seen_by_all() -> None:
    text = dedent(
        """
        def wrap(f):
            def inner(a):
                return f(a)
            return inner

        @wrap
        def used(a):
            return a
        """
    )
    assert seeing({"m": text}, ["wrap"]) is None
    assert seeing({"m": text}, ["used"]) == {"used": 0}


def test_change_outside_functions_or_of_an_unknown_one_can_be_seen_by_all() -> None:
    assert seeing({"m": SOURCE}, []) is None
    assert seeing({"m": SOURCE}, ["gone"]) is None
