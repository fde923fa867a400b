"""Makes text plain and finds what is hidden in it, with the way back to the original.

``normalise`` cleans a text for detectors; ``views`` decodes the layers inside it. Whatever a detector finds in
either, ``span`` tells where it stands in what the user sent.
"""

from proctor.text.normalise.clean import normalise
from proctor.text.normalise.offsets import OffsetMap
from proctor.text.normalise.results import (
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
