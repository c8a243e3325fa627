"""Write the value of an answer as a Python expression, and say when ``==`` cannot tell two of them apart."""

from acidtest.reports.answer_text import Value


def code_of(value: Value) -> str | None:
    """Return the expression that makes the value; None for what is no plain data."""
    parts = [code_of(part) for part in value.parts]
    if value.kind == "opaque" or any(part is None for part in parts):
        return None
    inside = ", ".join(map(str, parts))
    if value.kind == "float":
        return {"nan": "math.nan", "inf": "math.inf", "-inf": "-math.inf"}.get(value.text, value.text)
    if not value.parts and value.kind in ("int", "bool", "np.bool", "None", "str", "bytes", "complex"):
        return value.text
    if value.kind == "list":
        return f"[{inside}]"
    if value.kind == "tuple":
        return f"({inside}{',' if len(parts) == 1 else ''})"
    if value.kind == "dict":
        return "{" + ", ".join(f"{key}: {item}" for key, item in zip(parts[::2], parts[1::2], strict=True)) + "}"
    if value.kind in ("set", "frozenset"):
        return f"{value.kind}(({inside}{',' if parts else ''}))"
    if value.kind == "array":
        dtype = value.options.get("dtype")
        return f"np.array({inside}, dtype=np.{dtype})" if dtype else f"np.array({inside})"
    return f"{value.kind}({inside})" if value.kind.startswith("np.") else None


def loosely_equal(left: Value, right: Value) -> bool:
    """Return whether ``==`` may take one value for the other: equal numbers in containers of one kind."""
    if left.kind in ("list", "tuple", "dict", "array") or right.kind in ("list", "tuple", "dict", "array"):
        same = left.kind == right.kind and len(left.parts) == len(right.parts)
        return same and all(map(loosely_equal, left.parts, right.parts))
    one, other = _number(left), _number(right)
    return left.text == right.text if one is None or other is None else one == other


def _number(value: Value) -> float | None:
    if value.kind in ("bool", "np.bool"):
        return float("True" in value.text)
    if value.kind.startswith("np.") and len(value.parts) == 1:
        return _number(value.parts[0])
    return float(value.text) if value.kind in ("int", "float") else None
