"""Deliver a payload in a place that the agent reads: a tool's result, a document, a mail, a memory."""

from __future__ import annotations

from dataclasses import dataclass, replace
from random import Random
from typing import ClassVar

from proctor.core.attack import AttackDraft, Channel
from proctor.redteam.payload_site import carries_payload
from proctor.redteam.toolbox import Family

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

    name: ClassVar[str]
    channel: ClassVar[Channel]
    version: ClassVar[str] = "1"
    delivers: ClassVar[bool] = True
    family: ClassVar[Family] = "place"
    one_line: ClassVar[bool] = False

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


class InToolResult(PlaceDelivery):
    """The payload is in data that a tool returns, e.g. a booking's note."""

    name: ClassVar[str] = "in_tool_result"
    channel: ClassVar[Channel] = "tool_result"


class InDocument(PlaceDelivery):
    """The payload is in a document that the agent retrieves."""

    name: ClassVar[str] = "in_document"
    channel: ClassVar[Channel] = "document"


class InEmail(PlaceDelivery):
    """The payload is in a mail that the agent reads."""

    name: ClassVar[str] = "in_email"
    channel: ClassVar[Channel] = "email"


class InCalendar(PlaceDelivery):
    """The payload is in a calendar entry."""

    name: ClassVar[str] = "in_calendar"
    channel: ClassVar[Channel] = "calendar"


class InFileName(PlaceDelivery):
    """The payload is in the name of a file; it becomes one line."""

    name: ClassVar[str] = "in_file_name"
    channel: ClassVar[Channel] = "file_name"
    one_line: ClassVar[bool] = True


class InToolDescription(PlaceDelivery):
    """The payload is in the description of a tool that the agent is given."""

    name: ClassVar[str] = "in_tool_description"
    channel: ClassVar[Channel] = "tool_description"


class InMemory(PlaceDelivery):
    """The payload is in what an earlier session left in the agent's memory."""

    name: ClassVar[str] = "in_memory"
    channel: ClassVar[Channel] = "memory"
