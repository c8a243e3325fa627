"""Text from anywhere as Markdown that shows it as it is: no markup, no link, nobody called by name."""

import re

from acidtest.reports.render.html.clean import clean

_SPECIAL = re.compile(
    r"[\\`*{}\[\]<&|~#$^]"
    r"|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])"  # inside a word it is a letter
    r"|(?<=:)//|(?<=www)\."  # what a host makes a link of
    r"|^[-+=>]|^\d+(?=[.)])",  # what begins a block
    re.IGNORECASE,
)
_CALLS = re.compile(r"@")
_PLAIN_CODE = re.compile(r"[^`|\\]+")


def prose(text: str) -> str:
    """Return a text as words of a sentence or a table's cell, in one line.

    Every character that could mean something is written as a number, which Markdown never takes for markup. An at sign
    stands in an element of its own: a host calls people whose name follows one.
    """
    line = " ".join(clean(text).split())
    line = _SPECIAL.sub(lambda match: "".join(f"&#{ord(character)};" for character in match[0]), line)
    return _CALLS.sub("<code>@</code>", line)


def code(text: str) -> str:
    """Return a text as code in one line, for tables too; the empty text stays empty."""
    line = " ".join(clean(text).split())
    if not line:
        return ""
    if _PLAIN_CODE.fullmatch(line):
        return f"`{line}`"
    return f"<code>{prose(line).replace('<code>@</code>', '@')}</code>"


def fence(text: str, language: str = "") -> str:
    """Return a text as a block of code, every line as it is."""
    shown = clean(text).rstrip("\n")
    longest = max((len(run) for run in re.findall(r"`+", shown)), default=0)
    marks = "`" * max(3, longest + 1)
    return f"{marks}{language}\n{shown}\n{marks}"
