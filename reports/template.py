"""`acidtest new`: an entry with everything filled in that can be known beforehand."""

import re

_TEMPLATE = '''\
id = {id}
title = {title}
origin = "TODO"  # where it was seen: a project and its issue number; for one of the chapter's: pitfall = 1
module = {module}
function = {function}
before = {before}
after = {before}  # TODO: the same code, wrong
killers = ["TODO"]  # the tests whose subject this is; `acidtest tests` lists them
rationale = """
TODO: why people write it, what it does to the output, what sees it."""

[witness]
args = {{ {args} }}  # TODO: one call that shows it
reference = "?"  # `acidtest check` says what the reference answers,
mutant = "?"  # and what the mutant answers
'''


def template(identifier: str, title: str, module: str, function: str, source: str) -> str:
    """Return the text of a new entry.

    Args:
        source: the function's text, from which its last return and its parameters are taken.
    """
    args = ", ".join(f"{name} = 0.5" for name in parameters_of(source))
    return _TEMPLATE.format(
        id=quoted(identifier),
        title=quoted(title),
        module=quoted(module),
        function=quoted(function),
        before=quoted(_last_statement(source)),
        args=args,
    )


def quoted(text: str) -> str:
    """Return ``text`` as a TOML string."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\t", "\\t")
    return f'"{escaped}"'


def parameters_of(source: str) -> list[str]:
    """Return the names between the parentheses of the first ``def``, without ``self``, ``*`` and ``/``."""
    opening = re.search(r"\bdef\s+\w+\s*(?:\[[^\]]*\])?\s*\(", source)
    if opening is None:
        return []
    names, depth, word = [], 0, ""
    for character in source[opening.end() :]:
        if character == ")" and depth == 0:
            break
        depth += {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}.get(character, 0)
        if character == "," and depth == 0:
            names.append(word)
            word = ""
        else:
            word += character
    names.append(word)
    words = [re.split(r"[:=]", name, maxsplit=1)[0].strip() for name in names]
    return [word for word in words if word.isidentifier() and word not in ("self", "cls")]


def _last_statement(source: str) -> str:
    """Return the last line of the function that stands for itself: as a rule its return."""
    lines = [line.strip() for line in source.splitlines() if line.strip() and not line.strip().startswith("#")]
    returns = [line for line in lines if line.startswith("return ") and line[-1] not in "([{,\\"]
    return returns[-1] if returns else lines[-1]
