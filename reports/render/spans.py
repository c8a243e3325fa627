"""Where a mutant differs from the original, as a span of the text and what stands there instead."""

from dataclasses import dataclass

from acidtest.reports.render.html.clean import clean


@dataclass(frozen=True, slots=True)
class Span:
    """The one stretch of a text that has to be replaced to make another text of it.

    Attributes:
        start, end: offsets in the original, in characters; the end is not included. Equal where text is put in only
            at the very end of an empty text.
        replacement: what stands there in the other text.
    """

    start: int
    end: int
    replacement: str


def span_of(original: str, mutated: str) -> Span:
    """Return the shortest stretch that starts and ends with whole words or operators, and is not empty.

    Several changed places are one stretch from the first to the last. Equal texts differ in their whole first line.
    """
    if original == mutated:
        end = _line_end(original, 0)
        return Span(0, end, original[:end])
    start = _common(original, mutated)
    kept = min(_common(original[::-1], mutated[::-1]), min(len(original), len(mutated)) - start)
    while start and any(_glued(text[start - 1 : start + 1]) for text in (original, mutated)):
        start -= 1
    while kept and any(_glued(text[len(text) - kept - 1 :][:2]) for text in (original, mutated)):
        kept -= 1
    if start == len(original) - kept:  # something was put in: show it with what it was put before, or behind
        while kept and not original[-kept].isspace():
            kept -= 1
            if not kept or not _glued(original[-kept - 1 :][:2]):
                break
    if start == len(original) - kept:
        while start and original[start - 1] != "\n":
            start -= 1
            if start == 0 or not _glued(original[start - 1 : start + 1]):
                break
    if start == len(original) - kept:  # beside the end of a line
        kept, start = (kept - 1, start) if kept else (kept, max(0, start - 1))
    return Span(start, len(original) - kept, mutated[start : len(mutated) - kept])


def position(text: str, offset: int) -> dict[str, int]:
    """Return the line and the column of an offset, both from 1; columns count UTF-16 units, as JavaScript does."""
    before = text.rfind("\n", 0, offset) + 1
    return {"line": text.count("\n", 0, offset) + 1, "column": len(text[before:offset].encode("utf-16-le")) // 2 + 1}


def normal(source: str) -> str:
    """Return a source text in which lines end with LF alone, and nothing steers whoever looks at it."""
    return clean(source)


def _common(one: str, other: str) -> int:
    """Return how many first characters two texts share."""
    low, high = 0, min(len(one), len(other))
    while low < high:  # the longest common beginning, by halving: each comparison is one of strings
        middle = (low + high + 1) // 2
        if one[:middle] == other[:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def _glued(pair: str) -> bool:
    """Return whether two neighbouring characters belong to one word or one operator."""
    return len(pair) == 2 and _kind(pair[0]) == _kind(pair[1]) != ""


def _kind(character: str) -> str:
    if character.isalnum() or character in "_.":
        return "word"
    return "operator" if character in "<>=!+-*/%&|^~@:" else ""


def _line_end(text: str, place: int) -> int:
    end = text.find("\n", place)
    return len(text) if end < 0 else end
