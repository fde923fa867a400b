"""Functions on text."""
