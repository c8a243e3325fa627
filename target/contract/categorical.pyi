"""Contract: what counts as a distribution, and one draw from it.

A distribution is a vector of one dimension and at least one entry that converts to float64, every entry finite and
at least 0, and whose sum lies within 1e-9 of 1. The sum runs left to right: ascending ids, one rounding an addition.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

SUM_TOLERANCE: float

def as_distribution(name: str, values: ArrayLike) -> NDArray[np.float64]:
    """The values as float64[n]; it may be the caller's own array, so it is for reading only.

    ValueError: not a distribution. The message names the argument and, where one entry is at fault, the first such id
    with its value. Only the class is binding for other implementations; the wording is theirs.
    """

def sample_categorical(p: ArrayLike, u: float) -> int:
    """The smallest id whose left-to-right running sum is strictly above ``u``.

    An id of zero mass is never the answer: not at ``u = 0`` behind leading zeros, not where ``u`` ties with a running
    sum, not at the end. Where rounding leaves the last running sum at or below ``u``, the answer is the last id with
    positive mass: ten entries of 0.1 add up to 0.9999999999999999, and ``u = 1 - 2**-53`` still gives id 9.

    ValueError: ``p`` is not a distribution; ``u`` is NaN or outside [0, 1).
    """
