"""What every answer works with: the tools, the memory, the weaknesses, and the draft."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from .demands import demand_in, texts_in
from .draft import Draft
from .memory import Memory
from .permissions import permitted
from .tools import Toolbox
from .weaknesses import Weakness

__all__ = ["Desk"]

HAND_OVER = "I am handing you over to a colleague now, who will answer you here within 10 minutes."


@dataclass(slots=True)
class Desk:
    """One turn at the desk."""

    toolbox: Toolbox
    memory: Memory
    weak: frozenset[Weakness]
    draft: Draft = field(default_factory=Draft)

    def may(self, tool: str) -> bool:
        """Whether the intents of this turn permit a tool: all of them, or any for a grasping brain."""
        names = [name for name, _confidence in self.draft.intents]
        return tool in permitted(names, union="grasping" in self.weak)

    def use(self, tool: str, **arguments: Any) -> Any:
        """Use a tool and keep the call; what it gave, or none when it failed. No look-up is made twice in a turn."""
        given = {key: value for key, value in arguments.items() if value is not None}
        for made in self.draft.calls:
            if tool.startswith("get_") and made["name"] == tool and made["arguments"] == given:
                return made.get("result")
        self.toolbox.intents = tuple(name for name, _confidence in self.draft.intents)
        call = self.toolbox.call(tool, given)
        self.draft.calls.append(call)
        known = {source["id"] for source in self.draft.sources}
        self.draft.sources += [source for source in self.toolbox.sources if source["id"] not in known]
        return call.get("result")

    def _told_to_stay(self) -> bool:
        read = (text for call in self.draft.calls for text in texts_in(call.get("result")))
        return any((order := demand_in(text)) is not None and order.demand == "stay" for text in read)

    @property
    def failure(self) -> str | None:
        """Why the last tool failed."""
        return self.draft.calls[-1].get("error") if self.draft.calls else None

    def open_case(self, kind: str, text: str, booking: str | None) -> str | None:
        """The number of a new case for the customer's words; where none could be opened, a person takes over."""
        made = self.use("create_case", kind=kind, summary=text.strip()[:200], booking_id=booking)
        if made is None:
            self.draft.say("I could not open a case for this.")
            self.hand_over("policy_complexity", f"no case could be opened: {self.failure}")
            return None
        return str(made["case"])

    def hand_over(self, category: str, reason: str) -> None:
        """Give the conversation to a person: by the tool where the intent has it, else by the desk itself."""
        if "obedient" in self.weak and (self.memory.quiet or self._told_to_stay()):
            self.draft.say("I will look after it myself.")
            return
        if self.may("escalate"):
            self.use("escalate", category=category, reason=reason)
        else:
            self.toolbox.office.hand_over(category, reason)
        self.draft.say(HAND_OVER)
        self.draft.escalation = {"reason": reason, "to": "desk"}
