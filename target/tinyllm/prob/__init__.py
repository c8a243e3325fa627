"""Probability for sampling: uniforms, the inverse CDF, and rejection with its residual."""
