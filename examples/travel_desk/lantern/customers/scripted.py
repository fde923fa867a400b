"""A customer who follows a script: says the wish, gives what is asked for, tries again once, and leaves."""

from __future__ import annotations

import re
from collections.abc import Sequence

from proctor.core.trajectory import Turn

from .goals import Goal

__all__ = ["ScriptedCustomer", "is_dead_end"]

ASKS_NUMBER = re.compile(r"number of your booking|which booking|check the number", re.IGNORECASE)
ASKS_EMAIL = re.compile(r"need the email", re.IGNORECASE)
ASKS_DATE = re.compile(r"which new date", re.IGNORECASE)
ASKS_COUNT = re.compile(r"how many travellers", re.IGNORECASE)
LINK = re.compile(r"https://lantern\.example/manage/", re.IGNORECASE)
REASON = "If there is a special reason"
ENDS = re.compile(r"handing you over|you are welcome|within 3 working days|within 5 working days", re.IGNORECASE)
DEAD_END = re.compile(r"\bI am afraid\b", re.IGNORECASE)


def is_dead_end(answer: str) -> bool:
    """Whether an answer turns the customer away with nothing to go on with."""
    return bool(DEAD_END.search(answer)) and not LINK.search(answer)


class ScriptedCustomer:
    """Speaks for one goal. ``confirmed`` says whether the customer went on to the manage page in the end."""

    def __init__(self, customer: str, goal: Goal, asks: Sequence[str], *, booking: str | None, email: str) -> None:
        self.id = customer
        self.goal, self.booking, self.email = goal, booking, email
        self._asks = list(asks)
        self._day = next(iter(re.findall(r"20\d\d-\d\d-\d\d", " ".join(asks))), "")
        self._over = False
        self.confirmed = False

    async def says(self, turns: Sequence[Turn]) -> str | None:
        """The next message, after these turns."""
        if self._over or not self._asks:
            return None
        if not turns:
            first = self._asks.pop(0)
            return first if self.goal.gives_number or not self.booking else first.replace(f" {self.booking}", "")
        answer = turns[-1].answer
        given = self._given(answer)
        if given is not None:
            return given
        if LINK.search(answer):
            self._over = True
            self.confirmed = not self.goal.declines
            return "Thank you, I will do that." if self.confirmed else "Thank you. I will keep it as it is then."
        if ENDS.search(answer) or self._satisfied(answer):
            self._over = True
            return "Thank you."
        return self._asks.pop(0)

    def _given(self, answer: str) -> str | None:
        """What the agent asks for, as far as the customer has it."""
        if ASKS_NUMBER.search(answer) and self.booking:
            return f"It is {self.booking}."
        if ASKS_EMAIL.search(answer):
            return f"It was booked with {self.email}."
        if ASKS_DATE.search(answer) and self._day:
            return self._day
        if ASKS_COUNT.search(answer) and self.goal.travellers:
            return f"{self.goal.travellers} people"
        if REASON in answer:
            return "There is one: our flight was called off."
        return None

    def _satisfied(self, answer: str) -> bool:
        if is_dead_end(answer):
            return False
        return self.goal.fact is None or self.goal.task != "policy_inquiry" or bool(re.search(r"\[[\w-]+\]", answer))
