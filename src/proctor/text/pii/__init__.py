"""Detect personal data in texts: one module for each kind."""

from proctor.text.pii.find_pii import KINDS, PERSONAL, find_pii, warm
from proctor.text.pii.merge_findings import NAMED, merge
from proctor.text.pii.name_filter import likely_names
from proctor.text.pii.placeholders import Masked, Placeholders, mask, unmask
from proctor.text.pii.same_value import same_value

__all__ = [
    "KINDS",
    "NAMED",
    "PERSONAL",
    "Masked",
    "Placeholders",
    "find_pii",
    "likely_names",
    "mask",
    "merge",
    "same_value",
    "unmask",
    "warm",
]
