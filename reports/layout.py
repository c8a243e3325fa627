"""Break the lines of a test to paste where a formatter would, so that it can be committed as it is."""

WIDTH = 120


def assignment(local: str, code: str) -> list[str]:
    """Return ``local = code``, a long call broken inside its parentheses."""
    line = f"{local} = {code}"
    if len(line) <= WIDTH - 4:
        return [line]
    opening, _, rest = code.partition("(")
    inside = rest.removesuffix(")")
    if len(inside) <= WIDTH - 8:
        return [f"{local} = {opening}(", f"    {inside}", ")"]
    return [f"{local} = {opening}(", *(f"    {part}" for part in one_a_line(inside)), ")"]


def compared(subject: str, code: str) -> list[str]:
    """Return the assertion that ``subject`` equals ``code``, a long list broken after each element."""
    line = f"assert {subject} == {code}"
    if len(line) <= WIDTH - 4 or not code.startswith("["):
        return [line]
    first, *others = one_a_line(code)
    return [f"assert {subject} == {first}", *others]


def one_a_line(code: str) -> list[str]:
    """Return a flat list's code with one element a line."""
    if not code.startswith("[") or not code.endswith("]") or "[" in code[1:]:
        return [code]
    return ["[", *(f"    {part}," for part in code[1:-1].split(", ")), "]"]


def wrapped(text: str, width: int = WIDTH - 4) -> list[str]:
    """Return a text in lines of at most ``width`` characters."""
    lines = [""]
    for word in text.split():
        if lines[-1] and len(lines[-1]) + 1 + len(word) > width:
            lines.append("")
        lines[-1] += (" " if lines[-1] else "") + word
    return lines
