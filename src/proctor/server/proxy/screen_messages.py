"""The messages of a request put before the gates: only what is new, and what was changed before is changed again."""

from __future__ import annotations

from collections.abc import Sequence

from proctor.core.trajectory import Source
from proctor.core.verdict import Verdict
from proctor.server.conversation import Record, Said, last_answer, shown
from proctor.server.guarded_request import RequestTurn
from proctor.server.unmask import changed_in, hidden

__all__ = ["hide", "look_at", "sources_of"]


async def look_at(
    turn: RequestTurn, said: Sequence[Said], record: Record, *, again: bool
) -> tuple[Verdict | None, bool]:
    """The verdict that stops the request, if one does; and whether what goes on is not what came.

    A message that was let through before goes on as it did then. One that was stopped then stays out of what the model
    reads from then on: it is sent with every request, and stops none but the one that brought it. ``again`` says that
    the very same request was made before: nothing in it is new.
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


def hide(turn: RequestTurn, said: Sequence[Said]) -> bool:
    """Give the model its own placeholders back, where the client repeats what it read in their place.

    Says whether that changed anything.
    """
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
    """What tools have told since the user last spoke: what the answer may rest on."""
    found: list[Source] = []
    for each in reversed(said):
        if each.kind == "user":
            break
        if each.kind == "tool" and not each.aside and each.text.strip():
            found.append(Source(id=f"tool:{each.name}", text=each.text))
    return tuple(reversed(found))
