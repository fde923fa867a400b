"""What the customer asked for up to a step: the messages, and what the last one says yes to."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from proctor.guard.session_memory import KEPT
from proctor.guard.step import Step
from proctor.lexicon.requested_acts import acts_in, delegates_instructions, names_source
from proctor.text.assent import agrees

__all__ = ["CustomerRequest", "request_of"]

_MAX_ASSENT_CHARS: Final = 240  # of a message in which a yes is looked for


@dataclass(frozen=True, slots=True)
class CustomerRequest:
    """What the customer asked for: all messages, the newest first.

    ``agreed`` is the agent's question to which the last message says yes.
    """

    messages: tuple[str, ...] = ()
    agreed: str = ""

    @property
    def last(self) -> str:
        """The last message."""
        return self.messages[0] if self.messages else ""

    @property
    def names_source(self) -> bool:
        """Whether the last message names a text in which something is written."""
        return names_source(self.last)

    @property
    def delegates(self) -> bool:
        """Whether the last message says that the agent shall do what a text says."""
        return names_source(self.last) and delegates_instructions(self.last)

    @property
    def asks_to_act(self) -> bool:
        """Whether some message asks for any act."""
        return any(map(acts_in, self.messages))


def request_of(step: Step) -> CustomerRequest:
    """Return what the customer asked for up to this step."""
    asked, said = step.memory.asked, step.memory.said
    last = asked[-1] if asked else ""
    # Within a turn the last answer is older than the last message.
    question = said[-1] if said and (len(said) < len(asked) or len(asked) == KEPT) else ""
    agreed = question if question and _agrees(last[:_MAX_ASSENT_CHARS], question) else ""
    return CustomerRequest(messages=tuple(reversed(asked)), agreed=agreed)


@lru_cache(maxsize=1024)
def _agrees(message: str, question: str) -> bool:
    return agrees(message, question)
