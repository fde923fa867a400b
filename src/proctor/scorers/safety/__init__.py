"""Scores of what must never happen: calls beyond permission, leaks, promises, injected instructions carried out."""
