"""The corners of D tell apart from the reference what is wrong nowhere else."""

from collections.abc import Sequence
from functools import cache

import pytest

from acidtest.mutants import lab
from acidtest.mutants.model import Edit, Variant
from acidtest.mutants.splice import changed_functions, splice
from acidtest.mutants.workload import embedded
from acidtest.properties import calls
from acidtest.properties.corners import corner_calls

WORKLOAD = embedded()
CORNERS = tuple(corner_calls())
UNIFORMS, CATEGORICAL, REJECTION = (f"tinyllm.prob.{name}" for name in ("uniforms", "categorical", "rejection"))
EDITS: dict[str, tuple[str, str, str, str]] = {
    "draws the last id of a short sum": (
        REJECTION,
        "rejection_sample",
        "x = sample_categorical(proposal, rng.random())",
        "x = min(int(np.searchsorted(np.cumsum(proposal), rng.random(), side='right')), proposal.size - 1)",
    ),
    "draws from the left": (
        REJECTION,
        "rejection_sample",
        "x = sample_categorical(proposal, rng.random())",
        "x = int(np.searchsorted(np.cumsum(proposal), rng.random(), side='left'))",
    ),
    "tries once more by default": (
        REJECTION,
        "rejection_sample",
        "range(1, max_tries + 1)",
        "range(1, max_tries + 1 + (max_tries == 10000))",
    ),
    "takes any positive envelope": (REJECTION, "rejection_sample", "not 1.0 <= m < math.inf", "not 0.0 < m < math.inf"),
    "overlooks small masses": (REJECTION, "rejection_sample", "p_i > 0.0", "p_i > 1e-15"),
    "keeps m in float32": (
        REJECTION,
        "rejection_sample",
        "m * float(proposal[x])",
        "float(np.float32(m) * proposal[x])",
    ),
    "sums long overlaps pairwise": (
        REJECTION,
        "acceptance_probability",
        "return alpha",
        "return float(np.minimum(target, proposal).sum()) if target.size > 64 else alpha",
    ),
    "sums long excesses exactly": (
        REJECTION,
        "_excess",
        "return excess, z",
        "return excess, math.fsum(excess) if len(excess) > 40 else z",
    ),
    "takes little residual mass for none": (REJECTION, "residual_distribution", "z == 0.0", "z < 1e-30"),
    "raises for little residual mass": (REJECTION, "speculative_step", "z == 0.0", "z < 1e-17"),
    "keeps where p equals q": (
        REJECTION,
        "speculative_step",
        "rejection_accept(p_x, q_x, u_accept)",
        "np.array_equal(target, proposal) or rejection_accept(p_x, q_x, u_accept)",
    ),
    "reads the draft as 64 bits": (
        REJECTION,
        "speculative_step",
        "operator.index(x)",
        "int(np.int64(operator.index(x)))",
    ),
    "divides numpy's numbers": (
        REJECTION,
        "rejection_accept",
        "return u < p_x / q_x",
        "return bool(u < np.float64(p_x) / q_x)",
    ),
    "compares a float32 uniform": (CATEGORICAL, "sample_categorical", "running > u", "np.float32(running) > u"),
    "looks at 513 ids": (CATEGORICAL, "sample_categorical", "probability > 0.0", "index < 513 and probability > 0.0"),
    "forgets tiny last masses": (CATEGORICAL, "sample_categorical", "probability > 0.0", "probability > 1e-12"),
    "takes one id of any mass": (
        CATEGORICAL,
        "as_distribution",
        "abs(total - 1.0) > SUM_TOLERANCE",
        "vector.size > 1 and abs(total - 1.0) > SUM_TOLERANCE",
    ),
    "checks the sum exactly": (CATEGORICAL, "as_distribution", "total - 1.0", "math.fsum(vector.tolist()) - 1.0"),
    "tolerates more of long vectors": (
        CATEGORICAL,
        "as_distribution",
        "abs(total - 1.0) > SUM_TOLERANCE",
        "abs(total - 1.0) > SUM_TOLERANCE * max(1, vector.size / 8)",
    ),
    "masks the stream": (UNIFORMS, "PCG32.__init__", "stream << 1", "(stream & 0xFFFFFFFF) << 1"),
    "takes Python's integers only": (UNIFORMS, "PCG32.__init__", "operator.index(seed)", "seed"),
    "never rotates by 31": (UNIFORMS, "PCG32.next_uint32", "state >> 59", "(state >> 59) % 31"),
}


@cache
def answers() -> tuple[list[str], dict[str, list[str]]]:
    """Return what the reference and each edit answer on the corners."""
    asked = [{"module": calls.FUNCTIONS[c.function], "function": c.function, "args": dict(c.args)} for c in CORNERS]
    subjects = [None, *(variant(name) for name in EDITS)]
    reference, *found = lab.answers(WORKLOAD, subjects, [asked] * len(subjects))
    assert isinstance(reference, list)
    edited: dict[str, list[str]] = {}
    for name, answer in zip(EDITS, found, strict=True):
        assert isinstance(answer, list), answer
        edited[name] = answer
    return reference, edited


def variant(name: str) -> Variant:
    module, function, before, after = EDITS[name]
    source = WORKLOAD.read(module)
    text = splice(source, function, [Edit(after=after, before=before)])
    return Variant(name, name, module, text, changed_functions(source, text) or (), None, "")


def differing(reference: Sequence[str], edited: Sequence[str]) -> int:
    return sum(one != other for one, other in zip(reference, edited, strict=True))


@pytest.mark.parametrize("name", EDITS)
def test_corners_tell_an_edit_that_is_wrong_only_there(name: str) -> None:
    reference, edited = answers()
    assert 0 < differing(reference, edited[name]) < len(CORNERS) / 4


def test_corners_are_part_of_d_and_every_answer_of_the_reference_is_the_contract_s() -> None:
    domain = {(call.function, call.text) for call in calls.domain()}
    assert {(call.function, call.text) for call in CORNERS} <= domain
    kinds = {answer.split(";")[0] for answer in answers()[0] if answer.startswith("raises")}
    assert kinds == {"raises ValueError", "raises RuntimeError"}
    assert not any("warned" in answer for answer in answers()[0])
