"""A customer whose words come from a model that was given a goal and a temper."""

from __future__ import annotations

from collections.abc import Sequence

from proctor.core.chat import Message, Request, Sampling
from proctor.core.sockets import Model
from proctor.core.trajectory import Turn

from .goals import Goal

__all__ = ["ModelCustomer"]

DONE = "[DONE]"
SYSTEM = """You play a customer who writes to the desk of a seller of guided tours. Never say that you play.
What you want: {wish}
{known}
You are {temper}. Write one short message at a time, as people write in a chat. Do not invent bookings or promises.
When you got what you want, or see that you will not get it, write one closing sentence and then {done}"""


class ModelCustomer:
    """Speaks for one goal in a model's words."""

    def __init__(self, customer: str, goal: Goal, wish: str, *, model: Model, known: str, temper: str) -> None:
        self.id, self.goal, self._model = customer, goal, model
        self._over = False
        self._system = SYSTEM.format(wish=wish, known=known, temper=temper, done=DONE)

    async def says(self, turns: Sequence[Turn]) -> str | None:
        """The next message, after these turns: the agent's words are the questions of the model that plays."""
        if self._over:
            return None
        messages = [Message(role="system", content=self._system), Message(role="user", content="How can I help you?")]
        for turn in turns:
            messages.append(Message(role="assistant", content=turn.asked))
            messages.append(Message(role="user", content=turn.answer or "…"))
        request = Request(
            messages=tuple(messages), sampling=Sampling(temperature=0.7, max_tokens=120), sample=len(turns)
        )
        text = (await self._model.complete(request)).text
        self._over = DONE in text
        said = text.replace(DONE, "").strip()
        return said or None
