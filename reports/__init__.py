"""What we learned: the store of runs, the measures, and what a person reads."""
