"""Texts and calls of a whole answer put before the gates, for APIs whose answers are lists of parts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from proctor.core.verdict import Verdict
from proctor.guard.edits import difference
from proctor.server.guarded_request import RequestTurn
from proctor.server.wire.stream_events import Slot, compact
from proctor.server.wire.strict_json import read_object

__all__ = ["arguments_text", "call_verdict", "check_texts", "restore_call", "spread"]


async def check_texts(slots: Sequence[Slot], turn: RequestTurn, *, apart: str = "") -> tuple[Verdict | None, bool]:
    """Put texts that belong together before the gates as one; ``apart`` is what parts them.

    Returns the verdict that stops them, if one does; else what may leave stands in their places, and whether that is
    something else than what came.
    """
    text = apart.join(slot.text for slot in slots)
    if not text.strip():
        return None, False
    verdict = await turn.output(text)
    if turn.stops(verdict):
        return verdict, False
    leaves = turn.restored("", text if verdict.text is None else verdict.text)
    return None, spread(slots, leaves, apart)


def spread(slots: Sequence[Slot], text: str, apart: str = "") -> bool:
    """Give texts, taken together, this new text; says whether that changed any."""
    edit = difference(apart.join(slot.text for slot in slots), text)
    if edit is None:
        return False
    at, new = 0, edit.text
    for slot in slots:
        old = slot.text
        low, high = edit.start - at, edit.end - at
        inside = 0 <= low <= len(old)
        if inside or (low < 0 < high):
            slot.place[slot.key] = old[: max(low, 0)] + (new if inside else "") + old[max(high, low, 0) :]
        if inside:
            new = ""  # it stands once
        at += len(old) + len(apart)
    return True


def arguments_text(arguments: Any) -> str:
    """What a call is made with, as JSON; one that nobody can read where it is nested too deeply."""
    if isinstance(arguments, str):
        return arguments
    try:
        return compact({} if arguments is None else arguments)
    except RecursionError:
        return "nested too deeply"


def restore_call(place: dict[str, Any], key: str, turn: RequestTurn) -> bool:
    """Give a call the values of its placeholders, where they may have them; says whether it has any."""
    before = arguments_text(place.get(key))
    leaves = turn.restored_call(before)
    if leaves == before:
        return False
    place[key] = read_object(leaves)
    return True


async def call_verdict(name: Any, arguments: Any, id: Any, turn: RequestTurn) -> Verdict:
    """The verdict on a call whose arguments are an object."""
    return await turn.call(str(name or ""), arguments_text(arguments), str(id or "") or None)
