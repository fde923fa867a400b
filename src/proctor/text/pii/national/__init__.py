"""Numbers that states give to people: by their own shape and check digits, or by the word beside them."""

from proctor.text.pii.national.numbers import SCHEMES, find_by_shape, find_spaced

__all__ = ["SCHEMES", "find_by_shape", "find_spaced"]
