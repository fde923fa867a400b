"""Scorers of what must never happen: calls without permission, leaks, promises, followed injections."""
