"""Read an answer back from its one text: the value in parts, the error, and what else a caller could see."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

_TOKEN = re.compile(
    r"""\s*(?:
    (?P<number>[+-]?(?:nan|inf)\b|[+-]?\d+(?:\.\d*)?(?:[eE][+-]?\d+)?j?)
    |(?P<text>[rb]?(?:'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*"))
    |(?P<name>[A-Za-z_][A-Za-z_0-9.]*)
    |(?P<mark>[\[\](){},:=])
    )""",
    re.VERBOSE,
)
_CLOSING = {"[": "]", "(": ")", "{": "}"}


@dataclass(frozen=True, slots=True)
class Value:
    """One value of an answer.

    Attributes:
        kind: ``float``, ``int``, ``bool``, ``None``, ``str``, ``list``, ``tuple``, ``dict``, the name of what is
            called (``array``, ``np.float64``), or ``opaque`` for a text that is none of these.
        text: the value's own text.
        parts: what is inside, in order; of a dict keys and values in turn.
        options: what a call was given by keyword, such as an array's dtype, as texts.
    """

    kind: str
    text: str
    parts: tuple["Value", ...] = ()
    options: Mapping[str, str] = field(default_factory=dict)

    @property
    def numbers(self) -> tuple[float, ...]:
        """Return every number inside, in order, flags left out."""
        if self.kind in ("float", "int"):
            return (float(self.text),)
        return tuple(number for part in self.parts for number in part.numbers)

    @property
    def has_nan(self) -> bool:
        """Whether a NaN is inside, which equals nothing."""
        return self.text == "nan" or any(part.has_nan for part in self.parts)


@dataclass(frozen=True, slots=True)
class Answer:
    """What one call answered.

    Attributes:
        value: None where it raised.
        error: the name of the error's class, else empty.
        shares: arguments whose memory the result shares. after: arguments that changed, by name.
        drew: uniforms taken, by source. warned: classes of warnings.
    """

    value: Value | None
    error: str = ""
    shares: tuple[str, ...] = ()
    after: Mapping[str, Value] = field(default_factory=dict)
    drew: Mapping[str, int] = field(default_factory=dict)
    warned: tuple[str, ...] = ()


def read_answer(text: str, sources: tuple[str, ...] = ()) -> Answer:
    """Return what ``text`` says.

    Args:
        text: an answer as the lab writes it. sources: the names of the sources of uniforms, in the call's order.
    """
    head, notes = _split(text)
    found: dict[str, Any] = {"value": None}
    if head.startswith("raises "):
        found["error"] = head.removeprefix("raises ")
    else:
        found["value"] = read_value(head)
    counts = [int(note.removeprefix("drew ")) for note in notes if note.startswith("drew ")]
    names = sources if len(sources) == len(counts) else tuple(f"source {number}" for number in range(len(counts)))
    changed = [note.split(" after = ", 1) for note in notes if " after = " in note]
    return Answer(
        **found,
        shares=tuple(note.removeprefix("shares ") for note in notes if note.startswith("shares ")),
        after={name: read_value(value) for name, value in changed},
        drew=dict(zip(names, counts, strict=True)),
        warned=tuple(note.removeprefix("warned ") for note in notes if note.startswith("warned ")),
    )


def read_value(text: str) -> Value:
    """Return the value that ``text`` describes, in parts; ``opaque`` where it is no plain data."""
    try:
        value, end = _value(text, 0)
    except ValueError:
        return Value("opaque", text)
    return value if not text[end:].strip() else Value("opaque", text)


def exact(text: str) -> str:
    """Return a float's text if the decimal is exactly the number, else its hexadecimal beside it.

    0.375 is what it says; 0.1 stands for another number, 0x1.999999999999ap-4.
    """
    number = float(text)
    if number != number or number in (float("inf"), float("-inf")) or Fraction(text) == Fraction(number):
        return text
    return f"{text} ({number.hex()})"


def _split(text: str) -> tuple[str, list[str]]:
    """Return the value's text and the notes behind it: the last ``; `` parts that read as notes."""
    parts = text.split("; ")
    notes: list[str] = []
    while len(parts) > 1 and re.match(r"shares \w+$|\w+ after = |drew \d+$|warned \w+$", parts[-1]):
        notes.insert(0, parts.pop())
    return "; ".join(parts), notes


def _value(text: str, start: int) -> tuple[Value, int]:
    match = _TOKEN.match(text, start)
    if match is None:
        raise ValueError(text[start:])
    token, end = match.group().strip(), match.end()
    if match["number"]:
        return Value("int" if re.fullmatch(r"[+-]?\d+", token) else "complex" if "j" in token else "float", token), end
    if match["text"]:
        return Value("bytes" if token.startswith("b") else "str", token), end
    if match["name"]:
        if token in ("True", "False", "None"):
            return Value("None" if token == "None" else "bool", token), end
        if token in ("np.True_", "np.False_"):
            return Value("np.bool", token), end
        if text[end : end + 1] != "(":
            raise ValueError(token)
        parts, options, end = _inside(text, end + 1, ")")
        return Value(token, text[match.start() : end].strip(), parts, options), end
    if token not in _CLOSING:
        raise ValueError(token)
    parts, _, end = _inside(text, end, _CLOSING[token])
    kind = {"[": "list", "(": "tuple", "{": "dict"}[token]
    return Value(kind, text[match.start() : end].strip(), parts), end


def _inside(text: str, start: int, closing: str) -> tuple[tuple[Value, ...], dict[str, str], int]:
    """Return what stands before ``closing``, and where the text goes on."""
    parts: list[Value] = []
    options: dict[str, str] = {}
    while True:
        rest = text[start:].lstrip(" ,:")
        start = len(text) - len(rest)
        if rest.startswith(closing):
            return tuple(parts), options, start + 1
        option = re.match(r"(\w+)=((?:\([^)]*\)|[^,()])+)", rest)
        if option is not None:
            options[option[1]] = option[2]
            start += option.end()
        else:
            part, start = _value(text, start)
            parts.append(part)
