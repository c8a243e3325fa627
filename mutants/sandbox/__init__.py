"""Untrusted code: it runs in a guest behind walls, and is asked over a wire."""
