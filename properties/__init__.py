"""What must hold: the theorem and the boundary rules, as ordinary pytest files."""
