"""Strict readers for the files that grading leaves: whatever they let through, every program can read and show."""

import csv
import functools
import io
import json
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import jsonschema  # type: ignore[import-untyped]
import xmlschema
from referencing import Registry, Resource

SCHEMAS = Path(__file__).resolve().parents[1] / "schema"
FORMULA = ("=", "+", "-", "@", "\t", "\r", "\uff1d", "\uff0b", "\uff0d", "\uff20")
_VOID = {"meta", "input", "br", "hr", "img", "link", "wbr"}


def steering(text: str) -> list[str]:
    """Return the characters of a text that no file for others may have: controls, marks of direction, half pairs."""
    free = {"\n", "\t"}
    marks = {*range(0x200E, 0x2010), *range(0x2028, 0x202F), *range(0x2066, 0x206A), 0x61C, 0xFEFF, 0xFFFE, 0xFFFF}
    return [
        hex(ord(one))
        for one in text
        if one not in free
        and (ord(one) < 32 or 127 <= ord(one) < 160 or 0xD800 <= ord(one) < 0xE000 or ord(one) in marks)
    ]


def read_json(text: str) -> Any:
    """Return a JSON document: no NaN, no key twice, no text that steers."""
    text.encode("ascii")

    def refuse(name: str) -> Any:
        raise ValueError(f"{name} is no JSON")

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        names = [name for name, _ in pairs]
        assert len(names) == len(set(names)), f"a key is there twice: {names}"
        return dict(pairs)

    document = json.loads(text, parse_constant=refuse, object_pairs_hook=once)
    for one in strings(document):
        assert not steering(one), (one[:80], steering(one))
    return document


def strings(document: Any) -> Iterator[str]:
    """Yield every text in JSON data, keys too."""
    if isinstance(document, str):
        yield document
    elif isinstance(document, dict):
        for key, item in document.items():
            yield key
            yield from strings(item)
    elif isinstance(document, list):
        for item in document:
            yield from strings(item)


def read_csv(text: str) -> list[dict[str, str]]:
    """Return the rows of a CSV file: as many cells in each as in the first line, on one line each, none a formula."""
    text.encode("utf-8")
    assert text.count("\n") == text.count("\r\n"), "a line that does not end with CR LF"
    head, *rows = csv.reader(io.StringIO(text, newline=""), strict=True)
    assert text.count("\r\n") == 1 + len(rows), "a cell with a line end in it"
    for row in rows:
        assert len(row) == len(head)
        for value in row:
            assert not steering(value), (value[:80], steering(value))
            assert "\t" not in value, value[:80]
            assert not value.lstrip().startswith(FORMULA), value[:80]
    return [dict(zip(head, row, strict=True)) for row in rows]


@functools.cache
def _junit() -> xmlschema.XMLSchema:
    return xmlschema.XMLSchema(str(Path(__file__).parent / "schemas" / "junit-10.xsd"))


def read_junit(text: str) -> ET.Element:
    """Return a JUnit document that Jenkins' own schema accepts, and whose counts are right."""
    _junit().validate(text)
    root = ET.fromstring(text.encode("utf-8"))
    assert root.find(".//properties") is None
    for element in root.iter():
        for value in (element.text or "", *element.attrib.values()):
            assert not steering(value), (value[:80], steering(value))
    for suite in root:
        assert int(suite.attrib["tests"]) == len(suite)
        for name, kind in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
            assert int(suite.attrib[name]) == len(suite.findall(f"testcase/{kind}"))
    for name in ("tests", "failures", "errors"):
        assert int(root.attrib[name]) == sum(int(suite.attrib[name]) for suite in root)
    return root


class Page(HTMLParser):
    """A page, parsed: its elements with their attributes, and the text that one can read.

    Every element must be closed in its turn.
    """

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[tuple[str, dict[str, str]]] = []
        self.words: list[str] = []
        self._open: list[str] = []
        self.feed(text)
        self.close()
        assert self._open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, {name: value or "" for name, value in attrs}))
        if tag not in _VOID:
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self._open and self._open[-1] not in ("script", "style"):
            self.words.append(data)

    @property
    def text(self) -> str:
        """Return what one can read, with single spaces."""
        return " ".join(" ".join(self.words).split())

    def count(self, tag: str) -> int:
        """Return how many elements of a name there are."""
        return sum(name == tag for name, _ in self.tags)


def schema(name: str) -> dict[str, Any]:
    """Return one of the published schemas."""
    found: dict[str, Any] = json.loads((SCHEMAS / name).read_text("utf-8"))
    return found


def validator(name: str, closed: bool = True) -> jsonschema.Draft202012Validator:
    """Return a validator for one of the published schemas.

    Args:
        closed: keys that the schema does not have are faults; readers of older versions have to take them.
    """
    schemas = [schema(path.name) for path in sorted(SCHEMAS.glob("*.json"))]
    if closed:
        schemas = [_closed(one) for one in schemas]
    registry: Registry[Any] = Registry().with_resources((one["$id"], Resource.from_contents(one)) for one in schemas)
    wanted = next(one for one in schemas if one["$id"] == schema(name)["$id"])
    return jsonschema.Draft202012Validator(wanted, registry=registry)


def _closed(node: Any) -> Any:
    if isinstance(node, list):
        return [_closed(item) for item in node]
    if not isinstance(node, dict):
        return node
    found = {key: item if key == "allOf" else _closed(item) for key, item in node.items()}
    if "properties" in node and "additionalProperties" not in node:
        found["additionalProperties"] = False
    return found
