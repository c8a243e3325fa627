"""A MagicMock, which answers whatever is asked of it."""

# comes to: failed
# says: assertion

from unittest.mock import MagicMock

acceptance_probability = residual_distribution = MagicMock()
