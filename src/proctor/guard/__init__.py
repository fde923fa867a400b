"""Verdicts from steps of a live conversation: gates, the chains they stand in, and what a session remembers."""
