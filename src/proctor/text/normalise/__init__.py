"""Normalise text and find what is hidden in it, with offsets back to the original.

``normalise`` cleans a text for detectors; ``views`` decodes the layers inside it. For anything found in either,
``span`` returns its position in the user's text.
"""

from proctor.text.normalise.clean import normalise
from proctor.text.normalise.offsets import OffsetMap
from proctor.text.normalise.results import (
    DEFAULT_LIMITS,
    MAX_CLASSIFIED_CHARS,
    DocumentText,
    Limits,
    Normalised,
    Searched,
    SearchedDocument,
    Signal,
    View,
)
from proctor.text.normalise.views import views

__all__ = [
    "DEFAULT_LIMITS",
    "MAX_CLASSIFIED_CHARS",
    "DocumentText",
    "Limits",
    "Normalised",
    "OffsetMap",
    "Searched",
    "SearchedDocument",
    "Signal",
    "View",
    "normalise",
    "views",
]
