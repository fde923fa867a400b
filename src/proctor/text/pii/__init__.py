"""Personal data in texts: one file for each kind, each a function from a text to what was found in it."""

from proctor.text.pii.finding import KINDS, find_pii, same_value

__all__ = ["KINDS", "find_pii", "same_value"]
