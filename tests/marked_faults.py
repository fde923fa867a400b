"""A reader of conversations whose network is a rule: an act that says ``!kind`` or ``?kind`` is that fault."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from proctor.core.talk_event import FAULTS
from proctor.models.local.large import FAULT_AT
from proctor.models.local.talk_faults import Array, TalkFaults

__all__ = ["SURE", "UNSURE", "marked_faults"]

SURE, UNSURE = 3.0, 0.5  # logits: probabilities of .95 and .62


def marked_faults(slope: float = 1.0, offset: float = 0.0) -> TalkFaults:
    """Return a reader that is sure of "!loop" and unsure of "?loop"; a token is a character."""
    return TalkFaults(read_marks=_read_marks, encode=_encode, slope=slope, offset=offset)


def _encode(text: str) -> list[int]:
    return [ord(each) for each in text]


def _read_marks(ids: Sequence[int], places: Sequence[int]) -> Array:
    rows = np.zeros((len(places), FAULT_AT + 1 + len(FAULTS)), np.float32)
    for row, place in zip(rows, places, strict=True):
        shown = "".join(map(chr, ids[: place + 1]))
        act = shown[max(shown.rfind("\nAgent: "), shown.rfind("\nCall: ")) :]
        row[FAULT_AT] = -SURE
        for number, kind in enumerate(FAULTS):
            for sign, logit in (("!", SURE), ("?", UNSURE)):
                if f"{sign}{kind}" in act:
                    row[FAULT_AT], row[FAULT_AT + 1 + number] = logit, 2.0
    return rows
