"""Deliver a payload in a place that the agent reads: a tool's result, a document, a mail, a memory."""

from __future__ import annotations

from dataclasses import dataclass, replace
from random import Random

from proctor.core.attack import AttackDraft, Channel
from proctor.redteam.payload_site import carries_payload
from proctor.redteam.technique_registry import Family

__all__ = [
    "InCalendar",
    "InDocument",
    "InEmail",
    "InFileName",
    "InMemory",
    "InToolDescription",
    "InToolResult",
    "PlaceDelivery",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class PlaceDelivery:
    """Plants the payload in a place of one channel; the conversation stays harmless."""

    name: str
    title: str
    channel: Channel
    version: str = "1"
    delivers: bool = True
    family: Family = "place"
    one_line: bool = False

    def __call__(self) -> PlaceDelivery:
        """Return itself, as the factory of a registered technique."""
        return self

    def apply(self, draft: AttackDraft, random: Random) -> AttackDraft | None:
        """Choose the place, unless the draft already names one of this channel."""
        if draft.place is not None:
            places = [draft.place] if draft.place.channel == self.channel else []
        else:
            places = [site for site in draft.carrier.places if site.channel == self.channel and carries_payload(site)]
        if not places or not draft.payload.strip():
            return None
        payload = " ".join(draft.payload.split()) if self.one_line else draft.payload
        place = random.choice(places)
        return replace(draft, payload=payload, place=place, techniques=(*draft.techniques, self.name))


InToolResult = PlaceDelivery(
    name="in_tool_result",
    channel="tool_result",
    title="The payload is in data that a tool returns, e.g. a booking's note.",
)
InDocument = PlaceDelivery(
    name="in_document", channel="document", title="The payload is in a document that the agent retrieves."
)
InEmail = PlaceDelivery(name="in_email", channel="email", title="The payload is in a mail that the agent reads.")
InCalendar = PlaceDelivery(name="in_calendar", channel="calendar", title="The payload is in a calendar entry.")
InFileName = PlaceDelivery(
    name="in_file_name",
    channel="file_name",
    title="The payload is in the name of a file; it becomes one line.",
    one_line=True,
)
InToolDescription = PlaceDelivery(
    name="in_tool_description",
    channel="tool_description",
    title="The payload is in the description of a tool that the agent is given.",
)
InMemory = PlaceDelivery(
    name="in_memory", channel="memory", title="The payload is in what an earlier session left in the agent's memory."
)
