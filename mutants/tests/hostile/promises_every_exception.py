"""Its ZeroResidualError is Exception itself, and it is raised for everything."""

# comes to: failed
# says: Exception

ZeroResidualError = Exception


def speculative_step(p, q, x, u_accept, u_resample):
    raise ZeroResidualError("whatever was asked")
