"""What single instructions of compiled code do: whether one reaches beyond the values that it is given."""

import dis
import types
from collections.abc import Iterator

_HARMFUL = frozenset(
    [
        "STORE_GLOBAL",
        "DELETE_GLOBAL",
        "STORE_ATTR",
        "DELETE_ATTR",
        "STORE_NAME",
        "DELETE_NAME",
        "LOAD_NAME",
        "IMPORT_NAME",
        "IMPORT_FROM",
        "IMPORT_STAR",
        "LOAD_BUILD_CLASS",
        "LOAD_CLASSDEREF",
        "LOAD_SUPER_ATTR",
        "YIELD_VALUE",
        "GET_AWAITABLE",
        "SETUP_ANNOTATIONS",
    ]
)
"""They write, import, define or suspend."""
_INNER = frozenset({"<genexpr>"})
_FILLING = frozenset({"CACHE", "EXTENDED_ARG", "NOP"})
_ONLY_ONE = (None, True, False, ...)
Neighbours = tuple[dis.Instruction | None, dis.Instruction | None, dis.Instruction | None]


def with_neighbours(code: types.CodeType) -> Iterator[Neighbours]:
    """Yield what the code and the scopes within it do, each with what comes before and after it in the text.

    None stands in the middle for what cannot be told: a scope that is no comprehension of its own, and ``where=``.
    """
    found = [one for one in dis.get_instructions(code) if one.opname not in _FILLING]
    for before, instruction, after in zip([None, *found], found, [*found[1:], None], strict=False):
        if instruction.opname == "YIELD_VALUE" and code.co_name in _INNER:
            continue
        yield before, instruction, after
    for constant in code.co_consts:
        if isinstance(constant, tuple) and "where" in constant:  # names of arguments: a ufunc leaves memory as it is
            yield None, None, None
        if isinstance(constant, types.CodeType):
            if constant.co_name not in ("<genexpr>", "<listcomp>", "<setcomp>", "<dictcomp>", "<lambda>"):
                yield None, None, None
            yield from with_neighbours(constant)


def tells_more(before: dis.Instruction | None, instruction: dis.Instruction, after: dis.Instruction | None) -> bool:
    """Return whether an instruction may do or tell more than the values of its operands do; ``ndarray()`` does, too."""
    if instruction.opname in _HARMFUL:
        return True
    constant = before.argval if before is not None and before.opname == "LOAD_CONST" else NotImplemented
    match instruction.opname:
        case "IS_OP":  # which of two equal objects it is
            return not any(constant is one for one in _ONLY_ONE)
        case "FORMAT_VALUE" | "FORMAT_WITH_SPEC":  # a number in the words of a country
            plain = instruction.opname == "FORMAT_VALUE" and not (instruction.arg or 0) & 4
            return not plain and not (isinstance(constant, str) and "n" not in constant)
        case "MATCH_CLASS":  # attributes by names that nobody loads
            return bool(constant != ())
        case "LOAD_ATTR" | "LOAD_METHOD" if instruction.argval == "ndarray":  # for ``isinstance``, not to be called
            return after is None or after.opname not in ("PRECALL", "CALL", "BUILD_TUPLE")
    return False
