"""Write a test to paste: a call on which a mutant was found out, and what the right code answers to it.

The text needs numpy, pytest and the code under test, nothing else. It insists on what the two answers differ in: the
value, and where the value alone does not tell them apart also types, memory, arguments, uniforms drawn, warnings.
"""

import builtins
import keyword
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from acidtest.reports.answer_text import Answer, Value, read_answer
from acidtest.reports.layout import WIDTH, assignment, compared, wrapped
from acidtest.reports.value_code import code_of, loosely_equal

SHOWN = 160
FORMS = ("plain", "strict", "lean")
_RESERVED = {"answer", "np", "math", "pytest", "warnings", "Script"}
SCRIPT = '''class Script:
    """Hands out the given uniforms in order and counts them."""

    def __init__(self, values: list[float]) -> None:
        self._values = values
        self.drawn = 0

    def random(self) -> float:
        """Return the next uniform."""
        assert self.drawn < len(self._values), f"a uniform was drawn after all {self.drawn} of the script"
        self.drawn += 1
        return self._values[self.drawn - 1]
'''


@dataclass(frozen=True, slots=True)
class Case:
    """A call with both answers, and how it is written.

    Attributes:
        id, title: the mutant's. rule: what it breaks, one sentence.
        module: the dotted module that holds ``function``.
        arguments: an expression for each argument, by name.
        reference, mutant: the answers, as the lab writes them.
        recipe: for a function that is not simply called: ``setup`` statements and the ``call``, with {name} for
            arguments and {module} for the module.
        name: the test's name; made from the id and the title if empty.
    """

    id: str
    title: str
    module: str
    function: str
    arguments: Mapping[str, str]
    reference: str
    mutant: str
    rule: str = ""
    recipe: Mapping[str, Any] | None = None
    name: str = ""


@dataclass(frozen=True, slots=True)
class Emitted:
    """One test to paste: ``text`` is the function's, ``note`` a comment that goes above it."""

    name: str
    module: str
    text: str
    note: str = ""


def emit(case: Case, taken: Sequence[str] = (), form: str = "plain") -> Emitted | None:
    """Return a test that passes where ``case.reference`` is answered and fails on ``case.mutant``.

    Args:
        taken: names that other tests bear.
        form: one of ``FORMS``. ``plain`` compares by ``==`` where that tells the answers apart, and asserts all that
            differs; ``strict`` compares by ``repr``, types and bits included; ``lean`` leaves out what is not the
            value where the value differs.

    Returns:
        The test, or None where an argument or the answer cannot be written as code.
    """
    if any(code is None for code in case.arguments.values()):
        return None
    sources = tuple(name for name, code in case.arguments.items() if code.startswith("Script("))
    right, wrong = read_answer(case.reference, sources), read_answer(case.mutant, sources)
    body = _body(case, right, wrong, form)
    if body is None:
        return None
    name = _free(_name(case), taken)
    head = f"def {name}() -> None:"
    lines = [head, *_docstring(case), *(f"    {line}" if line else "" for line in body)]
    return Emitted(name, case.module, "\n".join(lines) + "\n")


def paste_text(test: Emitted) -> str:
    """Return one test with all it needs: imports, and the source of uniforms where it has one."""
    return module_text([Emitted(test.name, test.module, test.text)])


def module_text(tests: Sequence[Emitted], what: str = "") -> str:
    """Return one module with all tests; ``what`` opens its docstring, one line, where it is given."""
    text = "\n\n".join("\n".join([*_comment(test.note), test.text]) for test in tests)
    standard = [f"import {name}" for name in ("math", "warnings") if re.search(rf"\b{name}\.", text)]
    known = {"np": "import numpy as np", "pytest": "import pytest"}
    third = [line for name, line in known.items() if re.search(rf"\b{name}\.", text)]
    ours = imports_of({test.module for test in tests})
    blocks = ["\n".join(block) for block in (standard, third, ours) if block]
    helper = [SCRIPT] if "Script(" in text else []
    opening = "\n\n".join([*([f'"""{what}"""'] if what else []), *blocks])
    return "\n\n\n".join(part.strip("\n") for part in (opening, *helper, text)) + "\n"


def imports_of(modules: Iterable[str]) -> list[str]:
    """Return the lines that import each module under its last name."""
    packages: dict[str, list[str]] = {}
    for module in sorted(modules):
        package, _, name = module.rpartition(".")
        packages.setdefault(package, []).append(name)
    plain = [f"import {name}" for name in packages.pop("", [])]
    return plain + [f"from {package} import {', '.join(names)}" for package, names in packages.items()]


def _body(case: Case, right: Answer, wrong: Answer, form: str) -> list[str] | None:
    subject = f"{case.module.rpartition('.')[2]}.{case.function}"
    locals_ = {name: _local(name, case) for name, code in case.arguments.items() if _deserves_a_name(code)}
    lines = [line for name, local in locals_.items() for line in assignment(local, case.arguments[name])]
    handed = {name: locals_.get(name, code) for name, code in case.arguments.items()}
    setup, call = _call(subject, handed, case)
    lean = form == "lean" and (right.value, right.error) != (wrong.value, wrong.error)
    guards = [] if lean else _guards(case, right, wrong)
    others = [] if lean else _noticed(case, right, wrong, locals_)
    if right.error:
        return [
            *lines,
            *_under([*guards, f"with pytest.raises({_error(case, right.error)}):"], [*setup, *call]),
            *others,
        ]
    assert right.value is not None
    checks = _value_checks(right.value, wrong.value, form == "strict")
    if checks is None:
        return None
    lines += _under(guards, [*setup, f"answer = {call[0]}", *call[1:]])
    return [*lines, *checks, *others]


def _value_checks(right: Value, wrong: Value | None, strict: bool) -> list[str] | None:
    """Return assertions of the value: by ``==`` where that is enough to tell it from ``wrong``."""
    code = code_of(right)
    if code is None:
        return None
    if right.kind in ("bool", "None"):
        return [f"assert answer is {right.text}"]
    strict = strict or right.has_nan or (wrong is not None and wrong != right and loosely_equal(right, wrong))
    if right.kind == "array":
        return _array_checks(right, strict)
    return [f"assert repr(answer) == {right.text!r}"] if strict else compared("answer", code)


def _array_checks(right: Value, strict: bool) -> list[str]:
    inner = right.parts[0]
    code = code_of(inner) or inner.text
    if not strict:
        return compared("answer.tolist()", code)
    dtype = right.options.get("dtype", "float64")
    return [
        "assert type(answer) is np.ndarray",
        f"assert answer.dtype == {dtype!r}",
        *compared("repr(answer.tolist())", repr(inner.text)),
    ]


def _noticed(case: Case, right: Answer, wrong: Answer, locals_: Mapping[str, str]) -> list[str]:
    """Return assertions of all that is not the value, where the two answers differ in it."""
    lines: list[str] = []
    for name in dict.fromkeys([*right.shares, *wrong.shares]):
        if (name in right.shares) != (name in wrong.shares) and not right.error and not wrong.error:
            lines.append(_memory(locals_.get(name, name), case.arguments[name], right.value, name in right.shares))
    for name in dict.fromkeys([*right.after, *wrong.after]):
        if right.after.get(name) != wrong.after.get(name):
            expected = code_of(right.after[name]) if name in right.after else case.arguments[name]
            lines += _unchanged(locals_.get(name, name), expected or "")
    for name, count in right.drew.items():
        if wrong.drew.get(name) != count and name in locals_:
            lines.append(f"assert {locals_[name]}.drawn == {count}")
    return lines


def _memory(local: str, code: str, value: Value | None, shared: bool) -> str:
    if not code.startswith("np."):
        return f"assert answer {'is' if shared else 'is not'} {local}"
    one = f"np.shares_memory(answer, {local})"
    if value is not None and value.kind in ("tuple", "list"):
        one = f"any(np.shares_memory(part, {local}) for part in answer if isinstance(part, np.ndarray))"
    return f"assert {one}" if shared else f"assert not {one}"


def _unchanged(local: str, expected: str) -> list[str]:
    array = re.fullmatch(r"(?:np\.)?array\((\[.*\])(?:, dtype=[\w.]+)?\)", expected)
    if array is None:
        return [f"assert {local} == {expected}"] if "nan" not in expected else [f"assert repr({local}) == {expected!r}"]
    if "nan" in array[1]:
        return [f"assert repr({local}.tolist()) == repr({array[1]})"]
    return compared(f"{local}.tolist()", array[1])


def _guards(case: Case, right: Answer, wrong: Answer) -> list[str]:
    """Return what the call runs under: the warnings that belong to it, or none where only the mutant warns."""
    if right.warned:
        names = ", ".join(_error(case, name) for name in right.warned)
        return [f"with pytest.warns({names if len(right.warned) == 1 else f'({names})'}):"]
    return ["with warnings.catch_warnings():", 'warnings.simplefilter("error")'] if wrong.warned else []


def _under(heads: Sequence[str], call: Sequence[str]) -> list[str]:
    """Return the call indented below its ``with`` lines."""
    lines: list[str] = []
    depth = 0
    for head in heads:
        lines.append("    " * depth + head)
        depth += head.startswith("with ")
    return [*lines, *("    " * depth + line for line in call)]


def _call(subject: str, arguments: Mapping[str, str], case: Case) -> tuple[list[str], list[str]]:
    """Return the statements before the call, and the call, whose first line may follow an assignment."""
    if case.recipe is not None:
        fill = {**arguments, "module": case.module.rpartition(".")[2]}
        return [line.format(**fill) for line in case.recipe["setup"]], [case.recipe["call"].format(**fill)]
    inside = ", ".join(f"{name}={code}" for name, code in arguments.items())
    line = f"{subject}({inside})"
    return [], [line] if len(line) <= WIDTH - 20 else [f"{subject}(", f"    {inside}", ")"]


def _error(case: Case, name: str) -> str:
    """Return how the error's class is called: a built-in by its name, another as an attribute of the module."""
    return name if hasattr(builtins, name) else f"{case.module.rpartition('.')[2]}.{name}"


def _deserves_a_name(code: str) -> bool:
    return code.startswith(("np.array(", "np.empty(", "Script(", "[", "{"))


def _local(name: str, case: Case) -> str:
    clash = name in _RESERVED or name == case.module.rpartition(".")[2] or keyword.iskeyword(name)
    return f"{name}_" if clash else name


def _docstring(case: Case) -> list[str]:
    broken = case.rule or f"the smallest call found that tells {case.id} from the right code"
    first = f"{case.function}: {broken.rstrip('.')}."
    answer = case.mutant if len(case.mutant) <= SHOWN else case.mutant[: SHOWN - 1] + "…"
    told = f"Fails on {case.id}{f' ({case.title})' if case.title else ''}: it answers {answer}."
    lines = ['"""' + first, "", *wrapped(told), '"""']
    lines[:1] = wrapped(lines[0])
    return [f"    {line}" if line else "" for line in (part.replace("\\", "\\\\") for part in lines)]


def _comment(note: str) -> list[str]:
    return [f"# {line}".rstrip() for line in note.splitlines()]


def _name(case: Case) -> str:
    words = re.sub(r"[^a-z0-9]+", "_", (case.name or f"{case.id} {case.title}").lower()).strip("_")
    return f"test_{words[:80].rstrip('_')}_is_noticed"


def _free(name: str, taken: Sequence[str]) -> str:
    number = 2
    free = name
    while free in taken:
        free, number = f"{name}_{number}", number + 1
    return free
