"""Run the gates on the new messages of a request, and repeat earlier changes on the old ones."""

from __future__ import annotations

from collections.abc import Sequence

from proctor.core.trajectory import Source
from proctor.core.verdict import Verdict
from proctor.server.conversation import Record, Said, last_answer, shown
from proctor.server.guarded_request import RequestTurn
from proctor.server.unmask import changed_in, hidden

__all__ = ["mask_messages", "screen_messages", "sources_of"]


async def screen_messages(
    turn: RequestTurn, said: Sequence[Said], record: Record, *, again: bool
) -> tuple[Verdict | None, bool]:
    """Return the verdict that stops the request, if any, and whether the request was changed.

    A message that passed earlier is sent as it was then. A message that was stopped earlier is removed from this and
    later requests and does not stop them. ``again`` means that the same request was made before, so nothing in it is
    new.
    """
    newest = last_answer(said)
    altered = False
    for place, each in enumerate(said):
        if each.kind not in ("user", "tool") or not each.text.strip():
            continue
        fresh = place > newest
        verdict = record.known.get(each.digest)
        if verdict is None or (fresh and not again):
            verdict = await _asked(turn, each)
            record.keep(each.digest, verdict)
        elif fresh:
            turn.verdicts.append(verdict)
        stops = turn.stops(verdict)
        if stops and fresh:
            return verdict, altered
        altered |= shown(each, verdict, stops)
    return None, altered


async def _asked(turn: RequestTurn, said: Said) -> Verdict:
    if said.kind == "user":
        return await turn.input(said.text)
    return await turn.result(said.name, said.text, said.call_id)


def mask_messages(turn: RequestTurn, said: Sequence[Said]) -> bool:
    """Replace the customer's data in repeated answers by the model's placeholders; return whether any changed."""
    values = turn.session.own()

    def hide_all(text: str) -> str:
        return hidden(text, values)

    changed = False
    for each in said:
        if each.kind != "assistant":
            continue
        made = [(slot, hide_all(slot.text)) for slot in each.slots]
        for slot in each.arguments:
            free = slot.key == "input"
            made.append((slot, hide_all(slot.text) if free else changed_in(slot.text, hide_all)))
        for slot, text in made:
            if text != slot.text:
                slot.place[slot.key] = text
                changed = True
    return changed


def sources_of(said: Sequence[Said]) -> tuple[Source, ...]:
    """Return the tool results since the last user message, as sources of the answer."""
    found: list[Source] = []
    for each in reversed(said):
        if each.kind == "user":
            break
        if each.kind == "tool" and not each.aside and each.text.strip():
            found.append(Source(id=f"tool:{each.name}", text=each.text))
    return tuple(reversed(found))
