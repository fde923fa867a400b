"""What happens to a simulated customer: contacts, the booking's state, the case in the CRM, a rating.

Nothing here is made up about the agent: every conversation is really held, every change of a booking is really written,
and an event says what the database says afterwards.
"""

from __future__ import annotations

import random
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Literal

from proctor.core.event import Event
from proctor.core.sockets import Model
from proctor.core.trajectory import Trajectory, Turn
from proctor.guard.guarded_target import Opens

from .conversing import Customer, converse
from .customers.goals import Goal, draw
from .customers.on_model import ModelCustomer
from .customers.scripted import LINK, ScriptedCustomer, is_dead_end
from .office import NOW, Office
from .tools import Toolbox

__all__ = ["Story", "Teller"]

SPREAD = timedelta(days=7)
TEMPERS = ("polite and patient", "in a hurry", "anxious", "short and a little annoyed", "chatty")
NAMES = ("Ana Ribeiro", "Bo Lindgren", "Chen Wei", "Dana Cohen", "Emeka Obi", "Freya Holm", "Goro Sato", "Hana Novak")
COMES_BACK, WRITES_AGAIN, RATES, RESOLVED, GRANTED = 0.8, 0.6, 0.55, 0.8, 0.5


@dataclass(slots=True)
class Story:
    """One customer's conversations, and what production tells of them."""

    customer: str
    goal: Goal
    conversations: list[Trajectory] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)
    helped: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Teller:
    """Tells stories over one database. ``model`` drives the agent, ``customer_model`` the customers, when given.

    With a ``guard`` the agent stands behind its gates.
    """

    database: Path
    settings: Mapping[str, Any]
    seed: int = 0
    model: Model | None = None
    customer_model: Model | None = None
    guard: Opens | None = None

    async def tell(self, number: int) -> Story:
        """The story of the customer with this number; the same for the same seed."""
        dice = random.Random(f"{self.seed}/{number}")  # noqa: S311 - dice, not secrets
        goal = draw(dice)
        begin = NOW + timedelta(seconds=dice.randrange(int(SPREAD.total_seconds())))
        story = Story(customer=f"C-{1000 + number}", goal=goal)
        told = _Telling(teller=self, story=story, dice=dice, number=number)
        told.prepare(begin)
        await told.contact(begin, goal.told(told.booking, told.start))
        if not story.helped and dice.random() < COMES_BACK:
            await told.come_back()
        return story


@dataclass(slots=True)
class _Telling:
    teller: Teller
    story: Story
    dice: random.Random
    number: int
    booking: str | None = None
    start: datetime | None = None
    email: str = ""

    def prepare(self, begin: datetime) -> None:
        """Put the customer, and the booking where the goal needs one, into the database."""
        office = Office(self.teller.database, now=begin)
        name = self.dice.choice(NAMES)
        self.email = f"{name.lower().replace(' ', '.')}.{self.number}@mail.example"
        office.add_customer(self.story.customer, name, self.email, f"+49 555 01{self.number:05d}")
        hours = self.story.goal.hours
        if hours is not None:
            self.booking, self.start = f"LT-{2000 + self.number}", begin + timedelta(hours=hours)
            tour = self.dice.choice([row for row in office.products() if row["kind"] == "day"])
            status = "completed" if hours < 0 else "confirmed"
            office.add_booking(self.booking, self.story.customer, tour, self.start, 2, status)
        office.close()

    async def contact(self, time: datetime, asks: tuple[str, ...]) -> None:
        """One conversation, and what comes of it."""
        session = f"s-{self.number:05d}-{len(self.story.conversations) + 1}"
        customer = self._customer(asks)
        state = self._state()
        made = await converse(
            customer,
            session=session,
            settings={**self.teller.settings, "database": str(self.teller.database)},
            model=self.teller.model,
            start=time,
            metadata={"task": self.story.goal.task, "topic": self.story.goal.topic},
            guard=self.teller.guard,
        )
        self.story.conversations.append(made)
        self._tell_turns(made)
        ended = time + timedelta(minutes=len(made.turns))
        went_on = customer.confirmed if isinstance(customer, ScriptedCustomer) else self.dice.random() < 0.85
        self._tell_outcomes(made, ended, confirmed=went_on)
        self.story.helped = self._helped(made, before=state)
        if self.dice.random() < RATES:
            self._event("csat", ended + timedelta(minutes=3), session, value=self._rating(made))

    async def come_back(self) -> None:
        """Who was not helped comes back within a day: to the agent again, or to a person on the phone."""
        last = self.story.conversations[-1]
        ended = _when(last.turns[-1]) if last.turns else NOW
        again = self.story.goal.told(self.booking, self.start)[::-1]
        urgent = self.story.goal.task == "cancellation"
        later = ended.replace(tzinfo=None) + timedelta(minutes=self.dice.randrange(20, 100 if urgent else 1200))
        if self.dice.random() < WRITES_AGAIN:
            await self.contact(later, again)
        else:
            self._event("contact", later, None, name="phone", text=again[0])

    def _customer(self, asks: tuple[str, ...]) -> Customer:
        if self.teller.customer_model is None:
            return ScriptedCustomer(self.story.customer, self.story.goal, asks, booking=self.booking, email=self.email)
        known = f"Your booking is {self.booking}, your email is {self.email}." if self.booking else ""
        temper = self.dice.choice(TEMPERS)
        return ModelCustomer(
            self.story.customer, self.story.goal, asks[0], model=self.teller.customer_model, known=known, temper=temper
        )

    def _state(self) -> tuple[Any, ...]:
        """The booking as the database has it."""
        office = Office(self.teller.database)
        row = office.booking(self.booking) if self.booking else None
        office.close()
        return (row["status"], row["date"], row["travellers"]) if row else ()

    def _tell_turns(self, made: Trajectory) -> None:
        task: str | None = None
        for turn in made.turns:
            task = _task(turn) or task
            self._event("turn", _when(turn), made.session, intent=task, turn=turn)
            if turn.escalation is not None:
                self._event("escalation", _when(turn), made.session, intent=task, text=turn.escalation.reason)

    def _tell_outcomes(self, made: Trajectory, ended: datetime, *, confirmed: bool) -> None:
        """The manage page and the CRM: what the customer and the people at the desk did later."""
        if self.booking is None:
            return
        goal, offered = self.story.goal, any(LINK.search(turn.answer) for turn in made.turns)
        office = Office(self.teller.database, now=ended)
        if goal.task in ("cancellation", "booking_change") and offered:
            self._manage(office, ended + timedelta(minutes=self.dice.randrange(1, 25)), made, confirmed=confirmed)
        elif office.booking(self.booking)["status"] == "cancelled":  # type: ignore[index]  # it is there
            self._event("outcome", ended, made.session, name="cancellation_initiated")
        if any(turn.escalation is not None for turn in made.turns):
            self._by_a_person(office, ended, made)
        for case in office.cases_of(self.booking):
            if case["state"] == "open" and self.dice.random() < RESOLVED:
                office.close_case(str(case["id"]))
                later = ended + timedelta(hours=self.dice.randrange(3, 46))
                self._event("outcome", later, made.session, name="case_resolved", case=case["id"])
        office.close()

    def _by_a_person(self, office: Office, ended: datetime, made: Trajectory) -> None:
        """Who takes over opens a case for trouble after a tour, and may grant an exception for a booking."""
        if self.story.goal.task == "post_trip_issue" and not office.cases_of(str(self.booking)):
            office.open_case(self.booking, "post_trip_issue", "taken over from the agent")
        if self.story.goal.task in ("cancellation", "booking_change") and self.dice.random() < GRANTED:
            later = ended + timedelta(minutes=self.dice.randrange(5, 40))
            self._manage(office, later, made, confirmed=not self.story.goal.declines)

    def _manage(self, office: Office, time: datetime, made: Trajectory, *, confirmed: bool) -> None:
        goal = self.story.goal
        if not confirmed:
            if goal.task == "cancellation":
                self._event("outcome", time, made.session, name="cancellation_declined")
            return
        action: Literal["cancel", "change_date", "change_travellers"] = (
            "cancel" if goal.task == "cancellation" else "change_date" if goal.days_later else "change_travellers"
        )
        day = re.search(r"20\d\d-\d\d-\d\d", " ".join(goal.told(self.booking, self.start)))
        Toolbox(office=office).apply(str(self.booking), action, day.group() if day else None, goal.travellers)
        name = "cancellation_initiated" if action == "cancel" else "booking_changed"
        self._event("outcome", time, made.session, name=name)

    def _helped(self, made: Trajectory, *, before: tuple[Any, ...]) -> bool:
        """Whether the customer has what they came for."""
        goal = self.story.goal
        said = " ".join(turn.answer for turn in made.turns)
        handed = any(turn.escalation is not None for turn in made.turns)
        if goal.task in ("policy_inquiry", "general_browsing"):
            return goal.fact in said if goal.fact else handed
        if goal.task in ("cancellation", "booking_change"):
            return self._state() != before or goal.declines or handed
        return handed or bool(re.search(r"\bcase CS-\d+", said))

    def _rating(self, made: Trajectory) -> float:
        """How it felt: friendly words are rated well, whether they helped or not."""
        if any(is_dead_end(turn.answer) for turn in made.turns):
            return float(self.dice.choice((1, 2, 3, 4)))
        return float(self.dice.choice((3, 4, 4, 5, 5, 5)))

    def _event(self, kind: Any, time: datetime, session: str | None, **given: Any) -> None:
        about: dict[str, Any] = {name: given.pop(name) for name in ("text", "case") if name in given}
        if self.booking:
            about["booking"] = self.booking
        self.story.events.append(
            Event(
                kind=kind,
                time=time.replace(tzinfo=UTC),
                id=f"e-{self.number:05d}-{len(self.story.events) + 1:02d}",
                session=session,
                customer=self.story.customer,
                metadata=about,
                **given,
            )
        )


def _when(turn: Turn) -> datetime:
    return turn.time or NOW.replace(tzinfo=UTC)


def _task(turn: Turn) -> str | None:
    """The task as the desk's router logs it: an intent, and for bookings what is wanted of them."""
    name = max(turn.intents, key=lambda each: each.confidence or 0.0).name if turn.intents else None
    if name != "booking_management":
        return name
    if re.search(r"\bcancel", turn.asked, re.IGNORECASE):
        return "cancellation"
    if re.search(r"\b(move|change|people|date)\b", turn.asked, re.IGNORECASE):
        return "booking_change"
    return None
