"""How the target can be wrong, and the lab that tries each way."""
