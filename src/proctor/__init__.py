"""Proctor tests, grades, guards, attacks and watches LLM applications."""

__version__ = "0.1.0"
