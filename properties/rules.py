"""Which rule of the contract a difference breaks, in a sentence for a person."""

import math
from collections.abc import Mapping
from typing import Any

from acidtest.properties.call import Call, running_sums

_VALUES = {
    "as_distribution": "a distribution comes back as a float64 vector with the masses that it was given",
    "sample_categorical": "the answer is the smallest id whose left-to-right running sum is strictly above u; "
    "an id without mass is never returned",
    "rejection_accept": "a draft is kept exactly where u < p_x / q_x: a division, and strict",
    "acceptance_probability": "the acceptance probability is the left-to-right sum of min(p_i, q_i)",
    "residual_distribution": "the residual is max(0, p_i - q_i) / Z with Z summed left to right; "
    "where Z is 0 it is a fresh copy of p",
    "speculative_step": "a kept draft comes back as (x, True), a rejected one is replaced by a draw from the residual "
    "with u_resample",
    "rejection_sample": "each try draws two uniforms, the proposal's first, and keeps x where u < p_x / (m * q_x); "
    "tries are counted from 1",
    "PCG32.next_uint32": "the outputs are those of PCG-XSH-RR 64/32 for that seed and stream",
    "PCG32.random": "a uniform joins two outputs, the high 27 bits and then the high 26, into a multiple of 2**-53",
}
_TYPES = {
    "sample_categorical": "the id is a plain int",
    "rejection_accept": "the decision is a plain bool",
    "acceptance_probability": "the probability is a plain float",
    "residual_distribution": "the residual is a float64 array",
    "speculative_step": "the id is a plain int and the flag a plain bool",
    "rejection_sample": "the id and the number of tries are plain ints",
}


def rule(call: Call, reference: str, mutant: str) -> str:
    """Return the rule that the mutant's answer breaks, given both answers as the lab writes them."""
    right, wrong = reference.split("; "), mutant.split("; ")
    if right[0] != wrong[0]:
        if right[0].startswith("raises "):
            return _refusal(call, right[0].removeprefix("raises "))
        if wrong[0].startswith("raises "):
            return _no_refusal(call, wrong[0].removeprefix("raises "))
        if _bare(right[0]) == _bare(wrong[0]):
            return _TYPES.get(call.function, "the type of the answer is part of the contract")
        return _VALUES.get(call.function, "the answer is another one")
    for part in wrong[1:]:
        if part in right:
            continue
        if part.startswith("shares "):
            return "a result never shares memory with an argument"
        if " after = " in part:
            return "arguments are never written to"
        if part.startswith("drew "):
            return "each try draws exactly two uniforms, and a refused call draws none"
        if part.startswith("warned "):
            return "no call warns"
    return _VALUES.get(call.function, "the answer is another one")


def _bare(answer: str) -> str:
    """Return an answer without the names of its types."""
    for name in ("np.float64", "np.int64", "np.bool_", "np.True_", "np.False_", "array", "dtype=float32"):
        answer = answer.replace(name, name.removeprefix("np.").rstrip("_") if name in ("np.True_", "np.False_") else "")
    return answer.replace("(", "").replace(")", "").replace("[", "").replace("]", "").rstrip(", ")


def _no_refusal(call: Call, error: str) -> str:
    if call.function == "speculative_step" and error == "ValueError" and not _uniform(call.args.get("u_resample")):
        return "u_resample is not looked at while the draft is kept"
    if call.function == "rejection_sample" and error == "ValueError":
        return "an envelope m with p_i / q_i <= m for every id is accepted: the check is a ratio"
    if error not in ("ValueError", "RuntimeError", "ZeroResidualError"):
        return _VALUES.get(call.function, "the answer is another one")
    return f"no rule is broken here, so nothing is raised; {_VALUES.get(call.function, 'it answers')}"


def _refusal(call: Call, error: str) -> str:
    if error == "ZeroResidualError":
        return "a draft that is rejected although p - q has no positive entry raises ZeroResidualError"
    if error == "RuntimeError":
        return "after max_tries rejected proposals RuntimeError is raised"
    return _broken(call.function, call.args) + f" is a {error}"


def _broken(function: str, args: Mapping[str, Any]) -> str:
    """Return what is wrong with the arguments of a call that has to be refused."""
    if function == "rejection_accept":
        if not _finite(args["p_x"]) or args["p_x"] < 0:
            return "p_x below 0, NaN or infinite"
        if not _finite(args["q_x"]) or args["q_x"] <= 0:
            return "q_x not above 0, NaN or infinite"
        return "u outside [0, 1)"
    for name in ("values", "p", "q"):
        if name in args and not _distribution(args[name]):
            return f"{name} that is no distribution"
    if "p" in args and "q" in args and _length(args["p"]) != _length(args["q"]):
        return "p and q of different length"
    if function == "sample_categorical":
        return "u outside [0, 1)"
    if function == "speculative_step":
        return _broken_step(args)
    if function == "rejection_sample":
        if not _finite(args["m"]) or args["m"] < 1:
            return "m below 1, NaN or infinite"
        if args.get("max_tries", 1) < 1:
            return "max_tries below 1"
        return "an envelope m that does not cover every p_i / q_i"
    return "such a call"


def _broken_step(args: Mapping[str, Any]) -> str:
    x = args["x"]
    if type(x) is not int:
        return "x that is no integer"
    if not 0 <= x < _length(args["q"]):
        return "x outside [0, n)"
    if isinstance(args["q"], list) and args["q"][x] == 0.0:
        return "a draft x with q[x] = 0"
    if not _uniform(args["u_accept"]):
        return "u_accept outside [0, 1)"
    return "u_resample outside [0, 1), once the draft is rejected,"


def _finite(value: Any) -> bool:
    return isinstance(value, int | float) and math.isfinite(value)


def _uniform(value: Any) -> bool:
    return isinstance(value, Mapping) or (_finite(value) and 0.0 <= value < 1.0)


def _length(vector: Any) -> int:
    ((_, vector),) = vector.items() if isinstance(vector, Mapping) else ((None, vector),)
    return len(vector) if isinstance(vector, list) else 1


def _distribution(vector: Any) -> bool:
    """Return whether plain data is a distribution; a type that is spelled out is looked at too."""
    if isinstance(vector, Mapping):
        ((kind, vector),) = vector.items()
        if kind.startswith("complex"):
            return False
    if not isinstance(vector, list) or not vector or not all(_finite(mass) and mass >= 0 for mass in vector):
        return False
    return abs(running_sums(vector)[-1] - 1.0) <= 1e-9
