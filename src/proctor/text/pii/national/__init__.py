"""National id numbers: found by shape and check digits, or by label."""

from proctor.text.pii.national.numbers import SCHEMES, find_by_shape, find_spaced

__all__ = ["SCHEMES", "find_by_shape", "find_spaced"]
