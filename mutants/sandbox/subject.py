"""What a submission is asked for: the module it stands for, the functions in it, what it may bring beside it."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Subject:
    """The module under test.

    Attributes:
        module: its full name.
        functions: what it must have.
        promises: names of the exceptions that belong to its contract.
        beside: the modules that it may import, each with the names of theirs that tests call. They are the
            reference's, or the submission's own where it brings them and is judged with them.
    """

    module: str
    functions: tuple[str, ...]
    promises: tuple[str, ...]
    beside: Mapping[str, tuple[str, ...]]

    @property
    def package(self) -> str:
        """The package that the module is in."""
        return self.module.rpartition(".")[0]

    def packages(self) -> tuple[str, ...]:
        """Return the packages around the module, outermost first."""
        parts = self.package.split(".")
        return tuple(".".join(parts[: depth + 1]) for depth in range(len(parts)))

    def file(self, module: str) -> str:
        """Return the name of a module's file."""
        return f"{module.rpartition('.')[2]}.py"


CHAPTER = Subject(
    module="tinyllm.prob.rejection",
    functions=(
        "rejection_accept",
        "acceptance_probability",
        "residual_distribution",
        "speculative_step",
        "rejection_sample",
    ),
    promises=("ZeroResidualError",),
    beside={
        "tinyllm.prob.uniforms": ("PCG32",),
        "tinyllm.prob.categorical": ("as_distribution", "sample_categorical"),
    },
)
"""The chapter on rejection sampling."""
