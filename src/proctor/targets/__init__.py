"""Targets, the systems under test: a prompt on a model, an HTTP agent, a Python callable, a command, a recording."""
