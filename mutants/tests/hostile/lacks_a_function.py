"""One function is deleted."""

# comes to: ungradable
# says: it lacks residual_distribution

del residual_distribution
