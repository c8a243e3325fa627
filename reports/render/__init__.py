"""Values to text: each module a pure function of what the lab found."""
